import { type ChainId, chainOf } from '../chain/chain'
import { type ErrorCategory, errorCategories } from '../error'

export type RetryPolicy = { retriesMax: number; baseMs: number; factor: number; maxMs: number }

/** How often and how soon a failed attempt is repeated (decision 28). */
export const retry: RetryPolicy = { retriesMax: 10, baseMs: 2_000, factor: 2, maxMs: 5 * 60_000 }

export const mayRetry = (retryCount: number, category: ErrorCategory | null, { retriesMax } = retry): boolean =>
  category !== null && errorCategories[category].retryable && retryCount < retriesMax

/**
 * Returns how long to wait before the next attempt, in milliseconds, rounded up.
 *
 * @param jitter A random number in [0, 1). It decides half of the delay, so that executions which failed together are
 * not retried together.
 */
export const backoffMs = (retryCount: number, jitter: number, { baseMs, factor, maxMs } = retry): number =>
  Math.ceil((0.5 + jitter / 2) * Math.min(baseMs * factor ** retryCount, maxMs))

/**
 * What an execution waits for. BLOCK: later blocks. NODE: a node that can say reliably what the chain holds. SIGNER:
 * the process that signs. TOKEN: the issuer of the target token, who has stopped it.
 */
export type WaitReason =
  | 'INTENT'
  | 'LANE'
  | 'PAUSE'
  | 'BLOCK'
  | 'NODE'
  | 'GAS'
  | 'PROVIDER'
  | 'QUOTA'
  | 'BUDGET'
  | 'WORTH'
  | 'SIGNER'
  | 'TOKEN'

/**
 * Returns how long to wait before asking again about something that has already taken `elapsedMs`. The delay grows with
 * the elapsed time, up to an hour.
 */
export const pollMs = (elapsedMs: number, leastMs: number): number =>
  Math.min(Math.max(leastMs, Math.floor(elapsedMs / 20)), 60 * 60_000)

/** The longest wait that is reckoned, unless a confirmation takes half of it or more. */
const reckonedWaitMsLeast = 60_000

/**
 * Returns for how long nobody waits for a block's confirmation without looking again, in milliseconds. Whatever was
 * reckoned from what a node said may be wrong.
 */
export const reckonedWaitMsMax = (chainId: ChainId, confirmations: number): number =>
  Math.max(reckonedWaitMsLeast, 2 * confirmations * chainOf(chainId).blockSeconds * 1_000)

/**
 * What keeps us from learning what became of money in flight. LIMIT: the provider allows no more requests. AWAY: what
 * would tell does not answer as it should. PACE: it is asked ever less often, the longer it takes. `since` is when this
 * began, and `until` when it is asked next, as far as is known. Milliseconds since 1970.
 */
export type Hold = { of: WaitReason; why: 'LIMIT' | 'AWAY' | 'PACE'; since: number; until: number }

/** A new look ends a pause between looks, and not what keeps several of them from an answer. */
export const holdAfter = (before: Hold | undefined, next: Hold): Hold =>
  next.why !== 'PACE' && before?.why === next.why && before.of === next.of ? { ...next, since: before.since } : next

const holdShownMs = 60_000

/** Whether it lasts so long that people are told of it. */
export const isLongHold = (hold: Hold | undefined): hold is Hold =>
  hold !== undefined && hold.until - hold.since > holdShownMs

type Waiter = { facts: { waiting?: { for: WaitReason; since: number } } }

/**
 * Returns for how many milliseconds the execution has been waiting for this reason. The longer it waits, the less often
 * it asks.
 */
export const waitedMs = ({ facts: { waiting } }: Waiter, reason: WaitReason, now: () => number): number =>
  waiting?.for === reason ? now() - waiting.since : 0

/**
 * How soon an execution in a relayer's line looks for a slot by itself. It is woken when it is handed one, so this only
 * matters after that wake-up was lost.
 */
export const slotLookMs = 10_000

/** How soon somebody who waits for a pause to end looks again. */
export const pauseLookMs = 5_000

/** How soon somebody looks again who waits because others, who may not come, are before him in the quota. */
export const quotaLookMs = 1_000

/** An operator or a source of prices has to act first, and quotes cost providers something, so it is checked rarely. */
export const worthLookMs = 60_000
