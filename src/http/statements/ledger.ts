import { Elysia } from 'elysia'
import { type } from '../../domain/schema'
import type { LedgerLine, LedgerQueries } from '../../ports/limits'
import type { PagePosition } from '../../ports/records'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { bodyOf, orderedQuery, pageOf, readListQuery } from '../request/page'
import { asText } from '../routes/deposits'
import { example } from '../views/examples'
import { AddressFilter, ChainIdFilter, TimeFilter, withTokenAddress } from '../views/filter'
import type { FindToken } from '../views/find-token'
import { UserId } from '../views/scalar'
import { LedgerLineView, ledgerLineView } from './ledger-view'

type LedgerPorts = { ledger: Pick<LedgerQueries, 'lines'>; findToken: FindToken }

const Query = type({
  ...orderedQuery,
  'userId?': UserId,
  'depositAddress?': AddressFilter('Address where it arrived', example.depositAddress),
  'fromChainId?': ChainIdFilter('Source chain'),
  'fromTokenAddress?': AddressFilter('The token', example.baseUsdc),
  'createdFrom?': TimeFilter('Detected at this time or later', '2026-11-01T00:00:00.000Z'),
  'createdTo?': TimeFilter('Detected before this time', '2026-12-01T00:00:00.000Z'),
})

const positionOf = ({ first }: LedgerLine): PagePosition => ({ createdAt: first.deposit.detectedAt, id: first.id })

const listLedgerDocs = operationDocs({
  operationId: 'listLedger',
  tag: 'Service',
  summary: 'List the movements of each deposit in double entry',
  description:
    'One row per deposit with an execution, newest first unless `order` is `oldest`. The entries of a period, by their ' +
    '`at`, add up to its [statement](#/Service/getStatement), to the atomic unit and to the cent.',
  roles: everyRole.roles,
  query: Query,
  answers: { 200: { rows: LedgerLineView, description: 'The deposits with their entries.', headers: ['etag'] } },
  refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
})

/** The ledger of an organization (extensions 10.4). */
export const ledgerRoute = ({ ledger, findToken }: LedgerPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/ledger',
    async ({ caller, request, set }) => {
      const { listed, filters } = readListQuery(request, Query, true)
      const filter = withTokenAddress(filters)
      const page = await pageOf(
        { request, set },
        { path: `${prefix}/ledger`, filters: asText(filter), listed },
        (page) => ledger.lines({ organizationId: caller.tenant, ...filter }, page),
        positionOf,
      )
      const isPlatform = caller.tenant === null
      return answer(
        { request, set },
        bodyOf({ set }, page, (line) => ledgerLineView(line, { findToken, isPlatform })),
      )
    },
    listLedgerDocs,
  )
