import type { BlacklistEntry } from '../domain/blacklist-entry'
import type { ChainId } from '../domain/chain/chain'
import type { OperationRequest } from '../domain/execution/operation'
import type { PauseScope } from '../domain/tenant/pause-scope'
import type { ExecutionFilter } from './queries'
import type { Page, PagePosition, Records } from './records'

/**
 * A pause. Deposits are still found, and they wait. Nothing new is signed, but signed orders are completed. A pause is
 * never deleted: `resumedAt` ends it.
 */
export type Pause = {
  /** The scope. */
  id: PauseScope
  version: number
  reason: string
  /** When it ends automatically; null if an operator must end it. */
  until: number | null
  by: string
  createdAt: number
  updatedAt: number
  resumedAt: number | null
}

export interface PauseEntries extends Records<Pause> {
  /** Returns every pause, including ended ones, written at or after a time. 0 returns all. */
  changedSince(time: number): Promise<Pause[]>
}

/** One pause of a scope. `to` is null while the pause has no end. */
export type PausePeriod = { scope: PauseScope; from: number; to: number | null }

export interface PausePeriods {
  /** Returns the periods of these scopes, past ones included, that had not ended before a time. */
  since(scopes: readonly PauseScope[], time: number): Promise<PausePeriod[]>
}

/** The pauses in memory, at most a second behind the database. */
export interface Pauses {
  /** Returns the first of the scopes that is paused now. */
  find(scopes: readonly PauseScope[]): Pause | null
}

/** An imported list, by its name. The record's version is the list's. */
export type BlacklistList = {
  id: string
  version: number
  /** SHA-256 of the imported file. */
  digest: string
  format: string
  entries: number
  updatedAt: number
}

export interface BlacklistEntries extends Records<BlacklistEntry> {
  /** Returns every entry, including removed ones, written at or after a time. 0 returns all. */
  changedSince(time: number): Promise<BlacklistEntry[]>
  /** Returns the entries that were not removed, newest first. */
  list(filter: BlacklistFilter, page: Page): Promise<BlacklistEntry[]>
}

type BlacklistFilter = {
  kind?: BlacklistEntry['kind'] | undefined
  chainId?: number | undefined
  /** An address in any case. */
  address?: string | undefined
}

/** `seenAt`: when the requester saw the executions. It is absent in jobs of earlier releases. */
type SeenExecutions = { filter: ExecutionFilter; seenAt?: number }

/** An operator's request for many operations (extensions 9.1). */
export type JobWork =
  | ({ verb: 'retry' } & SeenExecutions)
  | ({ verb: 'redrive'; intent: 'CURRENT' | 'ORIGINAL' } & SeenExecutions)
  | { verb: 'scan'; chainId: ChainId; fromBlock: number; toBlock: number }

/** A job that any worker can continue from its stored state. `after` and `done` record its progress. */
export type Job = {
  id: string
  version: number
  /** The organization whose operator requested it. */
  organizationId: string
  asked: OperationRequest
  work: JobWork
  /** Number of executions or blocks covered. */
  matched: number
  done: number
  failed: number
  /** Number of new deposits found; by scans only. */
  found: number
  after: PagePosition | null
  state: 'RUNNING' | 'DONE'
  /** When a worker may take it; null once done. */
  dueAt: number | null
  createdAt: number
  updatedAt: number
}

export interface Jobs extends Records<Job> {
  /** Returns the jobs that a worker may take now, oldest first. */
  due(now: number): Promise<Job[]>
  /** Returns bulk jobs, without scans, newest first. Null stands for every organization. */
  latest(organizationId: string | null, limit: number): Promise<Job[]>
}
