import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import type { Deposit, Execution, Facts } from '../execution/execution'
import { firstOf } from '../execution/lane'
import { neverCame } from '../execution/status'
import { isGivenBack } from '../seals'
import { amountOf } from './amount'
import { arrivedRawOf } from './rounding'

/** Where money is. The deposit accounts are ours to explain; the others are the outside world. */
const ledgerAccounts = [
  'SENDER',
  'DEPOSIT_ACCOUNT',
  'PROTOCOL_FEE',
  'GAS_FEE',
  'PROVIDER',
  'RECIPIENT',
  'REFUND_ADDRESS',
] as const
type LedgerAccount = (typeof ledgerAccounts)[number]

/** Why money moved. `CORRECTED`: a deposit that was not there after all, or that rounding made smaller. */
type EntryKind = 'RECEIVED' | 'RETURNED' | 'CORRECTED' | 'SPENT' | 'DELIVERED' | 'REFUNDED'

/** One movement of one token on one chain, in double entry: the postings add up to zero. */
type LedgerEntry = {
  kind: EntryKind
  executionId: string
  at: number
  chainId: ChainId
  token: Address
  postings: readonly { account: LedgerAccount; amountRaw: bigint }[]
  /** Value of a delivery when it was delivered, in USD with 8 decimals; null if unknown. */
  valueUsd: bigint | null
}

/** The part of an execution that the ledger reads. */
export type LedgerRecord = Pick<
  Execution,
  'id' | 'status' | 'createdAt' | 'completedAt' | 'redriveOf' | 'redrivenBy' | 'refundOf'
> & {
  deposit: Pick<Deposit, 'chainId' | 'token' | 'amountRaw' | 'detectedAt' | 'symbol' | 'decimals'>
  facts: Pick<Facts, 'spent' | 'fees' | 'delivery' | 'intent' | 'balance'>
}

/** A change of what one record says that its deposit brought. */
type Brought = { at: number; record: string; amountRaw: bigint }

const startOf = ({ redriveOf, createdAt, deposit: { detectedAt } }: LedgerRecord): number =>
  redriveOf === null ? detectedAt : Math.max(createdAt ?? detectedAt, detectedAt)

function broughtOf(record: LedgerRecord): Brought[] {
  const { id, status, deposit, facts, completedAt } = record
  const start: Brought = { at: startOf(record), record: id, amountRaw: amountOf(deposit.amountRaw) }
  const settledAt = facts.spent?.at ?? completedAt
  if (settledAt === null) return [start]
  const isMissing = facts.spent === undefined && status !== null && neverCame(status)
  const amountRaw = isMissing ? 0n : arrivedRawOf(record)
  return [start, { at: Math.max(settledAt, start.at), record: id, amountRaw }]
}

/**
 * Returns the entries of a deposit: of its first execution and its re-drives, which share the same money. They follow
 * from stored facts and times alone, so an entry of a closed month does not change. A re-drive whose first execution
 * does not name it yet comes alone, and brought nothing: its first execution did.
 */
export function entriesOf(line: readonly LedgerRecord[]): LedgerEntry[] {
  const first = line.find(({ redriveOf }) => redriveOf === null)
  return [...(first ? receivedBy(line, first) : []), ...line.flatMap(leftBy)]
}

function receivedBy(line: readonly LedgerRecord[], { id, deposit, refundOf }: LedgerRecord): LedgerEntry[] {
  const { chainId, token } = deposit
  const now = new Map<string, bigint>()
  let broughtRaw = 0n
  const entries: LedgerEntry[] = []
  for (const { at, record, amountRaw } of line.flatMap(broughtOf).toSorted((one, other) => one.at - other.at)) {
    now.set(record, amountRaw)
    // No re-drive routes more than the record before it, and all of them route the same money.
    const mostRaw = [...now.values()].reduce((a, b) => (a > b ? a : b), 0n)
    const moreRaw = mostRaw - broughtRaw
    broughtRaw = mostRaw
    if (moreRaw === 0n) continue
    const isFirst = entries.length === 0
    const kind = !isFirst ? 'CORRECTED' : refundOf === null ? 'RECEIVED' : 'RETURNED'
    const from = refundOf === null ? 'SENDER' : 'PROVIDER'
    entries.push(entry({ kind, executionId: id, at, chainId, token }, [from, -moreRaw], ['DEPOSIT_ACCOUNT', moreRaw]))
  }
  return entries
}

