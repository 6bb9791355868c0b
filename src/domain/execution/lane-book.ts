import { amountOf, sumOf } from '../money/amount'
import type { Deposit, Execution, Spent } from './execution'

/**
 * What one lane's records say was brought and was taken away. A deposit whose money was not found brought nothing; a
 * re-drive routes what its first execution brought. `finds` counts what the balance sweep found, in whatever state.
 * `spends` are the single ones of `spentRaw`, lowest block first.
 */
export type LaneBook = {
  broughtRaw: bigint
  spentRaw: bigint
  spends: { block: number; amountRaw: bigint }[]
  finds: number
  lastBlock: number
}

/** As much of a record as its lane's book needs. */
export type Booked = Pick<Execution, 'id' | 'state' | 'redriveOf'> & {
  deposit: Pick<Deposit, 'block' | 'amountRaw' | 'txHash'>
  facts: { spent?: Pick<Spent, 'block' | 'amountRaw'> }
}

/** A deposit whose money was not found has brought nothing: what is there is somebody else's, and found as such. */
const isThere = ({ state }: Booked): boolean => state !== 'FAILED_NO_FUNDS'
const firstOf = ({ id }: Booked): string => id.replace(/:r\d+$/, '')

/** The whole of a lane, ended ones included, by a block: what the balance should be. */
export function laneBook(records: readonly Booked[], block: number): LaneBook {
  const there = records.filter(({ deposit }) => deposit.block <= block)
  const deposits = there.filter(({ redriveOf }) => redriveOf === null)
  const redrives = records.filter(({ redriveOf }) => redriveOf !== null)
  const spent = records.flatMap(({ facts }) => (facts.spent && facts.spent.block <= block ? [facts.spent] : []))
  const spends = spent.map(({ block: at, amountRaw }) => ({ block: at, amountRaw: amountOf(amountRaw) }))
  let broughtRaw = 0n
  // A deposit and its re-drives are one money: a re-drive is of no more than the one before it.
  for (const line of Map.groupBy(there.filter(isThere), firstOf).values())
    broughtRaw += line.map(({ deposit }) => amountOf(deposit.amountRaw)).reduce((a, b) => (a > b ? a : b))
  return {
    broughtRaw,
    spentRaw: sumOf(spends.map(({ amountRaw }) => amountRaw)),
    spends: spends.toSorted((a, b) => a.block - b.block),
    finds: deposits.filter(({ deposit }) => deposit.txHash === null).length,
    // A re-drive that is newer than the block has money that is read here: who measures by the block must wait.
    lastBlock: [...[...deposits, ...redrives].map(({ deposit }) => deposit), ...spent].reduce(
      (last, { block }) => Math.max(last, block),
      0,
    ),
  }
}
