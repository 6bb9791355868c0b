import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { ErrorCode } from '../error'
import { amountOf, arrivedRawOf, type Measured, roundingOf, sumOf } from '../money/amount'
import { type Departure, type Deposit, type Execution, isOver, paidInMax } from './execution'
import { isLeftover, neverArrived } from './status'

/**
 * A lane decides which execution may move the money of one account, chain and token. A lane is never released: it is
 * free once the holder's money has left the account or never will.
 */
export type Lane = {
  id: string
  version: number
  holder: string | null
  /** From this block on, the balance includes every transfer of earlier holders. */
  clearFrom: number
}

export const laneId = (account: Address, chainId: ChainId, token: Address): string =>
  `${account}:${chainId}:${token}`.toLowerCase()

/**
 * Ledger of one lane: deposited and departed amounts according to its records, in atomic units. A deposit whose money
 * was not found counts as nothing. A re-drive routes its first execution's money, so the two count once. `finds` is the
 * number of deposits found by the balance sweep, in any state. `spends` are the single amounts of `spentRaw`. Amounts
 * up to the block `summedTo`, if set, are combined into one.
 */
export type LaneLedger = {
  broughtRaw: bigint
  spentRaw: bigint
  spends: Spend[]
  summedTo?: number
  finds: number
  lastBlock: number
}
export type Spend = { block: number; amountRaw: bigint }

/**
 * Totals of a lane's records that no longer change. The ledger need not read those records again. `lastBlock` is the
 * highest block that they name.
 */
export type LaneSum = { records: number; broughtRaw: bigint; spentRaw: bigint; finds: number; lastBlock: number }

type Verified = { totalReceivedRaw: string }

/** The part of a record that the lane's ledger needs. */
type Booked = Pick<Execution, 'id' | 'state' | 'redriveOf'> & {
  deposit: Pick<Deposit, 'block' | 'amountRaw' | 'txHash'>
  facts: { spent?: Pick<Departure, 'block' | 'amountRaw'>; balance?: Verified }
}

/** A deposit whose money was not found brought nothing. Money that lies in the account belongs to another deposit. */
const isThere = ({ state }: Pick<Booked, 'state'>): boolean => !neverArrived(state)
export const firstOf = (id: string): string => id.replace(/:r\d+$/, '')
/** The ids of a deposit's first execution and of the re-drives before this one. Empty for the first. */
export function lineBefore(id: string): string[] {
  const [first, n] = [firstOf(id), Number(/:r(\d+)$/.exec(id)?.[1] ?? 0)]
  return Array.from({ length: n }, (_, m) => (m === 0 ? first : `${first}:r${m}`))
}

const spendsOf = (records: readonly Booked[]): Spend[] =>
  records.flatMap(({ facts: { spent } }) =>
    spent ? [{ block: spent.block, amountRaw: amountOf(spent.amountRaw) }] : [],
  )
const lastOf = (blocks: readonly { block: number }[]): number =>
  blocks.reduce((last, { block }) => Math.max(last, block), 0)

/**
 * Returns the amount that a deposit and its re-drives brought. They share the same money, and no re-drive routes more
 * than the record before it.
 */
export const broughtBy = (line: readonly (Pick<Booked, 'state'> & Measured)[]): bigint =>
  line
    .filter(isThere)
    .map(arrivedRawOf)
    .reduce((a, b) => (a > b ? a : b), 0n)

/**
 * Adds up all records of a lane at a block, including ended ones. The result is the expected balance.
 *
 * @param summed Totals of lane records that are not in `records`; their `lastBlock` is not above `block`. `firsts` are
 * the summed records that some of `records` re-drive.
 */
export function laneLedger(
  records: readonly Booked[],
  block: number,
  summed?: { sum: LaneSum; firsts: readonly Booked[] },
): LaneLedger {
  const there = records.filter(({ deposit }) => deposit.block <= block)
  const deposits = there.filter(({ redriveOf }) => redriveOf === null)
  const redrives = records.filter(({ redriveOf }) => redriveOf !== null)
  const spends = spendsOf(records).filter((spend) => spend.block <= block)
  const firsts = new Map(summed?.firsts.map((first) => [first.id, first]))
  let broughtRaw = summed?.sum.broughtRaw ?? 0n
  for (const [id, line] of Map.groupBy(there, (record) => firstOf(record.id))) {
    const first = firsts.get(id)
    broughtRaw += first ? broughtBy([first, ...line]) - broughtBy([first]) : broughtBy(line)
  }
  const book = {
    broughtRaw,
    spentRaw: sumOf(spends.map(({ amountRaw }) => amountRaw)),
    spends: spends.toSorted((a, b) => a.block - b.block),
    finds: deposits.filter(({ deposit }) => deposit.txHash === null).length,
    // A re-drive newer than the block routes money that the balance at the block still shows. A measurement at that
    // block has to wait.
    lastBlock: lastOf([...[...deposits, ...redrives].map(({ deposit }) => deposit), ...spends]),
  }
  return summed ? withSum(book, summed.sum) : book
}

