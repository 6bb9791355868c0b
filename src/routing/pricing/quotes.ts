import type { SchedulerLike } from 'rxjs'
import { withDeadline } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { providerName } from '../../domain/execution/provider'
import type { Purpose } from '../../domain/execution/provider-budget'
import { type Candidate, directRoute, type Policy, type Route } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { approvedOutMinOf } from '../../domain/money/worth'
import { isGivenBack, type Seals, sealedOffers } from '../../domain/seals'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import {
  NothingToTake,
  ProviderPaused,
  ProviderRateLimited,
  ProviderUnavailable,
  RouteRefused,
  WorthUnknown,
} from '../../domain/unavailable'
import type { Aggregator, RouteRequest } from '../../ports/aggregator'
import type { Chains } from '../../ports/chain-client'
import type { Pauses } from '../../ports/pauses'
import type { Appraiser, Prices } from '../../ports/prices'
import { type Judged, judgeOffers } from './judge-offers'

export type Quoting = {
  aggregators: readonly Aggregator[]
  prices: Pick<Prices, 'usd'>
  /** Compares what an offer guarantees with the worth of what goes in. */
  appraiser: Appraiser
  /** Why a route may not be taken that can be read and is as asked; null when it may. Not the provider's fault. */
  objectionTo?: ((route: Route, request: RouteRequest) => string | null) | undefined
  /**
   * Whether a provider that failed with a request fails with any other as well. Absent, or for a preview, nobody looks.
   */
  isAway?: ((provider: string, failed: RouteRequest) => Promise<boolean>) | undefined
  /** Paused providers are not asked. */
  pauses?: Pauses
  /** All providers are asked at once, and none is waited for longer than this. */
  quoteTimeoutMs: number
  now: () => number
  /** Deposits by default. Where a provider allows no more, deposits come before previews. */
  purpose?: Purpose
  scheduler?: SchedulerLike
}

type Answer = { provider: string } & (
  | { route: Route | null }
  | { error: RoutingError }
  | { resting: ProviderUnavailable }
  | { paused: true }
  | { bug: unknown }
)

/**
 * Asks every provider at once and takes the best output within the policy. Among equal offers, the first in the list of
 * providers wins.
 *
 * @param amounts What to ask single providers for instead of the request's amount. With 0 or less, one is not asked.
 * @throws {RoutingError} NO_ROUTE when all say so; ROUTE_OUTSIDE_POLICY when there are offers but none may be taken;
 * else the most hopeful failure, which is one that may pass before one that will not.
 * @throws {WorthUnknown} when an offer may be taken as soon as somebody can say what it is worth.
 * @throws {ProviderUnavailable} when only a provider whose circuit is open could have more to offer.
 * @throws {ProviderPaused} when only a paused provider could. A bug is thrown when only the provider that has it could,
 * because it says nothing about the route.
 */
export async function bestQuote(
  request: RouteRequest,
  quoting: Quoting,
  amounts: ReadonlyMap<string, bigint> = new Map(),
): Promise<{ route: Route; candidates: Candidate[] }> {
  const aggregators = quoting.aggregators.filter(({ name }) => (amounts.get(name) ?? 1n) > 0n)
  const requestTo = ({ name }: Aggregator) => ({ ...request, amountIn: amounts.get(name) ?? request.amountIn })
  const answers = await Promise.all(aggregators.map((one) => ask(one, requestTo(one), quoting)))
  const offers = answers.flatMap((answer) => ('route' in answer && answer.route ? [answer.route] : []))
  const findings = await judgeOffers(offers, request, quoting.appraiser)
  const findingOf = (answer: Answer): Judged => ('route' in answer && answer.route && findings.get(answer.route)) || {}
  const eligible = offers.filter((offer) => !findings.get(offer)!.objection && !findings.get(offer)!.doubt)
  const best = eligible.reduce<Route | null>(
    (leader, route) => (leader && outputOf(leader) >= outputOf(route) ? leader : route),
    null,
  )
  const candidates = answers.map((answer) => candidateOf(answer, findingOf(answer), best, quoting.now()))
  const doubt = offers.map((offer) => findings.get(offer)!.doubt).find((each) => each !== undefined)
  if (best) return { route: best, candidates }
  if (doubt) throw new WorthUnknown(doubt, { candidates })
  const settledAnswers = await Promise.all(answers.map((answer) => unlessAway(answer, request, quoting)))
  throw failureOf(settledAnswers, candidates)
}

/** How soon a provider is asked again that is away, while its circuit is not open yet. */
const awayMs = 5_000

/** A provider that fails with everything is away. Who needs it waits, as while its circuit is open. */
async function unlessAway(answer: Answer, request: RouteRequest, { isAway, purpose }: Quoting): Promise<Answer> {
  if (!('error' in answer) || !answer.error.retryable || !isAway || purpose === 'PREVIEW') return answer
  const { provider, error } = answer
  if (!(await isAway(provider, request))) return answer
  return { provider, resting: new ProviderUnavailable(provider, awayMs, { cause: error }) }
}

async function ask(
  aggregator: Aggregator,
  request: RouteRequest,
  { quoteTimeoutMs, objectionTo, pauses, now, purpose, scheduler }: Quoting,
): Promise<Answer> {
  const provider = aggregator.name
  if (pauses?.find([pauseScopes.provider(provider)])) return { provider, paused: true }
  try {
    const { asker } = request
    const known = asker && purpose ? { ...request, asker: { ...asker, purpose } } : request
    const asked = (signal: AbortSignal) => aggregator.quote(known, signal)
    const offer = await withDeadline(quoteTimeoutMs, asked, scheduler)
    // The quote's age is measured by our clock, and a provider's may be wrong.
    const route = offer && { ...offer, quotedAt: now() }
    const objection = route && objectionTo?.(route, request)
    if (objection) return { provider, error: new RoutingError('PROVIDER_MALFORMED', { cause: new Error(objection) }) }
    return { provider, route }
  } catch (error) {
    if (error instanceof RoutingError) return { provider, error }
    if (error instanceof ProviderUnavailable) return { provider, resting: error }
    return { provider, bug: error }
  }
}

