import type { ChainId } from '../domain/chain/chain'
import type { OperationRequest } from '../domain/execution/operation'
import type { PagePosition } from './page'
import type { ExecutionFilter } from './queries'
import type { Records } from './records'

/** What an operator asked to be done many times over (extensions 9.1). */
export type JobWork =
  | { verb: 'retry'; filter: ExecutionFilter }
  | { verb: 'redrive'; filter: ExecutionFilter; intent: 'CURRENT' | 'ORIGINAL' }
  | { verb: 'scan'; chainId: ChainId; fromBlock: number; toBlock: number }

/** A job that any worker can carry on from what is stored. `after` and `done` say how far it has come. */
export type Job = {
  id: string
  version: number
  /** The organization whose operator asked. */
  organizationId: string
  asked: OperationRequest
  work: JobWork
  /** How many executions or blocks it covers. */
  matched: number
  done: number
  failed: number
  /** How many new deposits were found, by scans only. */
  found: number
  after: PagePosition | null
  state: 'RUNNING' | 'DONE'
  /** When a worker may take it; null once it is done. */
  dueAt: number | null
  createdAt: number
  updatedAt: number
}

export interface Jobs extends Records<Job> {
  /** Returns the jobs that may be taken now, oldest first. */
  due(now: number): Promise<Job[]>
  /** Returns bulk jobs without scans, newest first. Null stands for every organization. */
  latest(organizationId: string | null, limit: number): Promise<Job[]>
}
