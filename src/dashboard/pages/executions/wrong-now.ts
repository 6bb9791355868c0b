import { errorRow } from '../../../domain/error'
import type { ExecutionRow } from '../../data/types'

type Cause = ExecutionRow['cause']

/**
 * What is wrong with it now. The API's `cause` is what went wrong last, and is kept: where it was delivered or goes its
 * way again, that is history. What nobody expected is wrong until something else has happened.
 */
export function wrongNow({ status, cause, updatedAt }: Pick<ExecutionRow, 'status' | 'cause' | 'updatedAt'>): Cause {
  if (cause === null || status === 'SUCCESS') return null
  const isAlarm = errorRow(cause.code).endsIn === null && Date.parse(cause.at) >= Date.parse(updatedAt)
  return (status === 'PENDING' || status === 'RUNNING') && !isAlarm ? null : cause
}
