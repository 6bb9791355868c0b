import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import type { Candidate, Policy, Route } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { splitDeposit } from '../../domain/money/fees'
import { approvedOutMinOf } from '../../domain/money/worth-approval'
import type { RouteRequest } from '../../ports/aggregator'
import { type Seals, sealedOffers } from '../../ports/seals'
import type { Step } from '../engine/advance'
import type { Quoting } from '../pricing/quotes'
import { bestQuote } from '../pricing/quotes'

export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /**
   * Whether the organization's monthly quota has a place for this execution. `SOON`: all places are held, but some may
   * become free.
   */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** How many times as many places of a relayer the organization may hold as it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /**
   * Takes gas of this worth out of the plan's budget for the day; false when there is not enough left (decision 45).
   */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Below this a deposit is not worth a quote, in USD with 8 decimals. */
  dustFloorUsd: bigint
}

export const quotaLookMs = 1_000

/** Whom to ask for a route, and the seals that prove that they were asked. */
export type Routing = { quoting: Quoting; seals: Seals; now: () => number }

/** Finds the best route within the policy, for what is left after the protocol fee. Every candidate is kept. */
export const findRoute =
  ({ limits, ...routing }: Routing & { limits: Limits }): Step =>
  async (execution) => {
    const { id, organizationId, facts } = execution
    const { quoting, now } = routing
    if (await isDust(execution, quoting, limits)) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const isCounted = facts.quotaKey !== undefined // a retry keeps the place in the quota that it had
    const quota = isCounted ? 'YES' : await limits.hasQuota(execution, now())
    if (quota === 'NO') throw new RoutingError('MONTHLY_QUOTA_REACHED')
    if (quota === 'SOON') return { askAgainInMs: quotaLookMs, waitingFor: 'QUOTA' }
    const policy = await limits.policyOf(organizationId)
    if (policy.requiresSponsoredGas && !facts.intent!.sponsoredGas) throw new RoutingError('ROUTE_OUTSIDE_POLICY')
    const totalReceivedRaw = amountOf(facts.balance!.totalReceivedRaw)
    const { protocolFeeBps } = facts.intent!
    const { amountForSwapRaw } = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw: 0n })
    if (amountForSwapRaw <= 0n) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const found = await routeFor(id, requestOf(execution, amountForSwapRaw, policy), routing)
    return { type: 'route found', facts: { ...found, policy } }
  }

export const requestOf = ({ deposit, facts }: Execution, amountIn: bigint, policy: Policy): RouteRequest => ({
  fromChainId: deposit.chainId,
  fromToken: deposit.token,
  amountIn,
  toChainId: facts.intent!.targetChainId,
  toToken: facts.intent!.targetTokenAddress,
  account: deposit.account,
  recipient: facts.intent!.targetAddress,
  policy,
  approvedOutMin: approvedOutMinOf(facts),
})

/** Finds a route for an amount. Money that is already on the right chain in the right token is paid out directly. */
export async function routeFor(
  executionId: string,
  request: RouteRequest,
  { quoting, seals, now }: Routing,
): Promise<{ route: Route; candidates: Candidate[] }> {
  const isDirect = request.fromChainId === request.toChainId && request.fromToken === request.toToken
  if (isDirect) return { route: directRoute(request, now()), candidates: [] }
  const found = await bestQuote(request, quoting)
  return { ...found, candidates: sealedOffers(seals, executionId, found) }
}

const directRoute = ({ amountIn }: RouteRequest, quotedAt: number): Route => ({
  provider: 'direct',
  kind: 'DIRECT',
  amountIn: String(amountIn),
  amountOutExpected: String(amountIn),
  amountOutMin: String(amountIn),
  expectedSeconds: 0,
  hops: 0,
  slippageBps: 0,
  call: null,
  reference: null,
  quotedAt,
})

/** Whether the deposit is worth less than the dust floor. This ends it, so one source's price is not enough. */
async function isDust(execution: Execution, { appraiser }: Quoting, { dustFloorUsd }: Limits): Promise<boolean> {
  const { chainId, token } = execution.deposit
  const usd = await appraiser.mostUsd(chainId, token, amountOf(execution.facts.balance!.totalReceivedRaw))
  return usd !== null && usd < dustFloorUsd
}
