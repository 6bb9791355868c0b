import type { ChainId } from '../domain/chain/chain'
import type { PermitRequest } from '../domain/chain/semaphore'
import type { Execution } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'
import type { RateClass } from '../domain/tenant/organization'
import type { QuotaWarning } from '../domain/tenant/quota'

/** An organization's limits and its policy. */
export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /**
   * Whether the organization's monthly quota has room for this execution. `SOON`: all of it is claimed, but some might
   * be released.
   */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** The number of a relayer's slots that the organization may hold for each slot that it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /** Takes gas of this value from the plan's daily budget; false if too little is left (decision 45). */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Takes one of the day's refunds by the RecoveryExecutor on a chain; false if none is left. */
  mayGiveBack: (organizationId: string, chainId: ChainId) => Promise<boolean>
  /** Deposits below this value are not quoted, in USD with 8 decimals. */
  dustFloorUsd: bigint
}

/** Counters with a limit, which all processes share. */
export interface LimitCounters {
  /**
   * Takes an amount out of `most`. Returns false and takes nothing if less than that is left.
   *
   * @param forgetAt When the counter is no longer needed, in milliseconds since 1970.
   * @param amount A whole number of 1 or more; 1 by default.
   */
  take(id: string, most: number, forgetAt: number, amount?: number): Promise<boolean>
  /** Returns an amount that was taken but not used. */
  giveBack(id: string, amount?: number): Promise<void>
}

/** Counting semaphores that all processes share. */
export interface Semaphores {
  /** Takes a permit, or renews it. Returns false and changes nothing if none is free. */
  acquire(id: string, request: PermitRequest): Promise<boolean>
  release(id: string, holder: string): Promise<void>
}

/**
 * A use of one key's rate limit for a class of requests. `stepMs` is how much one request delays the refill of
 * the bucket (GCRA).
 */
export type Use = { id: string; rateClass: RateClass; count: number; stepMs: number }

/** Publishes admitted requests to other processes. A lost message costs only precision. */
export interface UseUpdates {
  publish(uses: Use[]): void
  subscribe(hear: (uses: Use[]) => void): void
}

/** Quota warnings that were issued. If several processes notice the same, the first warning stays. */
export interface QuotaWarnings {
  note(warning: QuotaWarning): Promise<void>
  /** Returns the warnings with these ids, in no particular order. Missing ids are left out. */
  load(ids: readonly string[]): Promise<QuotaWarning[]>
}
