import type { PlaceWish } from '../domain/chain/relayer'
import type { Execution } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'
import type { RateClass } from '../domain/tenant/organization'

/** What an organization may have, and what its policy is. */
export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /**
   * Whether the organization's monthly quota has a place for this execution. `SOON`: all places are held, but some may
   * become free.
   */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** How many times as many places of a relayer the organization may hold as it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /**
   * Takes gas of this worth out of the plan's budget for the day; false when there is not enough left (decision 45).
   */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Below this a deposit is not worth a quote, in USD with 8 decimals. */
  dustFloorUsd: bigint
}

/** Limited amounts that all processes share. */
export interface Budgets {
  /**
   * Takes an amount out of `most`. Returns false and takes nothing when less than that is left.
   *
   * @param forgetAt When nobody asks for this budget any more, in milliseconds since 1970.
   * @param amount A whole number of 1 or more; 1 by default.
   */
  take(id: string, most: number, forgetAt: number, amount?: number): Promise<boolean>
  /** Gives back what was taken and not used. */
  giveBack(id: string, amount?: number): Promise<void>
}

/** A limited number of places that all processes share. */
export interface Places {
  /** Takes a place, or keeps it for longer. Returns false and changes nothing when there is none. */
  hold(id: string, wish: PlaceWish): Promise<boolean>
  leave(id: string, holder: string): Promise<void>
}

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
