import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import { amountOf, sumOf } from '../money/amount'
import type { Deposit, Execution, Spent } from './execution'

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
 * `spentRaw`.
 */
export type LaneBook = {
  broughtRaw: bigint
  spentRaw: bigint
  spends: { block: number; amountRaw: bigint }[]
  finds: number
  lastBlock: number
}

/** The part of a record that the lane's book needs. */
type Booked = Pick<Execution, 'id' | 'state' | 'redriveOf'> & {
  deposit: Pick<Deposit, 'block' | 'amountRaw' | 'txHash'>
  facts: { spent?: Pick<Spent, 'block' | 'amountRaw'> }
}

/** A deposit whose money was not found brought nothing. Money that lies in the account belongs to another deposit. */
const isThere = ({ state }: Booked): boolean => state !== 'FAILED_NO_FUNDS'
const firstOf = ({ id }: Booked): string => id.replace(/:r\d+$/, '')

/** Adds up all records of a lane, including those that have ended, at a block: this is what the balance should be. */
export function laneBook(records: readonly Booked[], block: number): LaneBook {
  const there = records.filter(({ deposit }) => deposit.block <= block)
  const deposits = there.filter(({ redriveOf }) => redriveOf === null)
  const redrives = records.filter(({ redriveOf }) => redriveOf !== null)
  const spent = records.flatMap(({ facts }) => (facts.spent && facts.spent.block <= block ? [facts.spent] : []))
  const spends = spent.map(({ block: at, amountRaw }) => ({ block: at, amountRaw: amountOf(amountRaw) }))
  let broughtRaw = 0n
  // A deposit and its re-drives are about the same money. A re-drive never routes more than the one before it.
  for (const line of Map.groupBy(there.filter(isThere), firstOf).values())
    broughtRaw += line.map(({ deposit }) => amountOf(deposit.amountRaw)).reduce((a, b) => (a > b ? a : b))
  return {
    broughtRaw,
    spentRaw: sumOf(spends.map(({ amountRaw }) => amountRaw)),
    spends: spends.toSorted((a, b) => a.block - b.block),
    finds: deposits.filter(({ deposit }) => deposit.txHash === null).length,
    // A re-drive that is newer than the block routes money that the balance at the block still shows. Whoever measures
    // at that block has to wait.
    lastBlock: [...[...deposits, ...redrives].map(({ deposit }) => deposit), ...spent].reduce(
      (last, { block }) => Math.max(last, block),
      0,
    ),
  }
}
