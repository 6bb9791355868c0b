import type { RateClass } from '../domain/tenant/organization'

/**
 * A use of one key's rate limit for a class of requests. `stepMs` is how much one request delays the time at which the
 * bucket is full again (GCRA).
 */
export type Use = { id: string; rateClass: RateClass; count: number; stepMs: number }

/** Tells other processes which requests were let in. A lost message costs precision and nothing else. */
export interface UseNews {
  publish(uses: Use[]): void
  subscribe(hear: (uses: Use[]) => void): void
}
