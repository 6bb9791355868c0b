import { Elysia } from 'elysia'
import { chains } from '../../domain/chain/chain'
import { depositIdOfExecution } from '../../domain/deposit/deposit-stage'
import { errorCodes } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { statusNames } from '../../domain/execution/status'
import { type } from '../../domain/schema'
import type { DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { DepositIntents } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { bodyOf, orderedQuery, pageOf, readListQuery } from '../request/page'
import { example } from '../views/examples'
import { ExecutionDetailView, executionDetailView, FullExecutionView, fullExecutionView } from '../views/execution-full'
import {
  AddressFilter,
  ChainIdFilter,
  FlagFilter,
  HashFilter,
  IdFilter,
  NamesFilter,
  TimeFilter,
  withTokenAddress,
} from '../views/filter'
import { described, IdParams, UserId } from '../views/scalar'
import type { ViewContextFor } from '../views/view-context'
import { asText } from './deposits'
import { positionOfExecution } from './executions'

type ExecutionLookupPorts = {
  executionQueries: ExecutionQueries
  depositQueries: Pick<DepositQueries, 'find'>
  intents: Pick<DepositIntents, 'load'>
  viewContextFor: ViewContextFor
}

/** Whether an execution is shown: it has a status, or another record leads to it (decision 24). */
type Linked = Pick<Execution, 'createdAt' | 'redriveOf' | 'refundOf'>
export const isPublic = ({ createdAt, redriveOf, refundOf }: Linked): boolean =>
  createdAt !== null || redriveOf !== null || refundOf !== null

/** The filters of a list of executions. */
export const executionFilter = {
  'txHash?': HashFilter('Any of its transactions: deposit, source (replaced ones too) or destination', example.txHash),
  'depositAddress?': AddressFilter('Address where the deposit arrived', example.depositAddress),
  'routeId?': HashFilter('The route', example.routeId),
  'userId?': UserId,
  'depositId?': IdFilter('The deposit; finds re-drives too', example.depositId),
  'status?': NamesFilter(
    statusNames,
    `one or several of ${statusNames.join(', ')}, separated by commas`,
    'Only those with these statuses, separated by commas',
    'PENDING,RUNNING',
  ),
  'fromChainId?': ChainIdFilter('Source chain'),
  'toChainId?': ChainIdFilter('Destination chain', chains.arbitrum.id),
  'fromTokenAddress?': AddressFilter('The deposited token', example.baseUsdc),
  'provider?': described(
    type(/^[a-z0-9_-]{1,64}$/).describe('the key of a provider'),
    'Provider that routes it',
    'lifi',
  ),
  'causeCode?': described(
    type.enumerated(...errorCodes).describe('a cause code'),
    'Cause of the last failure',
    'NO_ROUTE',
  ),
  'apiKeyId?': IdFilter('The key that created the intent', 'key_9fT2'),
  'superseded?': FlagFilter(
    'false leaves out executions that another execution has superseded; true lists only these',
    false,
  ),
  'createdFrom?': TimeFilter('First shown at this time or later', '2026-11-01T00:00:00.000Z'),
  'createdTo?': TimeFilter('First shown before this time', '2026-12-01T00:00:00.000Z'),
} as const

const Query = type({ ...orderedQuery, ...executionFilter })
/** The dashboard's search box also filters by recipient. */
export const memberFilter = {
  ...executionFilter,
  'targetAddress?': AddressFilter('Recipient in its intent', example.depositAddress),
} as const
const MemberQuery = type({ ...orderedQuery, ...memberFilter })

const listExecutionsDocs = operationDocs({
  operationId: 'listExecutions',
  tag: 'Executions',
  summary: 'List the executions of the organization',
  description:
    'Newest first unless `order` is `oldest`, filtered by any hash, address or id. All filters must match. A transaction without an ' +
    'execution can still have a deposit: use `GET /api/deposits?txHash=`.',
  roles: everyRole.roles,
  query: Query,
  answers: {
    200: { rows: FullExecutionView, description: 'The executions.', headers: ['etag'] },
  },
  refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
})

const getExecutionDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'getExecution',
    tag: 'Executions',
    summary: 'Show an execution in full',
    description:
      'With its history, fees, quotes and transactions. `funds` shows where the money is, `next` who acts ' +
      'next, and `cause` the last failure.',
    roles: everyRole.roles,
    answers: { 200: { view: ExecutionDetailView, description: 'The execution.', headers: ['etag'] } },
    refusals: ['EXECUTION_NOT_FOUND'],
  }),
}

/** Executions in full, found by any hash, address or id (extensions 4.2). */
export const executionLookup = (
  { executionQueries, depositQueries, intents, viewContextFor }: ExecutionLookupPorts,
  gate: Gate,
  prefix: string,
) =>
  new Elysia({ prefix })
    .use(authenticate(gate, everyRole))
    .get(
      '/executions',
      async ({ caller, request, set }) => {
        const isMember = caller.actor.kind === 'MEMBER'
        const { listed, filters } = readListQuery(request, isMember ? MemberQuery : Query, true)
        const filter = withTokenAddress(filters)
        const page = await pageOf(
          { request, set },
          { path: `${prefix}/executions`, filters: asText(filter), listed },
          (page) => executionQueries.list({ organizationId: caller.tenant, ...filter }, page),
          positionOfExecution,
        )
        const context = await viewContextFor(caller)
        return answer(
          { request, set },
          bodyOf({ set }, page, (row) => fullExecutionView(row, context)),
        )
      },
      listExecutionsDocs,
    )
    .get(
      '/executions/:id',
      async ({ params: { id }, caller, request, set }) => {
        const tenant = { organizationId: caller.tenant }
        const execution = await executionQueries.find(tenant, id)
        if (!execution || !isPublic(execution)) throw new Refusal('EXECUTION_NOT_FOUND')
        const isOneOfMany = execution.redriveOf !== null || execution.redrivenBy !== null
        const deposit = isOneOfMany ? await depositQueries.find(tenant, depositIdOfExecution(id)) : null
        const intent = await intents.load(execution.deposit.account)
        return answer({ request, set }, executionDetailView(execution, await viewContextFor(caller), deposit, intent))
      },
      getExecutionDocs,
    )
