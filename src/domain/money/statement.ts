import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import { firstOf } from '../execution/lane'
import { amountOf } from './amount'
import { entriesOf, type FeesUsd, type LedgerAccount, type LedgerEntry, type LedgerRecord, openRawOf } from './ledger'

/** What happened to one token on one chain in a period. Amounts are in atomic units. */
export type StatementRow = {
  chainId: ChainId
  token: Address
  symbol: string
  decimals: number | null
  openingRaw: bigint
  receivedRaw: bigint
  returnedRaw: bigint
  correctedRaw: bigint
  protocolFeeRaw: bigint
  gasFeeRaw: bigint
  routedRaw: bigint
  closingRaw: bigint
  /** Part of the closing balance that unfinished executions will route. */
  inProgressRaw: bigint
  deliveredRaw: bigint
  refundedRaw: bigint
  deposits: number
  deliveries: number
  /** Deliveries whose price was unknown. Their value is in no sum. */
  unpricedDeliveries: number
  /** Sum of the deliveries with a known price, each rounded to a cent. */
  deliveredUsdCents: bigint
  refunds: number
  unpricedRefunds: number
  refundedUsdCents: bigint
  /** Executions whose money left the account, and those without a known price then. */
  departures: number
  unpricedDepartures: number
  volumeUsdCents: bigint
  /** Executions that paid a fee, and those whose fees had no known price. */
  charges: number
  unpricedCharges: number
  /** Sums in micro USD, because a fee can be less than a cent. Each fee is rounded once. */
  protocolFeeMicroUsd: bigint
  gasFeeMicroUsd: bigint
}

const emptyRow = (chainId: ChainId, token: Address): StatementRow => ({
  chainId,
  token,
  symbol: '',
  decimals: null,
  openingRaw: 0n,
  receivedRaw: 0n,
  returnedRaw: 0n,
  correctedRaw: 0n,
  protocolFeeRaw: 0n,
  gasFeeRaw: 0n,
  routedRaw: 0n,
  closingRaw: 0n,
  inProgressRaw: 0n,
  deliveredRaw: 0n,
  refundedRaw: 0n,
  deposits: 0,
  deliveries: 0,
  unpricedDeliveries: 0,
  deliveredUsdCents: 0n,
  refunds: 0,
  unpricedRefunds: 0,
  refundedUsdCents: 0n,
  departures: 0,
  unpricedDepartures: 0,
  volumeUsdCents: 0n,
  charges: 0,
  unpricedCharges: 0,
  protocolFeeMicroUsd: 0n,
  gasFeeMicroUsd: 0n,
})

/** Cents of a value with 8 decimals, rounded half up. Each value is rounded once, so that every sum is exact. */
export const centsOf = (valueUsd: bigint): bigint => (valueUsd + 500_000n) / 1_000_000n
export const microUsdOf = (valueUsd: bigint): bigint => (valueUsd + 50n) / 100n

const movements = { RECEIVED: 'receivedRaw', RETURNED: 'returnedRaw', CORRECTED: 'correctedRaw' } as const
const arrivals = { DELIVERED: 'deliveredRaw', REFUNDED: 'refundedRaw' } as const

const arrivalFields = { count: 'deliveries', unpriced: 'unpricedDeliveries', cents: 'deliveredUsdCents' } as const
const refundFields = { count: 'refunds', unpriced: 'unpricedRefunds', cents: 'refundedUsdCents' } as const
const departureFields = { count: 'departures', unpriced: 'unpricedDepartures', cents: 'volumeUsdCents' } as const

/** Counts what moved, with its value. A value that was unknown is in no sum. */
function countMoved(
  row: StatementRow,
  { count, unpriced, cents }: typeof arrivalFields | typeof refundFields | typeof departureFields,
  valueUsd: bigint | null,
): void {
  row[count] += 1
  if (valueUsd === null) row[unpriced] += 1
  else row[cents] += centsOf(valueUsd)
}

