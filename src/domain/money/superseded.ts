import type { Deposit, Execution } from '../execution/execution'
import { amountOf } from './amount'

/** Why another record has the money now. Each reason has a field of its own, which is set once. */
export const supersedings = {
  redrivenBy: {
    event: 're-driven',
    message: 'Superseded: this money was driven again. Follow execution {id}.',
  },
  continuedBy: {
    event: 'funds returned',
    message: 'Superseded: the bridge sent the money back, and it is a deposit of its own now. Follow execution {id}.',
  },
  takenBy: {
    event: 'taken along',
    message: 'Superseded: a later deposit of the same token took the money along. Follow execution {id}.',
  },
} as const

export type SupersedingField = keyof typeof supersedings
export const supersedingFields = Object.keys(supersedings) as SupersedingField[]
/**
 * The part of a record that tells which other record has its money. Records from before a field existed do not have it.
 */
type Superseded = { [Field in SupersedingField]?: string | null }
export type Successor = { id: string; by: SupersedingField }

/**
 * Returns which record claims the money instead of this one, or null when this one does; this rule lives here only. The
 * field is set when the successor is stored, and it never changes again (decision 44).
 */
export function successorOf(execution: Superseded): Successor | null {
  for (const by of supersedingFields) {
    const id = execution[by] ?? null
    if (id !== null) return { id, by }
  }
  return null
}

/**
 * Returns these fields as they were when the history had `entries` entries. An event that is no longer in the history
 * happened before all of them.
 */
export function supersededThen(execution: Execution, entries: number): Pick<Execution, SupersedingField> {
  const isKnown = (by: SupersedingField): boolean => {
    const at = execution.history.findIndex(({ event }) => event === supersedings[by].event)
    return at < entries
  }
  const then = (by: SupersedingField) => (isKnown(by) ? (execution[by] ?? null) : null)
  return { redrivenBy: then('redrivenBy'), continuedBy: then('continuedBy'), takenBy: then('takenBy') }
}

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
