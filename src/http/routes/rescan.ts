import { Elysia } from 'elysia'
import { type ChainId as ChainIdNumber, chains } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import { type RescanOutcome, rescanOutcomes } from '../../domain/deposit/rescan-outcome'
import { RoutingError } from '../../domain/error'
import { type, view } from '../../domain/schema'
import type { Watch } from '../../ports/detection'
import type { IdempotentRequests } from '../../ports/limits'
import type { DepositQueries } from '../../ports/queries'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { type Caller, everyRole, type Gate } from '../request/caller'
import { Refusal } from '../request/failure'
import { type Answer, idempotent } from '../request/idempotent'
import { DepositView, depositView } from '../views/deposit'
import { example } from '../views/examples'
import { HashFilter, IdFilter } from '../views/filter'
import { ChainId, described, Text } from '../views/scalar'
import type { ViewContextFor } from '../views/view-context'

type RescanPorts = {
  watch: Watch
  depositQueries: DepositQueries
  viewContextFor: ViewContextFor
  idempotency: IdempotentRequests
  now: () => number
}

export const RescanRequest = type({
  'fromChainId?': ChainId('Chain on which it was sent'),
  'txHash?': HashFilter('Transaction that should have made a deposit', example.depositTxHash),
  'depositId?': IdFilter('Instead of the other two: a deposit of stage UNSUPPORTED', example.unsupportedId),
})
type RescanRequest = typeof RescanRequest.infer

export const RescanView = view({
  found: described(type.enumerated(...rescanOutcomes), 'The result', 'KNOWN'),
  deposits: described(DepositView.array(), 'Your deposits from the transaction'),
  message: Text('A sentence for your staff', 'This deposit is already recorded.'),
})

/** The subject of a rescan: a transaction, or a deposit of an unlisted token. */
type RescanTarget = { fromChainId: ChainIdNumber; txHash: Hash } | { depositId: string }

function targetOf({
  fromChainId,
  txHash,
  depositId,
}: { [Name in keyof RescanRequest]: RescanRequest[Name] | undefined }): RescanTarget {
  if (depositId !== undefined) return { depositId }
  if (fromChainId === undefined) throw new Refusal('VALIDATION_FAILED', { message: 'fromChainId is required' })
  if (txHash === undefined) throw new Refusal('VALIDATION_FAILED', { message: 'txHash is required' })
  return { fromChainId, txHash }
}

const untraced =
  'Payments by contracts in it could not be checked, because no node traces them. The balance sweep finds such payments.'

const messages: Record<RescanOutcome, string> = {
  DEPOSIT: 'A deposit was found and is now being routed.',
  KNOWN: 'This deposit is already recorded.',
  NOT_MINED: 'The transaction is not mined yet; try again after it is mined.',
  NOT_FOUND: 'The chain has no such transaction; check the chain and the hash.',
  REVERTED: 'The transaction failed on the chain, so nothing was sent.',
  NO_TRANSFER_TO_US: 'The transaction pays none of your deposit addresses.',
  NOT_TRACED: `The transaction transfers no tokens to your deposit addresses and pays them no native coin directly. ${untraced}`,
  TOKEN_NOT_SUPPORTED:
    'The token is unlisted. Either the account holds none of it beyond existing deposits, or the contract returns no ' +
    'balance.',
}

const access = { ...everyRole, rateClass: 'X' } as const

/** Serves the complaint "my deposit is not showing" (extensions 3.3). */
export const rescan = (ports: RescanPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, access)).post(
    '/deposits/rescan',
    async ({ body: { fromChainId, txHash, depositId }, caller, request, route, set }) => {
      const body = targetOf({ fromChainId, txHash, depositId })
      return idempotent(ports.idempotency, ports.now, { request, path: route, set }, { caller, body }, () =>
        rescanNow(ports, caller, body),
      )
    },
    {
      body: RescanRequest,
      ...operationDocs({
        operationId: 'rescanDeposit',
        tag: 'Deposits',
        summary: 'Find a deposit that is not showing',
        description:
          'Reads the transaction from the chain now and records its deposits, as the scanner would. It is safe to ' +
          'repeat. A transfer to another organization’s address is not shown. A deposit of an unlisted token (stage ' +
          'UNSUPPORTED) is then routed; `depositId` accepts only such a deposit. It ends in FAILED_INVALID_INPUT if ' +
          'the token cannot be routed.',
        roles: everyRole.roles,
        rateClass: 'X',
        isMutation: true,
        bodyExample: { fromChainId: chains.base.id, txHash: example.depositTxHash },
        answers: { 200: { view: RescanView, description: 'The result.' } },
        refusals: ['DEPOSIT_NOT_FOUND', 'PROVIDER_UNAVAILABLE'],
      }),
    },
  )

async function rescanNow(
  { watch, depositQueries, viewContextFor }: RescanPorts,
  caller: Caller,
  target: RescanTarget,
): Promise<Answer> {
  const organizationId = caller.tenant
  const rescanning =
    'depositId' in target
      ? watch.rescanUnsupported(target.depositId, organizationId)
      : watch.rescan(target.fromChainId, target.txHash, organizationId)
  const rescanned = await rescanning.catch((error) => {
    throw error instanceof RoutingError ? new Refusal('PROVIDER_UNAVAILABLE', chainUnreadable(error)) : error
  })
  if (!rescanned) throw new Refusal('DEPOSIT_NOT_FOUND')
  const { found, depositIds, isUntraced } = rescanned
  const rows = await Promise.all(depositIds.map((id) => depositQueries.find({ organizationId }, id)))
  const context = await viewContextFor(caller)
  const deposits = rows.filter((row) => row !== null).map((row) => depositView(row, context))
  const message = isUntraced ? `${messages[found]} ${untraced}` : messages[found]
  return { status: 200, view: { found, deposits, message } }
}

const chainUnreadable = (cause: RoutingError) => ({ message: 'The chain cannot be read at the moment', cause })
