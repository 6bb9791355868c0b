import { ApiError, type SwitchyardError } from './errors.js'

export type RetryOptions = {
  /** How often a request is sent at most; 1 is without repetition. By default 5. */
  attempts?: number
  /** The wait before the first repetition; it doubles each time. By default 250. */
  firstMs?: number
  /** The longest wait of our own choice. By default 8,000. */
  mostMs?: number
  /** Where the service asks for a longer wait than this, the error is thrown at once. By default 60. */
  retryAfterSecondsMax?: number
}
export type RetryRules = Required<RetryOptions>

export const defaultRetry: RetryRules = { attempts: 5, firstMs: 250, mostMs: 8_000, retryAfterSecondsMax: 60 }

/**
 * How long to wait after an attempt that failed, or null when there is to be no other. The wait is random between half
 * of the backoff and all of it, so that clients that failed together do not return together, and never shorter than
 * `retry-after`.
 *
 * @param attempt counts from 1.
 * @param random at least 0, below 1.
 */
export function waitAfter(rules: RetryRules, attempt: number, error: SwitchyardError, random: number): number | null {
  if (!error.isTransient || attempt >= rules.attempts) return null
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0
  if (asked > rules.retryAfterSecondsMax) return null
  const backoffMs = Math.min(rules.mostMs, rules.firstMs * 2 ** (attempt - 1))
  return asked * 1_000 + backoffMs * (0.5 + random / 2)
}

/** Waits, unless the caller gives up meanwhile. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
