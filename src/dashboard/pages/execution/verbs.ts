import { stateName } from '../../data/state-name'
import type { DepositRow, ExecutionRow } from '../../data/types'

export type Verb = 'approve' | 'retry' | 'redrive' | 'refund' | 'dead-letter'

const stopped = stateName('DEAD_LETTER')

export const verbs: Record<Verb, { label: string; lead: string; done: string }> = {
  approve: {
    label: 'Approve an amount',
    lead: 'Continues with a route that guarantees at least this amount.',
    done: 'Approved. The next attempt uses your approval.',
  },
  retry: {
    label: 'Retry now',
    lead: 'Makes the next attempt now instead of when it is due. It counts as an attempt, unless burned money waits to be minted.',
    done: 'The next attempt starts now.',
  },
  redrive: {
    label: 'Re-drive',
    lead: 'Starts a new execution for the money of this deposit that is left in the account. This execution keeps its status.',
    done: 'A new execution has started.',
  },
  refund: {
    label: 'Refund',
    lead: 'Starts a new execution that sends the money of this deposit that is left in the account to the refund address in the user’s intent. Not possible if the intent names none.',
    done: 'The refund has started.',
  },
  'dead-letter': {
    label: 'Give up (dead-letter)',
    lead: `Ends the execution as ${stopped} and leaves the money where it is. Not possible while a signed transaction can still be mined or burned USDC waits to be minted.`,
    done: `The execution has ended as ${stopped}.`,
  },
}

/**
 * Returns the page of the re-drive that an approval for a deposit is about. Null if it is about the first execution,
 * whose id and `seq` are the deposit's.
 */
export const redrivePageOf = ({ id, executionId }: Pick<DepositRow, 'id' | 'executionId'>): string | null =>
  executionId === null || executionId === id ? null : `/executions/${encodeURIComponent(executionId)}`

type OfferedVerbs = { first: Verb | null; rest: Verb[] }

/**
 * Returns the sensible actions for an execution. A re-drive is not offered first if the sender can solve it by sending
 * more, or if no order may move the token.
 */
export const mayBe = ({
  status,
  completedAt,
  funds,
  next,
  cause,
}: Pick<ExecutionRow, 'status' | 'completedAt' | 'funds' | 'next' | 'cause'>): OfferedVerbs => {
  if (completedAt === null && next.action === 'APPROVE') return { first: 'approve', rest: ['dead-letter'] }
  // Burned money has no holder until it is minted, and only a mint ends this state.
  if (status === 'RUNNING' && funds.holder === 'PROVIDER' && funds.address === null) return { first: 'retry', rest: [] }
  if (status === 'FAILED') return { first: 'retry', rest: ['dead-letter'] }
  if (completedAt === null) return { first: 'dead-letter', rest: [] }
  if (funds.holder !== 'DEPOSIT_ACCOUNT') return { first: null, rest: [] }
  if (cause?.code === 'TOKEN_NOT_SUPPORTED') return { first: 'refund', rest: ['redrive'] }
  return next.actor === 'SENDER' ? { first: null, rest: ['redrive', 'refund'] } : { first: 'redrive', rest: ['refund'] }
}
