/** How a provider did in the last minutes (extensions 9.1). */
export type ProviderHealth = {
  provider: string
  healthy: boolean
  /** Since when it has been failing, as far as that is known; null while it is healthy. */
  failingSince: number | null
  /** Whether it fails for everybody, and not just for one unusual pair of tokens. */
  isAway: boolean
  /** The share of failed requests, from 0 to 1. */
  errorRate: number
  p50Ms: number | null
  p95Ms: number | null
  /** Since when it has refused our credentials; null while it accepts them. */
  credentialsRefusedAt: number | null
  breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  updatedAt: number | null
}
