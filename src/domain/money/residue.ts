import type { Deposit, Execution } from '../execution/execution'
import { amountOf } from './amount'
import { type Superseded, successorOf } from './superseded'

/** The part of a record that tells whether its money may still be in the account although it has ended. */
export type Residue = Pick<Execution, 'id' | 'state' | 'completedAt' | 'redriveOf'> &
  Superseded & { deposit: Pick<Deposit, 'lane' | 'block' | 'amountRaw'>; facts: { spent?: unknown } }

/**
 * A record that ended in one of these statuses leaves its money in the account, and the lane's next deposit takes it
 * along (decision 25).
 */
export const residueStatuses = [
  'DEAD_LETTER',
  'FAILED_UNROUTABLE_MAIN',
  'FAILED_INVALID_INPUT',
  'FAILED_INSUFFICIENT_AFTER_FEES',
  'QUOTA_EXCEEDED',
] as const
const leaves = new Set<string>(residueStatuses)

export const isResidue = (record: Residue): boolean =>
  leaves.has(record.state) && record.facts.spent === undefined && successorOf(record) === null

/** Returns the ids of the lane's ended records whose money has just left together with `taker`'s. */
export function takenAlong(taker: Execution, spentRaw: bigint, records: readonly Residue[]): string[] {
  const { id, deposit, facts, history, redriveOf } = taker
  const verifiedAt = history.findLast(({ event }) => event === 'balance verified')?.at ?? Number.POSITIVE_INFINITY
  const there = records.filter(
    (one) =>
      isResidue(one) &&
      one.id !== id &&
      one.id !== redriveOf &&
      one.deposit.block <= (facts.balance?.block ?? 0) &&
      one.completedAt! <= verifiedAt,
  )
  // A record that ended while the balance was being read was still reserved then. It comes last and no longer fits.
  let left = spentRaw - amountOf(deposit.amountRaw)
  const taken: string[] = []
  for (const one of there.toSorted((a, b) => a.completedAt! - b.completedAt!)) {
    const amountRaw = amountOf(one.deposit.amountRaw)
    if (amountRaw > left) continue
    left -= amountRaw
    taken.push(one.id)
  }
  return taken
}
