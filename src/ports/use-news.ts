import type { RateClass } from '../domain/tenant/organization'

/** A bucket of one key and class: when it will be full again, in ms. Two numbers decide everything (GCRA). */
export type Use = { id: string; rateClass: RateClass; count: number; stepMs: number }

/** How processes hear what others let in. Losing a message costs precision, nothing else. */
export interface UseNews {
  publish(uses: Use[]): void
  subscribe(hear: (uses: Use[]) => void): void
}