/** Counts the fees of an execution, with their value. */
function charge(row: StatementRow, feesUsd: FeesUsd | null): void {
  row.charges += 1
  if (feesUsd === null) row.unpricedCharges += 1
  else {
    row.protocolFeeMicroUsd += microUsdOf(feesUsd.protocolFee)
    row.gasFeeMicroUsd += microUsdOf(feesUsd.gasFee)
  }
}

const amountIn = (postings: LedgerEntry['postings'], account: LedgerAccount): bigint =>
  postings.find((posting) => posting.account === account)?.amountRaw ?? 0n
const heldIn = (postings: LedgerEntry['postings']): bigint => amountIn(postings, 'DEPOSIT_ACCOUNT')

/** Returns the execution whose intent decides the key of a deposit. */
const ownOf = (line: readonly LedgerRecord[]): LedgerRecord =>
  line.find(({ redriveOf }) => redriveOf === null) ?? line[0]!
const keyOf = (line: readonly LedgerRecord[]): string | undefined => ownOf(line).facts.intent?.apiKeyId

type Period = { from: number; to: number; apiKeyId?: string | undefined }

/**
 * Adds up the ledger of a period, per chain and token. `from` is inclusive and `to` exclusive. Only deposits that were
 * driven again wait in memory for their other executions.
 *
 * @param apiKeyId Adds up only the deposits whose first execution matched an intent of this key. That never changes, so
 * an entry of a closed month does not move to another key.
 */
export function statementOf({ from, to, apiKeyId }: Period) {
  const rows = new Map<string, StatementRow>()
  const lines = new Map<string, LedgerRecord[]>()
  const takenAt = new Map<string, number>()
  const taken = takenMoney(takenAt)
  let unfinishedDeposits = 0
  let unmatchedDeposits = 0

  function rowOf(chainId: ChainId, token: Address): StatementRow {
    const name = `${chainId}:${token.toLowerCase()}`
    const row = rows.get(name) ?? emptyRow(chainId, token)
    rows.set(name, row)
    return row
  }

  function post({ kind, at, chainId, token, postings, valueUsd, feesUsd }: LedgerEntry): void {
    if (at >= to) return
    const row = rowOf(chainId, token)
    const amountOn = (account: LedgerAccount): bigint => amountIn(postings, account)
    const held = heldIn(postings)
    row.closingRaw += held
    if (at < from) {
      row.openingRaw += held
      return
    }
    if (kind === 'SPENT') {
      const [protocolFee, gasFee] = [amountOn('PROTOCOL_FEE'), amountOn('GAS_FEE')]
      row.protocolFeeRaw += protocolFee
      row.gasFeeRaw += gasFee
      row.routedRaw += amountOn('PROVIDER')
      countMoved(row, departureFields, valueUsd)
      if (protocolFee + gasFee > 0n) charge(row, feesUsd)
    } else if (kind === 'DELIVERED' || kind === 'REFUNDED') {
      row[arrivals[kind]] -= amountOn('PROVIDER')
      countMoved(row, kind === 'DELIVERED' ? arrivalFields : refundFields, valueUsd)
    } else {
      row[movements[kind]] += held
      if (kind === 'RECEIVED') row.deposits += 1
    }
  }

  /** Whether a deposit belongs to the key. A deposit without an intent can still come to it. */
  function isOfKey(line: readonly LedgerRecord[]): boolean {
    if (apiKeyId === undefined) return true
    const { facts, completedAt, deposit } = ownOf(line)
    if (facts.intent === undefined && completedAt === null && deposit.detectedAt < to) unmatchedDeposits += 1
    return facts.intent?.apiKeyId === apiKeyId
  }

  function addLine(line: readonly LedgerRecord[]): void {
    if (apiKeyId !== undefined) taken.note(line)
    if (!isOfKey(line)) return
    for (const each of entriesOf(line)) post(each)
    const { chainId, token, symbol, decimals, detectedAt } = line[0]!.deposit
    if (detectedAt >= to) return
    if (detectedAt >= from && line.some(({ completedAt }) => completedAt === null)) unfinishedDeposits += 1
    const row = rowOf(chainId, token)
    row.symbol ||= symbol
    row.decimals ??= decimals
    row.inProgressRaw += openRawOf(line, to, takenAt)
  }

  return {
    /** Adds an execution. Each is added once, in any order. */
    add(record: LedgerRecord): void {
      const { spent } = record.facts
      if (spent && amountOf(spent.amountRaw) > amountOf(record.deposit.amountRaw)) takenAt.set(record.id, spent.at)
      if (record.redriveOf === null && record.redrivenBy === null) {
        addLine([record])
        return
      }
      const id = firstOf(record.id)
      const line = lines.get(id) ?? []
      line.push(record)
      lines.set(id, line)
    },
    /**
     * Call after the last `add`. Returns the rows by chain and token, the number of the period's unfinished deposits,
     * and the number of deposits without an intent, which any key can still get.
     */
    sums(): { rows: StatementRow[]; unfinishedDeposits: number; unmatchedDeposits: number } {
      for (const line of lines.values()) addLine(line)
      lines.clear()
      for (const each of taken.moved(apiKeyId)) post(each)
      const byName = (one: [string, StatementRow], other: [string, StatementRow]) => (one[0] < other[0] ? -1 : 1)
      const sorted = [...rows].toSorted((a, b) => a[1].chainId - b[1].chainId || byName(a, b))
      return { rows: sorted.map(([, row]) => row), unfinishedDeposits, unmatchedDeposits }
    },
  }
}

