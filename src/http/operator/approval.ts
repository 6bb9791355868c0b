import type { Execution } from '../../domain/execution/execution'
import { type, view } from '../../domain/schema'
import { operationDocs } from '../openapi/operation-docs'
import { example } from '../views/examples'
import { NextView, nextOf } from '../views/next'
import { Amount, described, IdParams, Text } from '../views/scalar'
import { operatorOnly } from './access'
import { Reason, SeenSeq } from './reason'

export const ApproveBody = type({
  reason: Reason,
  amountOutMin: described(
    type(/^[1-9][0-9]{0,77}$/)
      .describe('a positive amount in atomic units, decimal digits only')
      .narrow((text, context) => BigInt(text) < 2n ** 256n || context.mustBe('an amount below 2^256')),
    'Minimum output to accept, in atomic units of the target token',
    '24000000',
  ),
  'seq?': SeenSeq,
})

/** Only these fields: an execution that waits before its route is chosen has no status yet. */
export const ApprovedView = view({
  id: Text('The execution', example.depositId),
  amountOutMin: Amount('Minimum output that is accepted', '24000000'),
  next: described(NextView, 'Who acts next'),
})

export const approvedView = (record: Execution, now: number): typeof ApprovedView.infer => ({
  id: record.id,
  amountOutMin: record.facts.worthApproval!.amountOutMin,
  next: nextOf(record, now),
})

/** The schemas and the documentation of the endpoint. */
export const approval = {
  params: IdParams,
  body: ApproveBody,
  ...operationDocs({
    operationId: 'approveExecution',
    tag: 'Operators',
    summary: 'Approve a minimum output',
    description:
      'For an execution that waits because no independent price can judge its output (`next.action` APPROVE). ' +
      'Routing continues with a route that guarantees at least this amount. Prices, once available, decide ' +
      'instead.',
    roles: operatorOnly.roles,
    bodyExample: { reason: 'The market agrees with it', amountOutMin: '24000000' },
    isMutation: true,
    answers: { 202: { view: ApprovedView, description: 'The approval is stored, and the execution is retried.' } },
    refusals: ['EXECUTION_NOT_FOUND', 'NOTHING_TO_APPROVE', 'CHANGED_MEANWHILE'],
  }),
}
