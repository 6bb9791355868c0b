import { blockSecondsOf, type ChainId } from '../chain/chain'
import type { Execution } from './execution'
import { isToBeMinted } from './mint'
import { boundMsOf, type OverdueKind } from './overdue'
import type { Wait, Waiting, WaitReason } from './retry'
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

/** `since` is the start of the current state, and `by` is its expected end. Milliseconds since 1970. */
type Deadline = { kind: OverdueKind; since: number; by: number }

const after = (kind: OverdueKind, since: number): Deadline => ({ kind, since, by: since + boundMsOf(kind, null) })

function ofWait({ for: reason, since }: Wait): Deadline | null {
  const kind = waits[reason]
  return kind && after(kind, since)
}

/**
 * Returns the wait that follows an earlier one without progress. Reasons that take turns would otherwise each restart
 * their limits, and none would ever last too long. A wait for an intent restarts, because it has no limit.
 */
export function waitAfter(before: Waiting | undefined, reason: WaitReason, at: number): Waiting {
  if (before?.for === reason) return before
  const wait = { for: reason, since: at }
  if (!before) return wait
  const series = before.series ?? before
  const longer = { ...series, for: reason }
  const [limit, other] = [ofWait(series), ofWait(longer)]
  if (!limit || !other) return wait
  return { ...wait, series: limit.by < other.by ? longer : series }
}

/**
 * Returns when operators are alerted to an execution unless it moves. Returns null if it has ended or waits for an
 * intent.
 */
export function deadlineOf(record: Execution): Deadline | null {
  const { state, completedAt, facts } = record
  const own = deadlineOfAttempt(record)
  const isSettled = completedAt !== null || own?.kind === 'BUG' || (facts.spent && state === 'RUNNING')
  return isSettled ? own : sooner(own, ofOrders(record))
}

/** Returns the deadline of the current attempt alone, without the orders that came to nothing before it. */
export function deadlineOfAttempt(record: Execution): Deadline | null {
  const { state, completedAt, facts, history, cause } = record
  if (completedAt !== null) return null
  const { waiting, spent } = facts
  const last = history.at(-1)
  if (!waiting && cause?.code === 'UNEXPECTED' && last?.event === 'step failed') return after('BUG', last.at)
  if (spent && state === 'RUNNING') {
    const kind = !isToBeMinted(record) ? 'DELIVERY' : facts.mint ? 'MINT' : 'ATTESTATION'
    return { kind, since: spent.at, by: escalatedAt(record)! }
  }
  return ofState(record)
}

/** Returns the deadline of the current state or wait. */
function ofState(record: Execution): Deadline | null {
  const { state, dueAt, facts } = record
  const { waiting } = facts
  if (state === 'RUNNING') return after(waiting?.for === 'NODE' ? 'NODE' : 'SUBMITTED', enteredAt(record))
  if (state === 'PENDING' && waiting?.for !== 'PAUSE') return after('PENDING', enteredAt(record))
  if (waiting) return sooner(ofWait(waiting), waiting.series ? ofWait(waiting.series) : null)
  if (state === 'FAILED') return after('RETRY', dueAt ?? enteredAt(record))
  return after('ROUTING', enteredAt(record))
}

/**
 * Returns the deadline of orders that came to nothing, counted as one wait from the first of them since the last pause
 * ended. Each new order would otherwise restart the limits, and an execution whose orders lapse or expire would never
 * be late. While it is paused, or waits for something with a longer limit, that limit applies.
 */
function ofOrders({ state, facts, history }: Execution): Deadline | null {
  const resumed = history.slice(history.findLastIndex(({ event }) => event === 'resumed') + 1)
  const first = resumed.findIndex(({ event }) => event === 'order signed')
  const since = resumed.slice(first)
  const has = (...events: string[]) => since.some(({ event }) => events.includes(event))
  if (first < 0 || !has('order expired', 'order failed')) return null
  const { waiting, dropped } = facts
  const { at } = since[0]!
  const isSent = dropped !== undefined || state === 'RUNNING'
  const orders = after(has('paused') ? 'PAUSE' : isSent ? 'SUBMITTED' : 'PENDING', at)
  const wait = waiting && ofWait({ ...(waiting.series ?? waiting), since: at })
  return { ...orders, by: Math.max(orders.by, wait?.by ?? 0) }
}

const sooner = (one: Deadline | null, other: Deadline | null): Deadline | null =>
  one && other && other.by < one.by ? other : one

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
