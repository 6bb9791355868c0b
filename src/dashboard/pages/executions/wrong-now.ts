import { errorRow } from '../../../domain/error'
import type { ExecutionRow } from '../../data/types'

type Cause = ExecutionRow['cause']

/**
 * What is wrong with an execution now. The API keeps as `cause` what went wrong last. Once delivered or moving again,
 * the last cause is history. An unexpected error counts as wrong until the execution has changed again.
 */
export function wrongNow({ status, cause, updatedAt }: Pick<ExecutionRow, 'status' | 'cause' | 'updatedAt'>): Cause {
  if (cause === null || status === 'SUCCESS') return null
  const isAlarm = errorRow(cause.code).endsIn === null && Date.parse(cause.at) >= Date.parse(updatedAt)
  return (status === 'PENDING' || status === 'RUNNING') && !isAlarm ? null : cause
}
