import type { Execution } from '../../domain/execution/execution'
import type { Candidate, Policy, Route } from '../../domain/execution/route'
import { approvedOutMinOf } from '../../domain/money/worth'
import { type Seals, sealedOffers } from '../../domain/seals'
import type { RouteRequest } from '../../ports/aggregator'
import { bestQuote, type Quoting } from './quotes'

/**
 * Why a route is asked for. FIRST: there is none yet. WHOLE_AMOUNT: the amount left after gas had none. STALE: the
 * quote is too old. GAS: the measured gas differs from what the quote was asked for. OTHERS: the chain or the signer
 * refused the route of one provider.
 */
export const quoteReasons = ['FIRST', 'WHOLE_AMOUNT', 'STALE', 'GAS', 'OTHERS'] as const
export type QuoteReason = (typeof quoteReasons)[number]

/** Whom to ask for a route, and the seals that prove that they were asked. */
export type Routing = {
  quoting: Quoting
  seals: Seals
  now: () => number
  /** Called for each route that providers were asked for and that was found. */
  onQuoted?: ((reason: QuoteReason) => void) | undefined
}

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
 * @param why.amounts What to ask single providers for instead.
 */
export async function routeFor(
  executionId: string,
  request: RouteRequest,
  { quoting, seals, now, onQuoted }: Routing,
  { reason, amounts }: { reason: QuoteReason; amounts?: ReadonlyMap<string, bigint> },
): Promise<{ route: Route; candidates: Candidate[] }> {
  const isDirect = request.fromChainId === request.toChainId && request.fromToken === request.toToken
  if (isDirect) return { route: directRoute(request, now()), candidates: [] }
  const found = await bestQuote(request, quoting, amounts)
  onQuoted?.(reason)
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
