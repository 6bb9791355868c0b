import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import type { Candidate, Policy, Route } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { splitDeposit } from '../../domain/money/fees'
import { approvedOutMinOf } from '../../domain/money/worth-approval'
import type { RouteRequest } from '../../ports/aggregator'
import { type Seals, sealedOffers } from '../../ports/seals'
import type { Step } from '../engine/step'
import type { Quoting } from '../pricing/quotes'
import { bestQuote } from '../pricing/quotes'

export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /** Whether the organization may have this execution this month; `SOON`: others are before it that may not come. */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** Of a relayer key it may hold so many times as many places as it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /** Whether the plan and the day leave the platform gas of this worth to pay, which is then taken (decision 45). */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Below this a deposit is not worth a quote: USD with 8 decimals. */
  dustFloorUsd: bigint
}

export const quotaLookMs = 1_000

/** Whom to ask for a route, and what marks that it was asked. */
export type Routing = { quoting: Quoting; seals: Seals; now: () => number }

/** The best route within the policy, for what is left after the protocol fee. Every candidate is kept. */
export const findRoute =
  ({ limits, ...routing }: Routing & { limits: Limits }): Step =>
  async (execution) => {
    const { id, organizationId, facts } = execution
    const { quoting, now } = routing
    if (await isDust(execution, quoting, limits)) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const isCounted = facts.quotaKey !== undefined // what a retry had, it keeps
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

/** Money that is where it should be, in the right token, is paid out without anybody's help. */
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

/** It ends the deposit, so one source's word is not enough. */
async function isDust(execution: Execution, { appraiser }: Quoting, { dustFloorUsd }: Limits): Promise<boolean> {
  const { chainId, token } = execution.deposit
  const usd = await appraiser.mostUsd(chainId, token, amountOf(execution.facts.balance!.totalReceivedRaw))
  return usd !== null && usd < dustFloorUsd
}
