import type { ChainId } from '../domain/chain/chain'
import type { Asked } from '../domain/execution/operation'
import type { Place } from './page'
import type { ExecutionFilter } from './queries'
import type { Records } from './records'

/** What an operator asked to be done many times over (extensions 9.1). */
export type JobWork =
  | { verb: 'retry'; filter: ExecutionFilter }
  | { verb: 'redrive'; filter: ExecutionFilter; intent: 'CURRENT' | 'ORIGINAL' }
  | { verb: 'scan'; chainId: ChainId; fromBlock: number; toBlock: number }

/** Any worker carries it on from what is stored: `after` and `done` say how far it is. */
export type Job = {
  id: string
  version: number
  /** Whose operator asked. */
  organizationId: string
  asked: Asked
  work: JobWork
  /** Executions, or blocks. */
  matched: number
  done: number
  failed: number
  /** Deposits that nobody knew of: scans only. */
  found: number
  after: Place | null
  state: 'RUNNING' | 'DONE'
  /** When a worker may take it; null once it is done. */
  dueAt: number | null
  createdAt: number
  updatedAt: number
}

export interface Jobs extends Records<Job> {
  /** What may be taken now, oldest first. */
  due(now: number): Promise<Job[]>
  /** What was asked for in bulk, newest first, scans left out; null: by every organization. */
  latest(organizationId: string | null, limit: number): Promise<Job[]>
}
