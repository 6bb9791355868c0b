import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import { amountOf, sumOf } from '../money/amount'
import { isResidue, type Residue } from '../money/superseded'
import { type Deposit, type Execution, isOver, type Spent } from './execution'

/**
 * Who may move the money of one account, chain and token. A lane is never released: it is free once the holder's money
 * has left the account or never will.
 */
export type Lane = {
  id: string
  version: number
  holder: string | null
  /** From this block on, the balance reflects every transfer of earlier holders. */
  clearFrom: number
}

export const laneId = (account: Address, chainId: ChainId, token: Address): string =>
  `${account}:${chainId}:${token}`.toLowerCase()

/**
 * What the records of one lane say was deposited and what has left, in atomic units. A deposit whose money was not
 * found counts as nothing. A re-drive routes what its first execution brought, so the two count once. `finds` is the
 * number of deposits that the balance sweep found, in whatever state they are. `spends` are the single amounts of
 * `spentRaw`; up to the block `summedTo`, where there is one, they are one amount.
 */
export type LaneBook = {
  broughtRaw: bigint
  spentRaw: bigint
  spends: Spend[]
  summedTo?: number
  finds: number
  lastBlock: number
}
export type Spend = { block: number; amountRaw: bigint }

/**
 * What those records of a lane add up to that no longer change, so that the book need not read them again. `lastBlock`
 * is the highest block that they name.
 */
export type LaneSum = { records: number; broughtRaw: bigint; spentRaw: bigint; finds: number; lastBlock: number }

/** The part of a record that the lane's book needs. */
type Booked = Pick<Execution, 'id' | 'state' | 'redriveOf'> & {
  deposit: Pick<Deposit, 'block' | 'amountRaw' | 'txHash'>
  facts: { spent?: Pick<Spent, 'block' | 'amountRaw'> }
}

/** A deposit whose money was not found brought nothing. Money that lies in the account belongs to another deposit. */
const isThere = ({ state }: Booked): boolean => state !== 'FAILED_NO_FUNDS'
export const firstOf = (id: string): string => id.replace(/:r\d+$/, '')

const spendsOf = (records: readonly Booked[]): Spend[] =>
  records.flatMap(({ facts: { spent } }) =>
    spent ? [{ block: spent.block, amountRaw: amountOf(spent.amountRaw) }] : [],
  )
const lastOf = (blocks: readonly { block: number }[]): number =>
  blocks.reduce((last, { block }) => Math.max(last, block), 0)

/** A deposit and its re-drives are about the same money. A re-drive never routes more than the one before it. */
const broughtBy = (line: readonly Booked[]): bigint =>
  line
    .filter(isThere)
    .map(({ deposit }) => amountOf(deposit.amountRaw))
    .reduce((a, b) => (a > b ? a : b), 0n)

/**
 * Adds up all records of a lane, including those that have ended, at a block: this is what the balance should be.
 *
 * @param summed what some of the lane's records add up to, none of which is among `records`; its `lastBlock` is not
 * above `block`. `firsts` are those among them that were re-driven by some of `records`.
 */
export function laneBook(
  records: readonly Booked[],
  block: number,
  summed?: { sum: LaneSum; firsts: readonly Booked[] },
): LaneBook {
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
    // A re-drive that is newer than the block routes money that the balance at the block still shows. Whoever measures
    // at that block has to wait.
    lastBlock: lastOf([...[...deposits, ...redrives].map(({ deposit }) => deposit), ...spends]),
  }
  return summed ? withSum(book, summed.sum) : book
}

const withSum = (book: LaneBook, { spentRaw, finds, lastBlock }: LaneSum): LaneBook => ({
  ...book,
  spentRaw: spentRaw + book.spentRaw,
  spends: [{ block: lastBlock, amountRaw: spentRaw }, ...book.spends].toSorted((a, b) => a.block - b.block),
  summedTo: lastBlock,
  finds: finds + book.finds,
  lastBlock: Math.max(lastBlock, book.lastBlock),
})

/** Adds deposits that have ended to the sum. None of them is a re-drive. */
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
 * Whether the record may be summed up: what the book says of it never changes, no later deposit takes its money along,
 * and no money that comes back is looked for at it.
 */
export const maySumUp = (record: Residue & Pick<Execution, 'cause'>): boolean =>
  isOver(record) && !isResidue(record) && record.cause?.code !== 'FUNDS_RETURNED'
