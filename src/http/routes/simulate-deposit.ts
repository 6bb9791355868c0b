import { Elysia } from 'elysia'
import { accountAddressOf, accountSaltOf } from '../../domain/chain/account'
import { chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { type DepositIntent, type IntentSnapshot, snapshotOf } from '../../domain/deposit/deposit-intent'
import { errorRow, RoutingError } from '../../domain/error'
import { type Execution, newExecution } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { routeIdOf } from '../../domain/execution/route'
import { isTerminal } from '../../domain/execution/status'
import { type Token, type TokenList, tokenAddressOf } from '../../domain/money/token'
import { RoutingPaused, WorthUnknown } from '../../domain/unavailable'
import type { Executions } from '../../ports/executions'
import type { Preview } from '../../ports/prices'
import type { DepositIntents } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { addressIn } from '../request/address-in'
import { authenticate } from '../request/authenticate'
import { type Caller, clientOnly, type Gate } from '../request/caller'
import { Refusal, type RefusalCode, refusals } from '../request/failure'
import { SimulationRequest, SimulationView, simulationExample, simulationView } from '../views/simulation'
import { type targetCheck, targetRefusals } from './check-target'
import { checkQuota } from './quota'
import type { AccountFactory, Users } from './users'

type SimulationPorts = {
  intents: DepositIntents
  users: Users
  executions: Pick<Executions, 'countQuota'>
  tokens: TokenList
  factory: AccountFactory
  preview: Preview
  checkTarget: ReturnType<typeof targetCheck>
  now: () => number
}

const access = { ...clientOnly, rateClass: 'S' } as const

const simulateDepositDocs = {
  body: SimulationRequest,
  ...operationDocs({
    operationId: 'simulateDeposit',
    tag: 'Simulation',
    summary: 'Simulate a deposit',
    description:
      'Finds the route, fees and output with live data, with the same steps as a real deposit. Nothing is stored, ' +
      'signed or sent, and the user need not exist. A deposit that would fail returns 422 and its ' +
      'final status. One that would wait for an operator or a pause returns 503.',
    roles: clientOnly.roles,
    rateClass: 'S',
    bodyExample: {
      userId: 'user-1',
      fromChainId: chains.base.id,
      fromTokenSymbol: 'USDC',
      amountInAtomic: '25000000',
    },
    answers: { 200: { view: SimulationView, description: 'The simulated deposit.', example: simulationExample } },
    refusals: [
      ...targetRefusals,
      'NO_DEPOSIT_INTENT',
      'TOKEN_BLACKLISTED',
      'FAILED_UNROUTABLE_MAIN',
      'FAILED_INVALID_INPUT',
      'FAILED_INSUFFICIENT_AFTER_FEES',
      'QUOTA_EXCEEDED',
      'PROVIDER_UNAVAILABLE',
      'ROUTING_PAUSED',
    ],
  }),
}

/** Simulates a deposit with the same steps as a real one. Nothing is stored (interface 4.7; decision 13). */
export const simulateDeposit = (ports: SimulationPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix }).use(authenticate(gate, access)).post(
    '/routing/simulate-deposit',
    async ({ body, caller, set }) => {
      set.headers['cache-control'] = 'no-store'
      const { organization } = caller
      const existing = await ports.users.find(organization, body.userId)
      const stored = existing && (await ports.intents.load(existing))
      const intent = targetOf(body, stored, caller)
      const token = ports.tokens.findBySymbol(body.fromChainId, body.fromTokenSymbol)
      if (!token)
        throw new Refusal('VALIDATION_FAILED', {
          message: 'fromTokenSymbol must be the symbol of a token on the source chain',
        })
      await checkQuota(ports, organization)
      const account = existing ?? addressOf(caller, body.userId, ports.factory)
      // A stored target was checked when it was stored. If it has become invalid since, the simulated status shows it.
      if (isOverridden(body)) await ports.checkTarget.all(intent, { id: account, organizationId: organization.id })
      const deposit = simulatedExecution(body, token, account, organization.id, ports.now())
      const routeId = routeIdOf({
        organizationId: organization.id,
        userId: body.userId,
        executionId: deposit.id,
        intent,
      })
      const previewed = await ports.preview(deposit, intent, routeId).catch((error) => {
        throw refusalOf(error)
      })
      return simulationView(previewed, stored !== null, ports.tokens.find.bind(ports.tokens))
    },
    simulateDepositDocs,
  )

