import { type ChainId, chainOf } from '../chain/chain'
import { type ErrorCategory, type ErrorCode, errorCategories, errorRow } from '../error'

export type RetryPolicy = {
  retriesMax: number
  baseMs: number
  factor: number
  maxMs: number
  /** Longest delay after a failure that uses a retry. */
  providerMaxMs: number
}

/** Number of repetitions of a failed attempt, and the delays between them (decision 28). */
export const retry: RetryPolicy = {
  retriesMax: 10,
  baseMs: 2_000,
  factor: 2,
  maxMs: 5 * 60_000,
  providerMaxMs: 90 * 60_000,
}

export const mayRetry = (retryCount: number, category: ErrorCategory | null, { retriesMax } = retry): boolean =>
  category !== null && errorCategories[category].retryable && retryCount < retriesMax

/**
 * Returns the delay before the next attempt, in milliseconds, rounded up.
 *
 * @param jitter A random number in [0, 1). It decides half of the delay, so executions that failed together are not
 * retried together.
 */
export const backoffMs = (retryCount: number, jitter: number, { baseMs, factor, maxMs } = retry): number =>
  Math.ceil((0.5 + jitter / 2) * Math.min(baseMs * factor ** retryCount, maxMs))

export const providerFactor = 5

/** The failures of a provider. */
export const providerCodes: readonly ErrorCode[] = [
  'PROVIDER_UNREACHABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_FAILED',
  'PROVIDER_MALFORMED',
]

/** Whether a provider failed. It may do so for one pair of tokens for hours, while it is well for all others. */
export const isOfProvider = (code: ErrorCode): boolean => providerCodes.includes(code)

/**
 * Whether a failure uses one of the deposit's retries. Its cause is never the deposit itself, but a provider, or a
 * chain that did not mine an order in time.
 */
export function usesRetry(code: ErrorCode): boolean {
  const { category, spendsRetry } = errorRow(code)
  return spendsRetry && category !== null && errorCategories[category].retryable
}

/**
 * Returns the delay after a failure that uses a retry. Ten of them span at least six hours, so an outage of one pair of
 * tokens or of one chain ends no deposit. None exceeds 90 minutes, so a deposit is late by no more once the outage is
 * over. A provider's answer to another deposit of the pair ends the delay early.
 */
export const retryBackoffMs = (retryCount: number, jitter: number, { baseMs, providerMaxMs } = retry): number =>
  Math.ceil((0.8 + jitter / 5) * Math.min(baseMs * providerFactor ** retryCount, providerMaxMs))

/**
 * What an execution waits for. BLOCK: later blocks. NODE: a node that reports the chain's state reliably. SIGNER: the
 * process that signs. TOKEN: the issuer of the deposited or the target token, who has stopped it.
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

/** Wait reason, and its start in milliseconds since 1970. */
export type Wait = { for: WaitReason; since: number }

/**
 * The current wait. The longer it lasts, the less often the execution polls. `series`: all waits since the last
 * progress, counted as one wait whose reason has the longest limit.
 */
export type Waiting = Wait & { series?: Wait }

/**
 * Returns the poll interval for a wait that has already lasted `elapsedMs`. The interval grows with that time, up to an
 * hour.
 */
export const pollMs = (elapsedMs: number, leastMs: number): number =>
  Math.min(Math.max(leastMs, Math.floor(elapsedMs / 20)), 60 * 60_000)

const providerPollMsMost = 5 * 60_000

/**
 * Returns the poll interval of a deposit that waits for a provider. Deposits that began to wait together do not return
 * together, and none is late by more than minutes after a day's outage.
 */
export const providerPollMs = (elapsedMs: number, leastMs: number, jitter: number): number =>
  Math.ceil(Math.min(pollMs(elapsedMs, leastMs), Math.max(providerPollMsMost, leastMs)) * (1 + jitter / 10))

/** Longest estimated wait, unless a confirmation takes half of it or more. */
const reckonedWaitMsLeast = 60_000

/**
 * Returns the longest wait between two checks of a block's confirmation, in milliseconds. It is capped because an
 * estimate from node data might be wrong.
 */
export const reckonedWaitMsMax = (chainId: ChainId, confirmations: number): number =>
  Math.max(reckonedWaitMsLeast, 2 * confirmations * chainOf(chainId).blockSeconds * 1_000)

/**
 * Obstacle to learning the outcome of money in flight. LIMIT: the provider's rate limit is used up. AWAY: the source is
 * unreachable or responds incorrectly. PACE: the source is polled ever less often as the wait grows. `since` is the
 * start, and `until` the next query, if known. Milliseconds since 1970.
 */
export type Obstacle = { of: WaitReason; why: 'LIMIT' | 'AWAY' | 'PACE'; since: number; until: number }

/** Returns the hold after a poll. A poll ends a pause between polls, but not an obstacle that spans several polls. */
export const holdAfter = (before: Obstacle | undefined, next: Obstacle): Obstacle =>
  next.why !== 'PACE' && before?.why === next.why && before.of === next.of ? { ...next, since: before.since } : next

const holdShownMs = 60_000

/** Whether a hold lasts long enough to be shown to people. */
export const isLongHold = (hold: Obstacle | undefined): hold is Obstacle =>
  hold !== undefined && hold.until - hold.since > holdShownMs

type Waiter = { facts: { waiting?: Wait } }

/**
 * Returns how long the execution has waited for this reason, in milliseconds. The longer it waits, the less often it
 * polls.
 */
export const waitedMs = ({ facts: { waiting } }: Waiter, reason: WaitReason, now: () => number): number =>
  waiting?.for === reason ? now() - waiting.since : 0

/**
 * Poll interval of an execution in a relayer's queue. An assignment wakes the execution, so polling only matters after
 * a lost wake-up.
 */
export const slotPollMs = 10_000

/** Poll interval while routing is paused, in milliseconds. */
export const pausePollMs = 5_000

/** Poll interval, in milliseconds, of an execution that waits behind quota reservations which might be freed. */
export const quotaPollMs = 1_000

/**
 * Poll interval while prices are unknown. An operator or a source of prices must act first, and quotes cost providers
 * something, so polling is rare.
 */
export const worthPollMs = 60_000