function leftBy(record: LedgerRecord): LedgerEntry[] {
  const { id: executionId, deposit, facts, completedAt } = record
  const { spent, fees, delivery } = facts
  if (!spent) return []
  const spentRaw = amountOf(spent.amountRaw)
  const [protocolFee, gasFee] = [fees?.protocolFeeEffective, fees?.gasFeeRaw].map((raw) => amountOf(raw ?? '0'))
  const routedRaw = spentRaw - protocolFee! - gasFee!
  const { chainId, token } = deposit
  const left = entry(
    { kind: 'SPENT', executionId, at: spent.at, chainId, token },
    ['DEPOSIT_ACCOUNT', -spentRaw],
    ['PROTOCOL_FEE', protocolFee!],
    ['GAS_FEE', gasFee!],
    ['PROVIDER', routedRaw],
  )
  if (!delivery || completedAt === null) return [left]
  const isBack = isGivenBack(record as never)
  const arrivedRaw = amountOf(delivery.amountRaw)
  const about = { executionId, at: completedAt, chainId: delivery.chainId, token: delivery.token }
  const valueUsd = delivery.valueUsd === undefined ? null : BigInt(delivery.valueUsd)
  const arrived = entry(
    { kind: isBack ? 'REFUNDED' : 'DELIVERED', ...about },
    ['PROVIDER', -arrivedRaw],
    [isBack ? 'REFUND_ADDRESS' : 'RECIPIENT', arrivedRaw],
  )
  return [left, { ...arrived, valueUsd }]
}

const entry = (
  about: Omit<LedgerEntry, 'postings' | 'valueUsd'>,
  ...postings: [LedgerAccount, bigint][]
): LedgerEntry => ({
  ...about,
  postings: postings.map(([account, amountRaw]) => ({ account, amountRaw })),
  valueUsd: null,
})

/** Returns the amount of a line that an unfinished execution holds in the account at a time. */
function openRawOf(line: readonly LedgerRecord[], at: number): bigint {
  const isOpen = (record: LedgerRecord): boolean => {
    const settledAt = record.facts.spent?.at ?? record.completedAt
    return startOf(record) < at && (settledAt === null || settledAt >= at)
  }
  const amounts = line.filter(isOpen).map(({ deposit }) => amountOf(deposit.amountRaw))
  return amounts.reduce((a, b) => (a > b ? a : b), 0n)
}

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
})

/** Cents of a value with 8 decimals, rounded half up. Each delivery is rounded once, so that every sum is exact. */
const centsOf = (valueUsd: bigint): bigint => (valueUsd + 500_000n) / 1_000_000n

const movements = { RECEIVED: 'receivedRaw', RETURNED: 'returnedRaw', CORRECTED: 'correctedRaw' } as const
const arrivals = { DELIVERED: 'deliveredRaw', REFUNDED: 'refundedRaw' } as const

/**
 * Adds up the ledger of a period, per chain and token. `from` is inclusive and `to` exclusive. Only deposits that were
 * driven again wait in memory for their other executions.
 */
export function statementOf(from: number, to: number) {
  const rows = new Map<string, StatementRow>()
  const lines = new Map<string, LedgerRecord[]>()
  let unfinishedDeposits = 0

  function rowOf(chainId: ChainId, token: Address): StatementRow {
    const name = `${chainId}:${token.toLowerCase()}`
    const row = rows.get(name) ?? emptyRow(chainId, token)
    rows.set(name, row)
    return row
  }

  function post({ kind, at, chainId, token, postings, valueUsd }: LedgerEntry): void {
    if (at >= to) return
    const row = rowOf(chainId, token)
    const amountOn = (account: LedgerAccount): bigint =>
      postings.find((posting) => posting.account === account)?.amountRaw ?? 0n
    const held = amountOn('DEPOSIT_ACCOUNT')
    row.closingRaw += held
    if (at < from) {
      row.openingRaw += held
      return
    }
    if (kind === 'SPENT') {
      row.protocolFeeRaw += amountOn('PROTOCOL_FEE')
      row.gasFeeRaw += amountOn('GAS_FEE')
      row.routedRaw += amountOn('PROVIDER')
    } else if (kind === 'DELIVERED' || kind === 'REFUNDED') {
      row[arrivals[kind]] -= amountOn('PROVIDER')
      if (kind === 'REFUNDED') return
      row.deliveries += 1
      if (valueUsd === null) row.unpricedDeliveries += 1
      else row.deliveredUsdCents += centsOf(valueUsd)
    } else {
      row[movements[kind]] += held
      if (kind === 'RECEIVED') row.deposits += 1
    }
  }

  function addLine(line: readonly LedgerRecord[]): void {
    for (const each of entriesOf(line)) post(each)
    const { chainId, token, symbol, decimals, detectedAt } = line[0]!.deposit
    if (detectedAt >= to) return
    if (detectedAt >= from && line.some(({ completedAt }) => completedAt === null)) unfinishedDeposits += 1
    const row = rowOf(chainId, token)
    row.symbol ||= symbol
    row.decimals ??= decimals
    row.inProgressRaw += openRawOf(line, to)
  }

  return {
    /** Adds an execution. Each is added once, in any order. */
    add(record: LedgerRecord): void {
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
     * Returns the rows by chain and token, once every execution has been added, and the number of the period's deposits
     * that have not ended by now.
     */
    sums(): { rows: StatementRow[]; unfinishedDeposits: number } {
      for (const line of lines.values()) addLine(line)
      lines.clear()
      const byName = (one: [string, StatementRow], other: [string, StatementRow]) => (one[0] < other[0] ? -1 : 1)
      const sorted = [...rows].toSorted((a, b) => a[1].chainId - b[1].chainId || byName(a, b))
      return { rows: sorted.map(([, row]) => row), unfinishedDeposits }
    },
  }
}