const withSum = (book: LaneLedger, { spentRaw, finds, lastBlock }: LaneSum): LaneLedger => ({
  ...book,
  spentRaw: spentRaw + book.spentRaw,
  spends: [{ block: lastBlock, amountRaw: spentRaw }, ...book.spends].toSorted((a, b) => a.block - b.block),
  summedTo: lastBlock,
  finds: finds + book.finds,
  lastBlock: Math.max(lastBlock, book.lastBlock),
})

/** Adds ended deposits to the totals. None of them is a re-drive. */
export function summedUp(sum: LaneSum, ended: readonly Booked[]): LaneSum {
  const spends = spendsOf(ended)
  return {
    records: sum.records + ended.length,
    broughtRaw: sum.broughtRaw + sumOf(ended.map((one) => broughtBy([one]))),
    spentRaw: sum.spentRaw + sumOf(spends.map(({ amountRaw }) => amountRaw)),
    finds: sum.finds + ended.filter(({ deposit }) => deposit.txHash === null).length,
    lastBlock: Math.max(sum.lastBlock, lastOf([...ended.map(({ deposit }) => deposit), ...spends])),
  }
}

export const emptySum: LaneSum = { records: 0, broughtRaw: 0n, spentRaw: 0n, finds: 0, lastBlock: 0 }

/**
 * Whether the record may enter the totals. Its part of the ledger must be final, no later deposit may include its
 * money, and no refund may still be matched to it.
 */
export const maySumUp = (record: Residue): boolean =>
  isOver(record) && !isResidue(record) && record.cause?.code !== 'FUNDS_RETURNED'

/** Why another record has the money now. Each reason has its own field, which is set once. */
export const supersedings = {
  redrivenBy: {
    event: 're-driven',
    message: 'Superseded: this money was re-driven. Follow execution {id}.',
  },
  continuedBy: {
    event: 'funds returned',
    message: 'Superseded: the bridge refunded this money, which is now a separate deposit. Follow execution {id}.',
  },
  takenBy: {
    event: 'taken along',
    message: 'Superseded: a later deposit of the same token included this money. Follow execution {id}.',
  },
} as const

export type SupersedingField = keyof typeof supersedings
export const supersedingFields = Object.keys(supersedings) as SupersedingField[]
/** The part of a record that names the record that has its money. A field is absent in records older than the field. */
type Superseded = { [Field in SupersedingField]?: string | null }
export type Successor = { id: string; by: SupersedingField }

/**
 * Returns the record that claims the money instead of this one, or null if this one does; this rule lives here only.
 * The field is set when the successor is stored, and never changes again (decision 44).
 */
export function successorOf(execution: Superseded): Successor | null {
  for (const by of supersedingFields) {
    const id = execution[by] ?? null
    if (id !== null) return { id, by }
  }
  return null
}

/**
 * Returns the superseding fields at the time when the history had `entries` entries. An event that the history has
 * dropped happened before all of them.
 */
export function supersededThen(execution: Execution, entries: number): Pick<Execution, SupersedingField> {
  const hasHappened = (by: SupersedingField): boolean => {
    const at = execution.history.findIndex(({ event }) => event === supersedings[by].event)
    return at < entries
  }
  const then = (by: SupersedingField) => (hasHappened(by) ? (execution[by] ?? null) : null)
  return { redrivenBy: then('redrivenBy'), continuedBy: then('continuedBy'), takenBy: then('takenBy') }
}

/** The part of a deposit that shows who paid it. */
export type PaidDeposit = Pick<
  Deposit,
  'chainId' | 'fromAddress' | 'senders' | 'txHash' | 'paidIn' | 'block' | 'amountRaw' | 'detectedAt'
>

/** The part of a record that shows whether its money might still be in the account after its end. */
export type Residue = Pick<Execution, 'id' | 'state' | 'completedAt' | 'redriveOf' | 'refundOf'> &
  Superseded & {
    deposit: Pick<Deposit, 'lane' | 'block' | 'amountRaw'> & PaidDeposit
    facts: { spent?: unknown; balance?: Verified; broughtBy?: string[] }
    cause?: { code: ErrorCode } | null
  }

