import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Execution } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'
import type { Status } from '../domain/execution/status'
import type { QuotaWarning } from '../domain/limits/quota'
import type { PermitRequest } from '../domain/limits/semaphore'
import type { LedgerRecord } from '../domain/money/ledger'
import type { RateClass } from '../domain/tenant/organization'
import type { Page, TenantScope } from './records'

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
  /** Reads the taken amount; 0 for a counter that does not exist. */
  used(id: string): Promise<number>
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
  subscribe(listener: (uses: Use[]) => void): void
}

/** Quota warnings that were issued. If several processes notice the same, the first warning stays. */
export interface QuotaWarnings {
  note(warning: QuotaWarning): Promise<void>
  /** Returns the warnings with these ids, in no particular order. Missing ids are left out. */
  load(ids: readonly string[]): Promise<QuotaWarning[]>
}

/** Executions of one day, key, pair of chains, token and status. Amounts are sums in atomic units. */
export type UsageRow = {
  /** A UTC day, such as `2026-11-21`. */
  date: string
  apiKeyId: string | null
  fromChainId: ChainId
  toChainId: ChainId | null
  token: Address
  status: Status
  count: number
  amountInRaw: bigint
  protocolFeeRaw: bigint
  protocolFeeForgivenRaw: bigint
  gasFeeRaw: bigint
  /** The amount taken from the daily budgets for sponsored gas. */
  sponsoredMicroUsd: bigint
  /** Sum of the seconds from detection to SUCCESS, over the successful executions. */
  secondsToSuccess: number
}

/** Deposits that were first seen on a day, by the key whose intent they follow. */
export type DepositCount = { date: string; apiKeyId: string | null; count: number }

/** Returns the price of one whole token in USD with 8 decimals, and its decimals; null if unknown. */
export type WorthOf = (chainId: ChainId, token: Address) => Promise<{ usd: bigint; decimals: number } | null>

/** All conditions must hold. `createdFrom` is inclusive and `createdTo` exclusive; both compare the detection. */
type LedgerFilter = TenantScope & {
  userId?: string | undefined
  depositAddress?: Address | undefined
  fromChainId?: ChainId | undefined
  fromTokenAddress?: Address | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

/** A deposit in the ledger. Its position in a list is (`deposit.detectedAt`, id) of its first execution. */
export type LedgerLine = {
  first: LedgerRecord & TenantScope & { userId: string }
  /** The first execution and its re-drives. */
  records: LedgerRecord[]
}

/** Reads histories for the ledger. */
export interface LedgerQueries {
  /** Returns a page of deposits that have an execution, shown or not, newest detected first. */
  lines(filter: LedgerFilter, page: Page): Promise<LedgerLine[]>
  /**
   * Returns every execution of an organization whose deposit was detected before a time, in no order and each once,
   * whatever changes during the read. Nothing limits their number.
   */
  records(organizationId: string, before: number): AsyncIterable<LedgerRecord>
}

export interface UsageQueries {
  /** Both days are included. Null stands for every organization. */
  rows(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<UsageRow[]>
  /** Counts deposits. Each counts once, whatever its outcome and however often it was routed. */
  deposits(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<DepositCount[]>
}

/** One request, as shown to the callers of a key. */
export type RequestNote = {
  at: number
  requestId: string
  method: string
  /** The route, with the names of its parameters. */
  path: string
  status: number
  errorCode: string | null
  durationMs: number
}

export type KeyRequest = RequestNote & { keyId: string }

/** `areRefused` leaves only requests with a status of 400 or more. */
type RequestFilter = { keyIds: readonly string[]; areRefused: boolean }

export interface RequestLog {
  /**
   * Notes a request. Notes are written once a second, and a request never waits for them. Counts are kept until they
   * are stored, even while the database is down. A process that is killed loses the counts of its last second, or of
   * the outage.
   */
  note(keyId: string, request: RequestNote): void
  /**
   * Returns a page of the stored requests of these keys together, newest first. The newest 100 of each key are stored.
   */
  list(filter: RequestFilter, page: Omit<Page, 'offset' | 'isOldestFirst'>): Promise<KeyRequest[]>
  /**
   * Returns the numbers of requests and of failures, by key and day (`2026-11-21`, both ends included). Null stands for
   * every key.
   */
  counts(keyIds: readonly string[] | null, from: string, to: string): Promise<RequestCount[]>
  /** Writes the pending notes. Called when a process ends. */
  settle(): Promise<void>
}

/** Requests of a key on a day. `errors` counts responses with a status of 400 or more. */
export type RequestCount = { keyId: string; date: string; requests: number; errors: number }

/** The first response to a request, kept for repetitions of the same request (extensions 8.1). */
export type StoredResponse = { status: number; body: string }

export type IdempotentStart =
  | { kind: 'BEGUN'; turn: string }
  | { kind: 'KEPT'; answer: StoredResponse }
  | { kind: 'RUNNING' }
  /** The key was used for another request. */
  | { kind: 'OTHER' }

export interface IdempotentRequests {
  /**
   * @param id Organization and idempotency key.
   * @param fingerprint A hash of method, path and validated body.
   */
  begin(id: string, fingerprint: string, at: number): Promise<IdempotentStart>
  keep(id: string, turn: string, answer: StoredResponse): Promise<void>
  /** Releases the key of a refused request that changed nothing. */
  release(id: string, turn: string): Promise<void>
}
