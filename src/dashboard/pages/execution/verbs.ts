import type { ExecutionDetail } from '../../data/types'

export type Verb = 'approve' | 'retry' | 'redrive' | 'refund' | 'dead-letter'

export const verbs: Record<Verb, { label: string; lead: string; done: string }> = {
  approve: {
    label: 'Approve an amount',
    lead: 'It goes on with a route that guarantees this much or more.',
    done: 'It is looked at again with your approval.',
  },
  retry: {
    label: 'Retry now',
    lead: 'The next attempt is made now instead of when it is due. It counts as an attempt, except where money was burnt and waits to be minted.',
    done: 'It is being tried again.',
  },
  redrive: {
    label: 'Re-drive',
    lead: 'A new execution routes what is left of this deposit in the account. This execution stays as it ended.',
    done: 'A new execution is on its way.',
  },
  refund: {
    label: 'Give back',
    lead: 'A new execution sends what is left of this deposit to the refund address that the user’s intent names, and to no other. Refused where it names none.',
    done: 'It is being given back.',
  },
  'dead-letter': {
    label: 'Give up (dead-letter)',
    lead: 'It ends in DEAD_LETTER and its money stays where it is. Refused while what is signed may still be mined, or burned USDC waits to be minted.',
    done: 'It has ended in DEAD_LETTER.',
  },
}

type Offered = { first: Verb | null; rest: Verb[] }

/**
 * The verbs that make sense for an execution. A re-drive is not offered first where the sender can settle it by
 * sending more, or where no order may move the token.
 */
export const mayBe = ({
  status,
  completedAt,
  funds,
  next,
  cause,
}: Pick<ExecutionDetail, 'status' | 'completedAt' | 'funds' | 'next' | 'cause'>): Offered => {
  if (completedAt === null && next.action === 'APPROVE') return { first: 'approve', rest: ['dead-letter'] }
  // What was burnt is with nobody until it is minted, and only a mint ends it.
  if (status === 'RUNNING' && funds.holder === 'PROVIDER' && funds.address === null) return { first: 'retry', rest: [] }
  if (status === 'FAILED') return { first: 'retry', rest: ['dead-letter'] }
  if (completedAt === null) return { first: 'dead-letter', rest: [] }
  if (funds.holder !== 'DEPOSIT_ACCOUNT') return { first: null, rest: [] }
  if (cause?.code === 'TOKEN_NOT_SUPPORTED') return { first: 'refund', rest: ['redrive'] }
  return next.actor === 'SENDER' ? { first: null, rest: ['redrive', 'refund'] } : { first: 'redrive', rest: ['refund'] }
}
