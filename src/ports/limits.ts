import type { ChainId } from '../domain/chain/chain'
import type { PermitRequest } from '../domain/chain/semaphore'
import type { Execution } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'
import type { RateClass } from '../domain/tenant/organization'
import type { QuotaWarning } from '../domain/tenant/quota'

/** What an organization may have, and what its policy is. */
export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /**
   * Whether the organization's monthly quota has a place for this execution. `SOON`: all places are held, but some may
   * become free.
   */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** How many times as many slots of a relayer the organization may hold as it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /**
   * Takes gas of this worth out of the plan's budget for the day; false when there is not enough left (decision 45).
   */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Takes one of the day's refunds by the RecoveryExecutor on a chain; false when none is left. */
  mayGiveBack: (organizationId: string, chainId: ChainId) => Promise<boolean>
  /** Below this a deposit is not worth a quote, in USD with 8 decimals. */
  dustFloorUsd: bigint
}

/** Counters with a limit, which all processes share. */
export interface LimitCounters {
  /**
   * Takes an amount out of `most`. Returns false and takes nothing when less than that is left.
   *
   * @param forgetAt When nobody asks for this counter any more, in milliseconds since 1970.
   * @param amount A whole number of 1 or more; 1 by default.
   */
  take(id: string, most: number, forgetAt: number, amount?: number): Promise<boolean>
  /** Gives back what was taken and not used. */
  giveBack(id: string, amount?: number): Promise<void>
}

/** Counting semaphores that all processes share. */
export interface Semaphores {
  /** Takes a permit, or renews it. Returns false and changes nothing when there is none. */
  acquire(id: string, request: PermitRequest): Promise<boolean>
  release(id: string, holder: string): Promise<void>
}

/**
 * A use of one key's rate limit for a class of requests. `stepMs` is how much one request delays the time at which the
 * bucket is full again (GCRA).
 */
export type Use = { id: string; rateClass: RateClass; count: number; stepMs: number }

/** Tells other processes which requests were let in. A lost message costs precision and nothing else. */
export interface UseUpdates {
  publish(uses: Use[]): void
  subscribe(hear: (uses: Use[]) => void): void
}

/** What was warned of. Of several processes that notice the same, the first one's warning stays. */
export interface QuotaWarnings {
  note(warning: QuotaWarning): Promise<void>
  /** The warnings of one organization, or with null of all, from one time to before another. */
  between(tenant: { organizationId: string | null }, from: number, to: number): Promise<QuotaWarning[]>
}