/** Ends of money that went round in circles. The next deposit would send it round again. */
const circlingEnds: readonly ErrorCode[] = ['RETURNED_TOO_OFTEN', 'PASSED_ON_TOO_OFTEN']

/** Whether only a re-drive may move the money of a record, also once the re-drive has failed. */
export const isCircling = ({ cause }: Pick<Residue, 'cause'>): boolean =>
  Boolean(cause && circlingEnds.includes(cause.code))

export const isResidue = (record: Residue): boolean =>
  isLeftover(record.state) && record.facts.spent === undefined && successorOf(record) === null

/** Most ended records whose leftovers one deposit includes. Further leftovers wait for the next deposit. */
export const residueMax = 100

type ResidueAmount = Pick<Residue, 'id'> & Parameters<typeof arrivedRawOf>[0]

/**
 * Returns the ids of the records whose money fits into `beyondRaw`, in order. `beyondRaw` is the balance beyond the
 * taker's own deposit. A record still fits if only rounding is missing.
 */
export function idsThatFit(records: readonly ResidueAmount[], beyondRaw: bigint): string[] {
  let left = beyondRaw
  const ids: string[] = []
  for (const one of records) {
    const amountRaw = arrivedRawOf(one)
    if (amountRaw - roundingOf(amountRaw) > left) continue
    left -= amountRaw < left ? amountRaw : left
    ids.push(one.id)
  }
  return ids
}

/**
 * Returns the ids of the lane's ended records whose money has just left together with `taker`'s, if an older release
 * verified its balance and stored no ids. Times and amounts identify them.
 */
export function includedResidue(taker: Execution, spentRaw: bigint, records: readonly Residue[]): string[] {
  const { id, facts, history, redriveOf } = taker
  const there = records.filter((one) => isResidue(one) && one.id !== id && one.id !== redriveOf)
  const verifiedAt = history.findLast(({ event }) => event === 'balance verified')?.at ?? Number.POSITIVE_INFINITY
  const ended = there.filter(
    ({ deposit: { block }, completedAt }) => block <= (facts.balance?.block ?? 0) && completedAt! <= verifiedAt,
  )
  // A record that ended during the balance read was still reserved then. It comes last and no longer fits.
  const byEnd = ended.toSorted((a, b) => a.completedAt! - b.completedAt!)
  return idsThatFit(byEnd, spentRaw - arrivedRawOf(taker))
}

/** Largest delivery, in percent of the expected amount. */
const surplusPercent = 110n
/** Longest time between a delivery and the discovery of its balance without a transaction. */
const detectedWithinMs = 60 * 60_000

const hashesOf = ({ facts }: Execution) => {
  const { transactions = [], dropped = [], mint, spent, delivery } = facts
  const sent = [...transactions, ...dropped, ...(mint?.transactions ?? [])]
  return [...sent.map(({ hash }) => hash), spent?.hash, delivery?.hash]
}

type Brought = Pick<Deposit, 'txHash' | 'fromAddress' | 'paidIn' | 'block' | 'amountRaw' | 'detectedAt'>

/**
 * Every transaction that brought a deposit. Null if its balance was found and some of them may be missing. A single
 * sender is stored only if nodes explained the whole amount.
 */
function transactionsOf({ txHash, fromAddress, paidIn = [] }: Brought): Hash[] | null {
  if (txHash !== null) return [txHash]
  return fromAddress !== null && paidIn.length > 0 && paidIn.length < paidInMax ? paidIn : null
}

/**
 * Whether an execution that leads to a deposit's lane delivered the deposit. MAYBE: it is on its way there, and its
 * delivery cannot be identified yet.
 */
export function hasDelivered(before: Execution, brought: Brought): 'YES' | 'MAYBE' | 'NO' {
  const { facts, completedAt } = before
  const { delivery, order, route } = facts
  const { block, amountRaw, detectedAt } = brought
  const transactions = transactionsOf(brought)
  const amount = amountOf(amountRaw)
  if (transactions && hashesOf(before).some((hash) => hash !== undefined && transactions.includes(hash))) return 'YES'
  if (delivery && transactions === null) {
    const isNear = completedAt === null || Math.abs(detectedAt - completedAt) <= detectedWithinMs
    return isNear && delivery.block <= block && amountOf(delivery.amountRaw) <= amount ? 'YES' : 'NO'
  }
  if (delivery || completedAt !== null || !order || !route) return 'NO'
  const isLikely =
    amount >= amountOf(route.amountOutMin) && amount * 100n <= amountOf(route.amountOutExpected) * surplusPercent
  return isLikely ? 'MAYBE' : 'NO'
}
