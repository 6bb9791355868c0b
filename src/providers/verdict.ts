import { RoutingError } from '../domain/error'
import {
  ProviderRateLimited,
  ProviderStandsStill,
  ProviderUnavailable,
  RouteRefused,
  unreadableOf,
} from '../domain/unavailable'

/**
 * What a provider's response proves. This table alone decides what counts.
 *
 * - `opens`: the provider responded, so its shut scopes open.
 * - `counts`: the provider failed. For `SELF` the connection of this process might be at fault, so the failure counts
 * for this process alone until a second process has it too.
 *
 * A refusal may concern its request alone. It counts as an unreadable response, and only if a usual request is refused.
 */
const verdicts = {
  ANSWERED: { opens: true, counts: null },
  REFUSED: { opens: false, counts: 'ALL' },
  FAILED: { opens: false, counts: 'ALL' },
  UNREADABLE: { opens: false, counts: 'ALL' },
  UNREACHABLE: { opens: false, counts: 'SELF' },
  TIMEOUT: { opens: false, counts: 'SELF' },
  LOCKED_OUT: { opens: false, counts: null },
  LIMITED: { opens: false, counts: null },
  STANDS_STILL: { opens: false, counts: null },
  HELD_BACK: { opens: false, counts: null },
  UNEXPLAINED: { opens: false, counts: null },
} as const satisfies Record<string, { opens: boolean; counts: 'ALL' | 'SELF' | null }>
type Verdict = keyof typeof verdicts

const codes: Record<string, Verdict> = {
  PROVIDER_UNREACHABLE: 'UNREACHABLE',
  PROVIDER_TIMEOUT: 'TIMEOUT',
  PROVIDER_FAILED: 'FAILED',
  PROVIDER_MALFORMED: 'UNREADABLE',
  PROVIDER_UNAUTHORIZED: 'LOCKED_OUT',
  PROVIDER_RATE_LIMITED: 'LIMITED',
}

/** Judges the result of a request. Our own bug proves nothing about the provider. */
export function verdictOf(error: unknown): Verdict {
  if (error instanceof ProviderStandsStill) return 'STANDS_STILL'
  if (error instanceof ProviderUnavailable) return error instanceof ProviderRateLimited ? 'LIMITED' : 'HELD_BACK'
  if (!(error instanceof RoutingError)) return 'UNEXPLAINED'
  // A read of the chains refused the route before any request to the provider.
  if (error instanceof RouteRefused) return 'HELD_BACK'
  return codes[error.code] ?? (error.retryable ? 'FAILED' : 'REFUSED')
}

export const opens = (verdict: Verdict): boolean => verdicts[verdict].opens
export const countsFor = (verdict: Verdict): 'ALL' | 'SELF' | null => verdicts[verdict].counts

/**
 * A failure as the breaker records it. `by`: the process that could not reach the provider; null if the provider
 * responded.
 */
export type Failing = { by: string | null; why: string | null }

/** Returns how a failure counts, or null if it does not count. */
export function failingOf(error: unknown, self: string): Failing | null {
  const counts = countsFor(verdictOf(error))
  return counts && { by: counts === 'SELF' ? self : null, why: unreadableOf(error) }
}
