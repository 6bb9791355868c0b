import type { ChainId } from '../domain/chain/chain'
import type { OperationRequest } from '../domain/execution/operation'
import type { PagePosition } from './page'
import type { ExecutionFilter } from './queries'
import type { Records } from './records'

/** An operator's request for many operations (extensions 9.1). */
export type JobWork =
  | { verb: 'retry'; filter: ExecutionFilter }
  | { verb: 'redrive'; filter: ExecutionFilter; intent: 'CURRENT' | 'ORIGINAL' }
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
