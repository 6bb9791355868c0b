import { Elysia } from 'elysia'
import { chains } from '../domain/chain'
import { RoutingError } from '../domain/error'
import { type } from '../domain/schema'
import type { IdempotentRequests } from '../ports/idempotency'
import type { DepositQueries } from '../ports/queries'
import { type Found, foundCodes, type Watch } from '../ports/watch'
import { authenticate } from './authenticate'
import { type Caller, everyRole, type Gate } from './caller'
import { Refusal } from './failure'
import { type Answer, idempotent } from './idempotent'
import { operation } from './operation'
import type { SurroundingsFor } from './surroundings'
import { DepositView, depositView } from './views/deposit'
import { example } from './views/examples'
import { HashFilter } from './views/filter'
import { ChainId, shown, Text } from './views/scalar'

export type RescanPorts = {
  watch: Watch
  depositQueries: DepositQueries
  surroundingsFor: SurroundingsFor
  idempotency: IdempotentRequests
  now: () => number
}

export const RescanRequest = type({
  fromChainId: ChainId('Where it was sent'),
  txHash: HashFilter('The transaction that should have paid', example.depositTxHash),
})
type RescanRequest = typeof RescanRequest.infer

export const RescanView = type({
  found: shown(type.enumerated(...foundCodes), 'What the transaction is to us', 'KNOWN'),
  deposits: shown(DepositView.array(), 'Those of your deposits that the transaction brought'),
  message: Text('One sentence to show to staff', 'This deposit was known already.'),
})

const messages: Record<Found, string> = {
  DEPOSIT: 'A deposit was found, and is on its way from now on.',
  KNOWN: 'This deposit was known already.',
  NOT_MINED: 'The transaction waits to be mined; try again when it is.',
  NOT_FOUND: 'The chain knows no such transaction; check the chain and the hash.',
  REVERTED: 'The transaction failed on the chain, so nothing was sent.',
  NO_TRANSFER_TO_US: 'The transaction pays none of your deposit addresses.',
  TOKEN_NOT_SUPPORTED: 'The transaction pays a token that is not supported.',
}

const access = { ...everyRole, rateClass: 'X' } as const

/** "My deposit is not showing." Source: beyond, 3.3. */
export const rescan = (ports: RescanPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, access)).post(
    '/deposits/rescan',
    async ({ body: { fromChainId, txHash }, caller, request, route, set }) => {
      const body = { fromChainId, txHash }
      return idempotent(ports.idempotency, ports.now, { request, path: route, set }, { caller, body }, () =>
        look(ports, caller, body),
      )
    },
    {
      body: RescanRequest,
      ...operation({
        operationId: 'rescanDeposit',
        tag: 'Deposits',
        summary: 'My deposit is not showing',
        description:
          'Reads the transaction from the chain now and takes in what it brought, as the scanner would: doing it ' +
          'twice is harmless. A transfer to another organization’s address is none to yours.',
        roles: everyRole.roles,
        rateClass: 'X',
        isMutation: true,
        bodyExample: { fromChainId: chains.base.id, txHash: example.depositTxHash },
        answers: { 200: { view: RescanView, description: 'What was found.' } },
        refusals: ['PROVIDER_UNAVAILABLE'],
      }),
    },
  )

async function look(
  { watch, depositQueries, surroundingsFor }: RescanPorts,
  caller: Caller,
  { fromChainId, txHash }: RescanRequest,
): Promise<Answer> {
  const organizationId = caller.tenant
  const { found, depositIds } = await watch.rescan(fromChainId, txHash, organizationId).catch((error) => {
    throw error instanceof RoutingError ? new Refusal('PROVIDER_UNAVAILABLE', said(error)) : error
  })
  const rows = await Promise.all(depositIds.map((id) => depositQueries.find({ organizationId }, id)))
  const around = await surroundingsFor(caller)
  const deposits = rows.filter((row) => row !== null).map((row) => depositView(row, around))
  return { status: 200, view: { found, deposits, message: messages[found] } }
}

const said = (cause: RoutingError) => ({ message: 'The chain cannot be read at present', cause })
