import type { Execution } from '../../domain/execution/execution'
import { type } from '../../domain/schema'
import { operationDocs } from '../openapi/operation-docs'
import { example } from '../views/examples'
import { NextView, nextOf } from '../views/next'
import { Amount, IdParams, shown, Text } from '../views/scalar'
import { operatorOnly } from './access'
import { Reason } from './reason'

export const ApproveBody = type({
  reason: Reason,
  amountOutMin: shown(
    type(/^[1-9][0-9]{0,77}$/)
      .describe('a positive amount in atomic units, decimal digits only')
      .narrow((text, context) => BigInt(text) < 2n ** 256n || context.mustBe('an amount below 2^256')),
    'The least that may arrive, in atomic units of the target token',
    '24000000',
  ),
})

/** It may not be shown as an execution yet: what waits before its route is chosen has no status. */
export const ApprovedView = type({
  id: Text('The execution', example.depositId),
  amountOutMin: Amount('The least that may arrive', '24000000'),
  next: shown(NextView, 'Who acts next'),
})

export const approvedView = (record: Execution, now: number): typeof ApprovedView.infer => ({
  id: record.id,
  amountOutMin: record.facts.worthApproval!.amountOutMin,
  next: nextOf(record, now),
})

/** What the endpoint takes and says. */
export const approval = {
  params: IdParams,
  body: ApproveBody,
  ...operationDocs({
    operationId: 'approveExecution',
    tag: 'Operators',
    summary: 'Approve what may arrive',
    description:
      'For an execution that waits because nobody can say whether what would arrive is worth what goes in ' +
      '(`next.action` APPROVE). It goes on with a route that guarantees this much or more; where prices can be had, ' +
      'they decide all the same.',
    roles: operatorOnly.roles,
    bodyExample: { reason: 'The market agrees with it', amountOutMin: '24000000' },
    isMutation: true,
    answers: { 202: { view: ApprovedView, description: 'It is looked at again with the approval.' } },
    refusals: ['EXECUTION_NOT_FOUND', 'NOTHING_TO_APPROVE'],
  }),
}
