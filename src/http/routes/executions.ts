import { Elysia } from 'elysia'
import type { Execution } from '../../domain/execution/execution'
import { type } from '../../domain/schema'
import type { ExecutionQueries } from '../../ports/queries'
import type { PagePosition } from '../../ports/records'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { clientOnly, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { bodyOf, listQuery, Offset, pageOf, readListQuery } from '../request/page'
import { executionExample, executionView, UserExecutionView } from '../views/execution'
import { deliveredView } from '../views/execution-full'
import type { FindToken } from '../views/find-token'
import { described, StatusField, UserParams } from '../views/scalar'

type ExecutionListPorts = { executionQueries: ExecutionQueries; findToken: FindToken }

const Query = type({
  ...listQuery,
  offset: Offset,
  'status?': StatusField('Only those with this status', 'SUCCESS'),
  'include?': described(type(/^delivery$/).describe('delivery'), 'Adds what arrived to each row', 'delivery'),
})

export const positionOfExecution = ({ createdAt, id }: Execution): PagePosition => ({ createdAt: createdAt ?? 0, id })

/** The client's own list: bare objects, newest first (interface 4.6; decision 12). */
export const executions = ({ executionQueries, findToken }: ExecutionListPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, clientOnly)).get(
    '/users/:userId/executions',
    async ({ params: { userId }, caller, request, set }) => {
      const { listed, filters } = readListQuery(request, Query, false)
      const { offset, status, include } = filters
      if (listed.cursor !== undefined && offset > 0)
        throw new Refusal('VALIDATION_FAILED', { message: 'cursor must be given without offset' })
      const path = `${prefix}/users/${encodeURIComponent(userId)}/executions`
      const filter = { organizationId: caller.organization.id, userId, status: status && [status] }
      const page = await pageOf(
        { request, set },
        { path, filters: { status, include }, listed: { ...listed, offset } },
        (page) => executionQueries.list(filter, page),
        positionOfExecution,
      )
      return answer(
        { request, set },
        bodyOf({ set }, page, (row) => ({
          ...executionView(row, findToken),
          ...(include && deliveredView(row, findToken)),
        })),
      )
    },
    {
      params: UserParams,
      ...operationDocs({
        operationId: 'listUserExecutions',
        tag: 'Executions',
        summary: 'List the executions of a user',
        description:
          'Newest first. An unknown user has an empty list. With `include=delivery` each row also has `amountOut`, ' +
          '`toTokenDecimals` and `destinationTxHash`. [The list of executions](#/Executions/listExecutions) with ' +
          '`userId` also shows `funds` and `next`. Neither has a deposit that has no execution yet: [the list of ' +
          'deposits](#/Deposits/listUserDeposits) does.',
        roles: clientOnly.roles,
        query: Query,
        answers: {
          200: {
            rows: UserExecutionView,
            description: 'The executions.',
            example: [executionExample],
            headers: ['etag'],
          },
        },
        refusals: ['INVALID_CURSOR'],
      }),
    },
  )