/**
 * Moves included leftovers from the key of their deposit to the key of the deposit that included them, at the time when
 * that deposit left.
 *
 * @param takenAt Departure of each execution that included other money.
 */
function takenMoney(takenAt: ReadonlyMap<string, number>) {
  const takingKeys = new Map<string, string | undefined>()
  let lines: (readonly LedgerRecord[])[] = []

  function entryOf(line: readonly LedgerRecord[], apiKeyId: string | undefined): LedgerEntry[] {
    const taker = line.find(({ takenBy }) => takingKeys.has(takenBy ?? ''))?.takenBy
    if (!taker) return []
    const [from, to] = [keyOf(line), takingKeys.get(taker)]
    const heldRaw = entriesOf(line).reduce((sum, { postings }) => sum + heldIn(postings), 0n)
    if (from === to || heldRaw <= 0n || (from !== apiKeyId && to !== apiKeyId)) return []
    const { id: executionId, deposit } = line[0]!
    const about = { kind: 'CORRECTED', executionId, at: takenAt.get(taker)!, valueUsd: null, feesUsd: null } as const
    const amountRaw = from === apiKeyId ? -heldRaw : heldRaw
    return [{ ...about, ...deposit, postings: [{ account: 'DEPOSIT_ACCOUNT', amountRaw }] }]
  }

  return {
    note(line: readonly LedgerRecord[]): void {
      for (const { id } of line) if (takenAt.has(id)) takingKeys.set(id, keyOf(line))
      if (line.some(({ takenBy }) => takenBy)) lines.push(line)
    },
    /** Returns the entries of a key, once every line was noted. A second call returns none. */
    moved(apiKeyId: string | undefined): LedgerEntry[] {
      const noted = lines
      lines = []
      return noted.flatMap((line) => entryOf(line, apiKeyId))
    },
  }
}

/** The fields of a statement that count something, and add up over its rows. */
export const statementCounts = [
  'deposits',
  'deliveries',
  'unpricedDeliveries',
  'refunds',
  'unpricedRefunds',
  'departures',
  'unpricedDepartures',
  'charges',
  'unpricedCharges',
] as const
