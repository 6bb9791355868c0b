/** How a provider did in the last minutes (extensions 9.1). */
export type ProviderHealth = {
  provider: string
  healthy: boolean
  /** Since when it is not, as far as it is known; null while it is. */
  failingSince: number | null
  /** Whether it is not well for anybody: not for one odd pair of tokens alone. */
  isAway: boolean
  /** 0 to 1. */
  errorRate: number
  p50Ms: number | null
  p95Ms: number | null
  /** Since when it refuses our credentials; null while it takes them. */
  credentialsRefusedAt: number | null
  breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  updatedAt: number | null
}