function failureOf(answers: Answer[], candidates: Candidate[]): unknown {
  const errors = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []))
  const rests = answers
    .flatMap((answer) => ('resting' in answer ? [answer.resting] : []))
    .toSorted((one, other) => one.askAgainInMs - other.askAgainInMs)
  // A turn comes for certain, so what has failed meanwhile costs no retry.
  const turn = rests.find((rest) => rest instanceof ProviderRateLimited)
  if (turn) return turn
  const passing = errors.find(({ retryable }) => retryable) ?? rests[0]
  if (passing) return passing
  if (answers.some((answer) => 'paused' in answer)) return new ProviderPaused()
  const buggy = answers.find((answer) => 'bug' in answer)
  if (buggy) return buggy.bug
  if (answers.some((answer) => 'route' in answer && answer.route))
    return new NothingToTake('ROUTE_OUTSIDE_POLICY', candidates)
  const isRefused = errors.some((error) => error instanceof RouteRefused)
  if (isRefused || errors.length === 0 || errors.length < answers.length)
    return new NothingToTake('NO_ROUTE', candidates)
  return errors[0]!
}

const outputOf = ({ amountOutExpected }: Route): bigint => amountOf(amountOutExpected)

function candidateOf(answer: Answer, { objection, doubt }: Judged, best: Route | null, at: number): Candidate {
  const { provider } = answer
  if ('resting' in answer) return { ...unknown(provider, at), outcome: 'NO_ANSWER', reason: answer.resting.why }
  if ('paused' in answer) return { ...unknown(provider, at), outcome: 'NO_ANSWER', reason: 'It is paused.' }
  if ('bug' in answer)
    return { ...unknown(provider, at), outcome: 'NO_ANSWER', reason: 'It failed for a reason nobody expected.' }
  if ('error' in answer)
    return { ...unknown(provider, at), outcome: outcomeOf(answer.error), reason: whyOf(answer.error) }
  if (!answer.route) return { ...unknown(provider, at), outcome: 'NO_ROUTE', reason: 'It has no route.' }
  const { amountOutExpected, amountOutMin, expectedSeconds, slippageBps, hops, quotedAt } = answer.route
  const offered = { provider, amountOutExpected, amountOutMin, expectedSeconds, slippageBps, hops, quotedAt }
  if (objection) return { ...offered, outcome: 'OUTSIDE_POLICY', reason: objection }
  if (doubt) return { ...offered, outcome: 'UNJUDGED', reason: doubt }
  return best === null || answer.route === best
    ? { ...offered, outcome: 'CHOSEN', reason: null }
    : { ...offered, outcome: 'NOT_BEST', reason: `${providerName(best.provider)} delivers more.` }
}

const whyOf = (error: RoutingError): string => (error instanceof RouteRefused ? error.why : error.message)
const outcomeOf = ({ retryable }: RoutingError): Candidate['outcome'] => (retryable ? 'NO_ANSWER' : 'REFUSED')

const unknown = (provider: string, quotedAt: number) => ({
  provider,
  amountOutExpected: null,
  amountOutMin: null,
  expectedSeconds: null,
  slippageBps: null,
  hops: null,
  quotedAt,
})

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
  chains: Chains
  seals: Seals
  now: () => number
  /** Called for each route that providers were asked for and that was found. */
  onQuoted?: ((reason: QuoteReason) => void) | undefined
}

/** `isGivenBack`: it is a refund, which goes by the RecoveryExecutor where that is open to the token. */
type Asked = RouteRequest & { isGivenBack: boolean }

export const requestOf = (execution: Execution, amountIn: bigint, policy: Policy): Asked => {
  const { id, organizationId, deposit, facts } = execution
  return {
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
    isGivenBack: isGivenBack(execution),
  }
}

/**
 * Finds a route for an amount. Money that is already on the right chain in the right token is paid out directly.
 *
 * @param why.amounts What to ask single providers for instead.
 */
export async function routeFor(
  executionId: string,
  { isGivenBack: isBack, ...request }: Asked,
  { quoting, chains, seals, now, onQuoted }: Routing,
  { reason, amounts }: { reason: QuoteReason; amounts?: ReadonlyMap<string, bigint> },
): Promise<{ route: Route; candidates: Candidate[] }> {
  const isDirect = request.fromChainId === request.toChainId && request.fromToken === request.toToken
  if (isDirect) {
    const route = directRoute(request, now())
    const { fromChainId, fromToken } = request
    const byRecovery = isBack && (await chains[fromChainId].hasWayBack(fromToken))
    return { route: byRecovery ? { ...route, kind: 'REFUND' } : route, candidates: [] }
  }
  const found = await bestQuote(request, quoting, amounts)
  onQuoted?.(reason)
  return { ...found, candidates: sealedOffers(seals, executionId, found) }
}

/** An older quote is asked for again. An execution that waits for a pause to end may wait for days. */
const quoteMaxAgeMs = 60_000

export const isStale = ({ facts }: Execution, at: number): boolean => facts.route!.quotedAt + quoteMaxAgeMs < at
