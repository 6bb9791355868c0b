import { type ErrorCategory, errorCategories } from '../error'

export type RetryPolicy = { retriesMax: number; baseMs: number; factor: number; maxMs: number }

/** How often and how soon a failed attempt is repeated (decision 28). */
export const retry: RetryPolicy = { retriesMax: 10, baseMs: 2_000, factor: 2, maxMs: 5 * 60_000 }

export const mayRetry = (retryCount: number, category: ErrorCategory | null, { retriesMax } = retry): boolean =>
  category !== null && errorCategories[category].retryable && retryCount < retriesMax

/** @param jitter uniform in [0, 1): half of it is jitter, so that what failed together does not come back together. */
export const backoffMs = (retryCount: number, jitter: number, { baseMs, factor, maxMs } = retry): number =>
  Math.ceil((0.5 + jitter / 2) * Math.min(baseMs * factor ** retryCount, maxMs))

/** How long to wait before looking again at what takes `elapsedMs` already: ever more slowly, up to an hour. */
export const pollMs = (elapsedMs: number, leastMs: number): number =>
  Math.min(Math.max(leastMs, Math.floor(elapsedMs / 20)), 60 * 60_000)

/** Who waits longest for a place among others asks as often as who just came: else newcomers would have them all. */
export const placeLookMs = 2_000

/** How soon somebody who waits for a pause to end looks again. */
export const pauseLookMs = 5_000

/** How soon somebody looks again who waits because others, who may not come, are before him in the quota. */
export const quotaLookMs = 1_000

/** An operator or a source of prices must speak first: quotes cost others something, so it is looked at rarely. */
export const worthLookMs = 60_000
