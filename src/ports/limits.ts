import type { PlaceWish } from '../domain/chain/relayer-places'
import type { Execution } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'
import type { RateClass } from '../domain/tenant/organization'

/** What an organization may have, and what its policy is. */
export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /** Whether the organization may have this execution this month; `SOON`: others are before it that may not come. */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** Of a relayer key it may hold so many times as many places as it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /** Whether the plan and the day leave the platform gas of this worth to pay, which is then taken (decision 45). */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Below this a deposit is not worth a quote: USD with 8 decimals. */
  dustFloorUsd: bigint
}

/** What there is so much of, for all processes together. */
export interface Budgets {
  /**
   * Takes an amount out of `most`; false, and nothing is taken, when less than that is left.
   *
   * @param forgetAt when nobody asks for this one any more. @param amount whole, 1 or more; one where it is not said.
   */
  take(id: string, most: number, forgetAt: number, amount?: number): Promise<boolean>
  /** Gives back what was taken and not used. */
  giveBack(id: string, amount?: number): Promise<void>
}

/** Places of which there are so many at the same time, for all processes together. */
export interface Places {
  /** Takes a place, or keeps it for longer. False: there is none, and nothing is changed. */
  hold(id: string, wish: PlaceWish): Promise<boolean>
  leave(id: string, holder: string): Promise<void>
}

/** A bucket of one key and class: when it will be full again, in ms. Two numbers decide everything (GCRA). */
export type Use = { id: string; rateClass: RateClass; count: number; stepMs: number }

/** How processes hear what others let in. Losing a message costs precision, nothing else. */
export interface UseNews {
  publish(uses: Use[]): void
  subscribe(hear: (uses: Use[]) => void): void
}
