import { RoutingError } from '../domain/error'
import {
  ProviderRateLimited,
  ProviderStandsStill,
  ProviderUnavailable,
  RouteRefused,
  unreadableOf,
} from '../domain/unavailable'

/**
 * What an error of a provider proves, and whether it counts as a failure. This table alone decides what counts. For
 * `SELF` the connection of this process might be at fault, so the failure counts for this process alone until a second
 * process has it too.
 *
 * A refusal may concern its request alone. It counts as an unreadable response, and only if a usual request is refused.
 */
const verdicts = {
  REFUSED: 'ALL',
  FAILED: 'ALL',
  UNREADABLE: 'ALL',
  UNREACHABLE: 'SELF',
  TIMEOUT: 'SELF',
  LOCKED_OUT: null,
  LIMITED: null,
  STANDS_STILL: null,
  HELD_BACK: null,
  UNEXPLAINED: null,
} as const satisfies Record<string, 'ALL' | 'SELF' | null>
type Verdict = keyof typeof verdicts

const codes: Record<string, Verdict> = {
  PROVIDER_UNREACHABLE: 'UNREACHABLE',
  PROVIDER_TIMEOUT: 'TIMEOUT',
  PROVIDER_FAILED: 'FAILED',
  PROVIDER_MALFORMED: 'UNREADABLE',
  PROVIDER_UNAUTHORIZED: 'LOCKED_OUT',
  PROVIDER_RATE_LIMITED: 'LIMITED',
}

/** Judges the error of a request. Our own bug proves nothing about the provider. */
export function verdictOf(error: unknown): Verdict {
  if (error instanceof ProviderStandsStill) return 'STANDS_STILL'
  if (error instanceof ProviderUnavailable) return error instanceof ProviderRateLimited ? 'LIMITED' : 'HELD_BACK'
  if (!(error instanceof RoutingError)) return 'UNEXPLAINED'
  // A read of the chains refused the route before any request to the provider.
  if (error instanceof RouteRefused) return 'HELD_BACK'
  return codes[error.code] ?? (error.retryable ? 'FAILED' : 'REFUSED')
}

export const countsFor = (verdict: Verdict): 'ALL' | 'SELF' | null => verdicts[verdict]

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
