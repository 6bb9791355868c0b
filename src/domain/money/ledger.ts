import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import type { Deposit, Execution, Facts, HistoryEntry } from '../execution/execution'
import { neverArrived } from '../execution/status'
import { isOperatorRefund } from '../seals'
import { amountOf, arrivedRawOf } from './amount'

/** Where money is. The deposit accounts are ours to explain; the others are the outside world. */
export const ledgerAccounts = [
  'SENDER',
  'DEPOSIT_ACCOUNT',
  'PROTOCOL_FEE',
  'GAS_FEE',
  'PROVIDER',
  'RECIPIENT',
  'REFUND_ADDRESS',
] as const
export type LedgerAccount = (typeof ledgerAccounts)[number]

/** Why money moved. `CORRECTED`: a deposit that was not there after all, or that rounding made smaller. */
export const entryKinds = ['RECEIVED', 'RETURNED', 'CORRECTED', 'SPENT', 'DELIVERED', 'REFUNDED'] as const
type EntryKind = (typeof entryKinds)[number]

/** One movement of one token on one chain, in double entry: the postings add up to zero. */
export type LedgerEntry = {
  kind: EntryKind
  executionId: string
  at: number
  chainId: ChainId
  token: Address
  postings: readonly { account: LedgerAccount; amountRaw: bigint }[]
  /** Value of what left an account, or arrived, at that time, in USD with 8 decimals; null if unknown. */
  valueUsd: bigint | null
  /** Value of the fees when they were collected, in USD with 8 decimals; null if unknown or without a fee. */
  feesUsd: FeesUsd | null
}

export type FeesUsd = { protocolFee: bigint; gasFee: bigint }

/** The part of an execution that the ledger reads. */
export type LedgerRecord = Pick<
  Execution,
  'id' | 'status' | 'createdAt' | 'completedAt' | 'redriveOf' | 'redrivenBy' | 'refundOf' | 'takenBy'
> & {
  deposit: Pick<Deposit, 'chainId' | 'token' | 'amountRaw' | 'detectedAt' | 'symbol' | 'decimals'>
  facts: Pick<Facts, 'spent' | 'fees' | 'delivery' | 'intent' | 'balance'>
  /** Its first entry at least. */
  history: readonly Pick<HistoryEntry, 'at'>[]
}

/** Amount that one record attributes to its deposit from a time on. */
type LaneArrival = { at: number; record: string; amountRaw: bigint }

/** A re-drive starts when it was requested, even if it first appears in a later month. */
const startOf = ({ redriveOf, createdAt, history, deposit: { detectedAt } }: LedgerRecord): number =>
  redriveOf === null ? detectedAt : Math.max(detectedAt, Math.min(createdAt ?? history[0]!.at, history[0]!.at))

function broughtOf(record: LedgerRecord): LaneArrival[] {
  const { id, status, deposit, facts, completedAt } = record
  const start: LaneArrival = { at: startOf(record), record: id, amountRaw: amountOf(deposit.amountRaw) }
  const settledAt = facts.spent?.at ?? completedAt
  if (settledAt === null) return [start]
  const isMissing = facts.spent === undefined && status !== null && neverArrived(status)
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
  const collected = entry(
    { kind: 'SPENT', executionId, at: spent.at, chainId, token },
    ['DEPOSIT_ACCOUNT', -spentRaw],
    ['PROTOCOL_FEE', protocolFee!],
    ['GAS_FEE', gasFee!],
    ['PROVIDER', routedRaw],
  )
  const feesUsd = protocolFee! + gasFee! > 0n ? feesUsdOf(spent) : null
  const left = { ...collected, valueUsd: valueUsdOf(spent), feesUsd }
  if (!delivery || completedAt === null) return [left]
  const isBack = isOperatorRefund(record as never)
  const arrivedRaw = amountOf(delivery.amountRaw)
  const about = { executionId, at: completedAt, chainId: delivery.chainId, token: delivery.token }
  const arrived = entry(
    { kind: isBack ? 'REFUNDED' : 'DELIVERED', ...about },
    ['PROVIDER', -arrivedRaw],
    [isBack ? 'REFUND_ADDRESS' : 'RECIPIENT', arrivedRaw],
  )
  return [left, { ...arrived, valueUsd: valueUsdOf(delivery) }]
}

const valueUsdOf = ({ valueUsd }: { valueUsd?: string }): bigint | null =>
  valueUsd === undefined ? null : BigInt(valueUsd)

const feesUsdOf = ({ feesUsd }: NonNullable<Facts['spent']>): FeesUsd | null =>
  feesUsd ? { protocolFee: BigInt(feesUsd.protocolFee), gasFee: BigInt(feesUsd.gasFee) } : null

const entry = (
  about: Omit<LedgerEntry, 'postings' | 'valueUsd' | 'feesUsd'>,
  ...postings: [LedgerAccount, bigint][]
): LedgerEntry => ({
  ...about,
  postings: postings.map(([account, amountRaw]) => ({ account, amountRaw })),
  valueUsd: null,
  feesUsd: null,
})

/**
 * Returns how much of a line an unfinished execution held in the account at a time.
 *
 * @param takenAt Departure time of each execution that included other deposits' money.
 */
export function openRawOf(line: readonly LedgerRecord[], at: number, takenAt?: ReadonlyMap<string, number>): bigint {
  const isOpen = (record: LedgerRecord): boolean => {
    const endedAt = record.facts.spent?.at ?? record.completedAt ?? at
    return startOf(record) < at && Math.min(endedAt, takenAt?.get(record.takenBy ?? '') ?? at) >= at
  }
  const amounts = line.filter(isOpen).map(({ deposit }) => amountOf(deposit.amountRaw))
  return amounts.reduce((a, b) => (a > b ? a : b), 0n)
}
