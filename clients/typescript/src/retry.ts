import { ApiError, type SwitchyardError } from './errors.js'

export type RetryOptions = {
  /** Maximum number of attempts per request; 1 disables repetition. Default 5. */
  attempts?: number
  /** Wait before the first repetition; it doubles each time. Default 250. */
  firstMs?: number
  /** The longest wait that the client chooses itself. Default 8,000. */
  mostMs?: number
  /** If the service requires a longer wait, the error is thrown immediately. Default 60. */
  retryAfterSecondsMax?: number
}
export type RetryRules = Required<RetryOptions>

export const defaultRetry: RetryRules = { attempts: 5, firstMs: 250, mostMs: 8_000, retryAfterSecondsMax: 60 }

/**
 * Returns the wait after a failed attempt in milliseconds, or null for no further attempt. The wait is random between
 * half of the backoff and all of it, so clients that failed together do not return together. It is never shorter than
 * `retry-after`.
 *
 * @param attempt Counts from 1.
 * @param random At least 0, below 1.
 */
export function waitAfter(rules: RetryRules, attempt: number, error: SwitchyardError, random: number): number | null {
  if (!error.isTransient || attempt >= rules.attempts) return null
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0
  if (asked > rules.retryAfterSecondsMax) return null
  const backoffMs = Math.min(rules.mostMs, rules.firstMs * 2 ** (attempt - 1))
  return asked * 1_000 + backoffMs * (0.5 + random / 2)
}

/** Waits, unless the caller aborts first. */
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
