import type { ExecutionDetail } from '../../data/types'
import { wrongNow } from '../executions/wrong-now'

type QuotelessExecution = Pick<ExecutionDetail, 'status' | 'cause' | 'updatedAt'> & {
  history: readonly { to: string }[]
}

/** Causes that end an execution before any quote is requested. */
const beforeAsking = new Set(['MONTHLY_QUOTA_REACHED', 'FEES_EXCEED_DEPOSIT'])

/** Explains missing quotes: none was requested, no provider could respond, or none made an offer. */
export function whyWithoutQuotes(execution: QuotelessExecution): string {
  const { history } = execution
  const cause = wrongNow(execution)
  if (!history.some(({ to }) => to === 'finding route')) return 'No quote was requested.'
  if (cause && beforeAsking.has(cause.code)) return 'No quote was requested.'
  const isFailure = cause?.code.startsWith('PROVIDER_')
  return isFailure
    ? `No quotes: ${cause!.message[0]!.toLowerCase()}${cause!.message.slice(1)}`
    : 'No provider made an offer.'
}
