import type { OperationRequest } from '../../domain/execution/operation'
import type { Job } from '../../ports/operators'
import type { Caller } from '../request/caller'

/** Makes a job that has not begun. `matched` is the number of executions or blocks that it covers. */
export const newJob = (
  caller: Pick<Caller, 'organization'>,
  { id, asked, work, matched, at }: { asked: OperationRequest; at: number } & Pick<Job, 'id' | 'work' | 'matched'>,
): Job => ({
  id,
  version: 0,
  organizationId: caller.organization.id,
  asked,
  work,
  matched,
  done: 0,
  failed: 0,
  found: 0,
  after: null,
  state: 'RUNNING',
  dueAt: at,
  createdAt: at,
  updatedAt: at,
})