/** Returns the stored intent with the overrides. All three overrides together need no stored intent. */
function targetOf(body: SimulationRequest, stored: DepositIntent | null, { actor, terms }: Caller): IntentSnapshot {
  const { overrideTargetChainId: chain, overrideTargetTokenAddress: token, overrideTargetAddress: recipient } = body
  const base = stored && snapshotOf(stored)
  const targetChainId = chain ?? base?.targetChainId
  const named = token === undefined ? base?.targetTokenAddress : addressIn('overrideTargetTokenAddress', token)
  const targetAddress = recipient === undefined ? base?.targetAddress : addressIn('overrideTargetAddress', recipient)
  if (targetChainId === undefined || named === undefined || targetAddress === undefined)
    throw new Refusal('NO_DEPOSIT_INTENT')
  const targetTokenAddress = tokenAddressOf(targetChainId, named)
  return { ...(base ?? { version: 1, apiKeyId: actor.id, ...terms }), targetChainId, targetTokenAddress, targetAddress }
}

const isOverridden = (body: SimulationRequest): boolean =>
  body.overrideTargetChainId !== undefined ||
  body.overrideTargetTokenAddress !== undefined ||
  body.overrideTargetAddress !== undefined

const addressOf = ({ organization }: Caller, userId: string, factory: AccountFactory): Address =>
  accountAddressOf({ ...factory, accountSalt: accountSaltOf(organization.salt, userId) })

/** Returns the record that intake would create. */
export function simulatedExecution(
  { userId, amountInAtomic }: Pick<SimulationRequest, 'userId' | 'amountInAtomic'>,
  { chainId, address, symbol, decimals }: Token,
  account: Address,
  organizationId: string,
  at: number,
): Execution {
  const id = `${chainId}:simulation:${crypto.randomUUID()}`
  const deposit = {
    lane: laneId(account, chainId, address),
    account,
    chainId,
    token: address,
    symbol,
    decimals,
    amountRaw: amountInAtomic,
    block: 0,
    txHash: null,
    logIndex: null,
    fromAddress: null,
    detectedBy: [],
    detectedAt: at,
  }
  return newExecution({ id, organizationId, userId, deposit, machineVersion: '1' }, at)
}

const waitsForWorth =
  'The output cannot be valued now: a deposit would wait until two sources agree on a price or an operator approves it'

/**
 * A deposit that would fail is answered with 422 and its final status. A temporary failure is answered with 503. So is
 * a deposit that would wait for an operator or the end of a pause, because it has no final status yet.
 */
function refusalOf(error: unknown): unknown {
  if (error instanceof WorthUnknown)
    return new Refusal('PROVIDER_UNAVAILABLE', { message: waitsForWorth, cause: error })
  if (error instanceof RoutingPaused) return new Refusal('ROUTING_PAUSED', { cause: error })
  if (!(error instanceof RoutingError)) return error
  const { endsIn } = errorRow(error.code)
  if (endsIn === 'QUOTA_EXCEEDED') return new Refusal('QUOTA_EXCEEDED', { headers: { 'retry-after': '3600' } })
  if (error.retryable || endsIn === null || !isTerminal(endsIn))
    return new Refusal('PROVIDER_UNAVAILABLE', { cause: error })
  const code: RefusalCode = endsIn in refusals ? (endsIn as RefusalCode) : 'FAILED_UNROUTABLE_MAIN'
  return new Refusal(code, { message: error.message, body: { code } })
}
