import type { Execution } from '../../domain/execution/execution'
import type { Candidate, Policy, Route } from '../../domain/execution/route'
import { approvedOutMinOf } from '../../domain/money/worth'
import { type Seals, sealedOffers } from '../../domain/seals'
import type { RouteRequest } from '../../ports/aggregator'
import { bestQuote, type Quoting } from './quotes'

/** Whom to ask for a route, and the seals that prove that they were asked. */
export type Routing = { quoting: Quoting; seals: Seals; now: () => number }

export const requestOf = (
  { id, organizationId, deposit, facts }: Execution,
  amountIn: bigint,
  policy: Policy,
): RouteRequest => ({
  fromChainId: deposit.chainId,
  fromToken: deposit.token,
  amountIn,
  toChainId: facts.intent!.targetChainId,
  toToken: facts.intent!.targetTokenAddress,
  account: deposit.account,
  recipient: facts.intent!.targetAddress,
  policy,
  approvedOutMin: approvedOutMinOf(facts),
  asker: {
    id,
    organizationId,
    purpose: 'DEPOSIT',
    waitingSince: facts.waiting?.for === 'PROVIDER' ? facts.waiting.since : null,
  },
})

/**
 * Finds a route for an amount. Money that is already on the right chain in the right token is paid out directly.
 *
 * @param amounts What to ask single providers for instead.
 */
export async function routeFor(
  executionId: string,
  request: RouteRequest,
  { quoting, seals, now }: Routing,
  amounts?: ReadonlyMap<string, bigint>,
): Promise<{ route: Route; candidates: Candidate[] }> {
  const isDirect = request.fromChainId === request.toChainId && request.fromToken === request.toToken
  if (isDirect) return { route: directRoute(request, now()), candidates: [] }
  const found = await bestQuote(request, quoting, amounts)
  return { ...found, candidates: sealedOffers(seals, executionId, found) }
}

/** The route of a deposit that is delivered as it arrived: on its own chain, in its own token. */
export const directRoute = ({ amountIn }: Pick<RouteRequest, 'amountIn'>, quotedAt: number): Route => ({
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

/** An older quote is asked for again. An execution that waits for a pause to end may wait for days. */
const quoteMaxAgeMs = 60_000

export const isStale = ({ facts }: Execution, at: number): boolean => facts.route!.quotedAt + quoteMaxAgeMs < at
