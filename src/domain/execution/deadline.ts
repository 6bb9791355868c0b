import { blockSecondsOf, type ChainId } from '../chain/chain'
import type { Execution, Facts } from './execution'
import { isToBeMinted } from './mint'
import { boundMsOf, type OverdueKind } from './overdue'
import type { WaitReason } from './retry'
import { defaultPolicy } from './route'

/**
 * Kind of delay that each wait reason becomes if it lasts too long. Null means that the integrator decides how long it
 * takes.
 */
const waits: Record<WaitReason, OverdueKind | null> = {
  INTENT: null,
  LANE: 'LANE',
  PAUSE: 'PAUSE',
  BLOCK: 'BLOCK',
  NODE: 'NODE',
  GAS: 'GAS',
  PROVIDER: 'PROVIDER',
  QUOTA: 'QUOTA',
  BUDGET: 'BUDGET',
  WORTH: 'WORTH',
  SIGNER: 'SIGNER',
  TOKEN: 'TOKEN',
}

/** Time limit for waits that follow each other without progress, in milliseconds: that of the longest of them. */
const alternatingMs = boundMsOf('PROVIDER', null)

/** `since` is the start of the current state, and `by` is its expected end. Milliseconds since 1970. */
type Deadline = { kind: OverdueKind; since: number; by: number }

const after = (kind: OverdueKind, since: number): Deadline => ({ kind, since, by: since + boundMsOf(kind, null) })

/** Reasons that alternate would otherwise each restart their limits, and none would ever last too long. */
function ofWait(kind: OverdueKind, { since, from }: NonNullable<Facts['waiting']>): Deadline {
  const own = after(kind, since)
  return from !== undefined && from + alternatingMs < own.by ? { kind, since: from, by: from + alternatingMs } : own
}

/**
 * Returns when operators are alerted to an execution unless it moves. Returns null if it has ended or waits for an
 * intent.
 */
export function deadlineOf(record: Execution): Deadline | null {
  const { state, completedAt, dueAt, facts, history, cause } = record
  if (completedAt !== null) return null
  const { waiting, spent } = facts
  const last = history.at(-1)
  if (!waiting && cause?.code === 'UNEXPECTED' && last?.event === 'step failed') return after('BUG', last.at)
  if (state === 'RUNNING') {
    if (!spent) return after(waiting?.for === 'NODE' ? 'NODE' : 'SUBMITTED', enteredAt(record))
    const kind = !isToBeMinted(record) ? 'DELIVERY' : facts.mint ? 'MINT' : 'ATTESTATION'
    return { kind, since: spent.at, by: escalatedAt(record)! }
  }
  if (state === 'PENDING' && waiting?.for !== 'PAUSE') return after('PENDING', enteredAt(record))
  const kind = waiting && waits[waiting.for]
  if (waiting) return kind ? ofWait(kind, waiting) : null
  if (state === 'FAILED') return after('RETRY', dueAt ?? enteredAt(record))
  return after('ROUTING', enteredAt(record))
}

/**
 * Returns when a delivery is expected, from the route or from the provider's later estimate. Returns null before the
 * money has left.
 */
export function deliveryExpectedAt({ facts: { spent, route, delay } }: Pick<Execution, 'facts'>): number | null {
  if (!spent) return null
  return spent.at + Math.max(route?.expectedSeconds ?? 0, delay?.expectedSeconds ?? 0) * 1_000
}

/**
 * Returns when operators are alerted to a late delivery; null if nothing was sent. It is never before the provider's
 * current delivery estimate.
 */
export function escalatedAt(record: Pick<Execution, 'facts'>): number | null {
  const { facts } = record
  const submittedAt = facts.transactions?.[0]?.at ?? facts.spent?.at
  if (submittedAt === undefined) return null
  const { maxDurationSeconds } = facts.policy ?? defaultPolicy
  const by = submittedAt + maxDurationSeconds * 1_000
  return Math.max(by, deliveryExpectedAt(record) ?? by) + boundMsOf('DELIVERY', null)
}

/**
 * Returns when the execution entered its state. For a new record this is its due time, because its deposit might have
 * been detected long before.
 */
export function enteredAt({ state, history, deposit, dueAt, seq }: Execution): number {
  if (seq <= 1) return Math.max(deposit.detectedAt, dueAt ?? 0)
  const before = history.findLastIndex(({ to }) => to !== state)
  return history[before + 1]?.at ?? history.at(-1)?.at ?? deposit.detectedAt
}

/** Returns when an unconfirmed transfer should have become an execution. */
export function confirmingDeadline(chainId: ChainId, detectedAt: number, confirmations: number): Deadline {
  const expectedAt = confirmedAtBest(chainId, detectedAt, confirmations)
  return { kind: 'CONFIRMING', since: detectedAt, by: expectedAt + boundMsOf('CONFIRMING', chainId) }
}

export const confirmedAtBest = (chainId: ChainId, detectedAt: number, confirmations: number): number =>
  detectedAt + Math.ceil(confirmations * blockSecondsOf(chainId) * 1_000)
