import { Elysia } from 'elysia'
import { depositStages } from '../../domain/deposit/deposit-stage'
import { type } from '../../domain/schema'
import type { DepositFilter, DepositQueries, DepositRecord } from '../../ports/queries'
import type { PagePosition } from '../../ports/records'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { type Caller, everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { bodyOf, type ListQuery, listQuery, orderedQuery, pageOf, readListQuery } from '../request/page'
import { DepositDetailView, DepositView, depositDetailView, depositView } from '../views/deposit'
import { example } from '../views/examples'
import { AddressFilter, ChainIdFilter, HashFilter, NamesFilter, TimeFilter, withTokenAddress } from '../views/filter'
import { IdParams, UserId, UserParams } from '../views/scalar'
import type { ViewContextFor } from '../views/view-context'

type DepositPorts = { depositQueries: DepositQueries; viewContextFor: ViewContextFor }

const Stage = NamesFilter(
  depositStages,
  `one or several of ${depositStages.join(', ')}, separated by commas`,
  'Only those at these stages, separated by commas',
  'WAITING_FOR_INTENT,QUEUED',
)

const OfUserQuery = type({ ...listQuery, 'stage?': Stage })

/** The filters of a list of deposits. */
export const depositFilter = {
  'stage?': Stage,
  'userId?': UserId,
  'txHash?': HashFilter('The funding transaction', example.depositTxHash),
  'depositAddress?': AddressFilter('Address where it arrived', example.depositAddress),
  'fromAddress?': AddressFilter('The sender', example.sender),
  'fromChainId?': ChainIdFilter('Source chain'),
  'fromTokenAddress?': AddressFilter('The token', example.baseUsdc),
  'createdFrom?': TimeFilter('Detected at this time or later', '2026-11-01T00:00:00.000Z'),
  'createdTo?': TimeFilter('Detected before this time', '2026-12-01T00:00:00.000Z'),
} as const
const Query = type({ ...orderedQuery, ...depositFilter })

export const positionOfDeposit = ({ detectedAt, id }: DepositRecord): PagePosition => ({ createdAt: detectedAt, id })

const listAnswer = (description: string) => ({
  200: { rows: DepositView, description, headers: ['etag'] as const },
})

const listUserDepositsDocs = {
  params: UserParams,
  ...operationDocs({
    operationId: 'listUserDeposits',
    tag: 'Deposits',
    summary: 'List the deposits of a user',
    description: 'Newest first. An unknown user has an empty list.',
    roles: everyRole.roles,
    query: OfUserQuery,
    answers: listAnswer('The deposits.'),
    refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
  }),
}

const listDepositsDocs = operationDocs({
  operationId: 'listDeposits',
  tag: 'Deposits',
  summary: 'List the deposits of the organization',
  description:
    'Newest first unless `order` is `oldest`. All filters must match. Unlisted tokens (UNSUPPORTED) appear only if you filter by stage, ' +
    'token or hash.',
  roles: everyRole.roles,
  query: Query,
  answers: listAnswer('The deposits.'),
  refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
})

const getDepositDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'getDeposit',
    tag: 'Deposits',
    summary: 'Show a deposit with its history',
    description: 'The deposit as in the lists, with its state and its history.',
    roles: everyRole.roles,
    answers: { 200: { view: DepositDetailView, description: 'The deposit.', headers: ['etag'] } },
    refusals: ['DEPOSIT_NOT_FOUND'],
  }),
}

/** Deposits, from the moment their transaction was first seen (extensions 3.2). */
export function deposits({ depositQueries, viewContextFor }: DepositPorts, gate: Gate, prefix: string) {
  type Exchange = { request: Request; set: { headers: Record<string, string | number | undefined> } }

  async function list(
    exchange: Exchange,
    caller: Caller,
    path: string,
    filter: Omit<DepositFilter, 'organizationId'>,
    listed: ListQuery,
  ) {
    const tenant = { organizationId: caller.tenant }
    const { userId: _, ...named } = filter
    const filters = path.includes('/users/') ? named : filter
    const page = await pageOf(
      exchange,
      { path, filters: asText(filters), listed },
      (page) => depositQueries.list({ ...tenant, ...filter }, page),
      positionOfDeposit,
    )
    const context = await viewContextFor(caller)
    return answer(
      exchange,
      bodyOf(exchange, page, (row) => depositView(row, context)),
    )
  }

  return new Elysia({ prefix })
    .use(authenticate(gate, everyRole))
    .get(
      '/users/:userId/deposits',
      async ({ params: { userId }, caller, request, set }) => {
        const { listed, filters } = readListQuery(request, OfUserQuery, true)
        const path = `${prefix}/users/${encodeURIComponent(userId)}/deposits`
        return list({ request, set }, caller, path, { userId, ...filters }, listed)
      },
      listUserDepositsDocs,
    )
    .get(
      '/deposits',
      async ({ caller, request, set }) => {
        const { listed, filters } = readListQuery(request, Query, true)
        return list({ request, set }, caller, `${prefix}/deposits`, withTokenAddress(filters), listed)
      },
      listDepositsDocs,
    )
    .get(
      '/deposits/:id',
      async ({ params: { id }, caller, request, set }) => {
        const depositRecord = await depositQueries.find({ organizationId: caller.tenant }, id)
        if (!depositRecord) throw new Refusal('DEPOSIT_NOT_FOUND')
        return answer({ request, set }, depositDetailView(depositRecord, await viewContextFor(caller)))
      },
      getDepositDocs,
    )
}

/** Returns the filters in their URL form. */
export const asText = (filters: object): Record<string, string | number | undefined> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.join(',')
        : name === 'createdFrom' || name === 'createdTo'
          ? value && new Date(value as number).toISOString()
          : value,
    ]),
  )
