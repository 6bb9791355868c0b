import { Elysia } from 'elysia'
import { chains } from '../../domain/chain/chain'
import { overdueNames } from '../../domain/execution/overdue'
import { type, view } from '../../domain/schema'
import type { Overdue } from '../../ports/observing'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Caller, Gate } from '../request/caller'
import { answer } from '../request/etag'
import { readQuery } from '../request/query'
import { example } from '../views/examples'
import { described, isoTime, Text, TextOrNull, Time } from '../views/scalar'
import { operatorOnly } from './access'
import type { OperatorPorts } from './ports'

export const OverdueView = view({
  kind: described(type.enumerated(...overdueNames), 'What is overdue; more values may be added', 'DELIVERY'),
  since: Time('Time of its last progress', '2026-11-21T10:00:25.310Z'),
  by: Time('When it should have progressed', '2026-11-21T10:40:25.310Z'),
  chainId: described(type('number.integer | null'), 'The chain, if one is concerned', chains.base.id),
  provider: TextOrNull('Key of the provider, if one is concerned', 'lifi'),
  depositId: TextOrNull('The deposit concerned', example.depositId),
  executionId: TextOrNull('Its execution, once it is shown', example.depositId),
  message: Text('The problem, in one or two sentences', 'The delivery is taking longer than expected.'),
  'advice?': Text(
    'For the platform’s operators: what to do about it',
    'Ask the provider about the source transaction.',
  ),
  'organizationId?': TextOrNull('For the platform’s operators: the organization concerned, if any', 'org_1'),
})

const overdueView = (overdue: Overdue, { tenant }: Caller): typeof OverdueView.infer => ({
  kind: overdue.kind,
  since: isoTime(overdue.since),
  by: isoTime(overdue.by),
  chainId: overdue.chainId,
  provider: overdue.provider,
  depositId: overdue.depositId,
  executionId: overdue.executionId,
  message: overdue.message,
  ...(tenant === null && { advice: overdue.advice, organizationId: overdue.organizationId }),
})

/** Lists everything that is overdue (extensions 9.1). */
export const operatorOverdue = (
  { operator }: { operator: Pick<OperatorPorts, 'overdue'> },
  gate: Gate,
  prefix: string,
) =>
  new Elysia({ prefix }).use(authenticate(gate, operatorOnly)).get(
    '/operator/overdue',
    async ({ caller, request, set }) => {
      readQuery(request, type({}), true)
      const rows = await operator.overdue.list(caller.tenant)
      return answer(
        { request, set },
        rows.map((row) => overdueView(row, caller)),
      )
    },
    operationDocs({
      operationId: 'listOverdue',
      tag: 'Operators',
      summary: 'List what is overdue',
      description:
        'What should have progressed by now, the longest overdue first: your organization’s executions and ' +
        'deposits. The platform’s operators see those of all, and chains, relayers, providers and workers. At most ' +
        '200 executions and 200 deposits.',
      roles: operatorOnly.roles,
      answers: { 200: { view: OverdueView.array(), description: 'What is overdue.', headers: ['etag'] } },
      refusals: ['UNKNOWN_PARAMETER'],
    }),
  )
