import { errorRow } from '../../../domain/error'
import type { ExecutionRow } from '../../data/types'

type Cause = ExecutionRow['cause']

/**
 * Returns what is wrong with an execution now, or null. The API's `cause` is the last failure. It remains after the
 * execution is delivered or moves again, although nothing is wrong then. An unexpected error counts until the execution
 * changes.
 */
export function wrongNow({ status, cause, updatedAt }: Pick<ExecutionRow, 'status' | 'cause' | 'updatedAt'>): Cause {
  if (cause === null || status === 'SUCCESS') return null
  // A newer server can name a cause that this page lacks.
  const row: ReturnType<typeof errorRow> | undefined = errorRow(cause.code)
  const isAlarm = row?.endsIn === null && Date.parse(cause.at) >= Date.parse(updatedAt)
  return (status === 'PENDING' || status === 'RUNNING') && !isAlarm ? null : cause
}
