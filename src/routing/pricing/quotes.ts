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
import {
  NothingToTake,
  ProviderPaused,
  ProviderRateLimited,
  ProviderUnavailable,
  RouteRefused,
  WorthUnknown,
} from '../../domain/unavailable'
import type { Chains } from '../../ports/chain-client'
import type { Gate, ReadableRoute, RouteRequest } from '../../ports/gate'
import type { Appraiser, Prices } from '../../ports/prices'
import { type Judged, judgeOffers } from './judge-offers'

export type Quoting = {
  aggregators: readonly Gate[]
  prices: Pick<Prices, 'usd'>
  /** Compares an offer's guaranteed output with the value of its input. */
  appraiser: Appraiser
  /** Why a well-formed route that matches the request may not be taken; null if it may. Not the provider's fault. */
  objectionTo?: ((route: Route, request: RouteRequest) => string | null) | undefined
  /** Time limit for each provider's response. All are queried together. */
  quoteTimeoutMs: number
  now: () => number
  /** Deposits by default. If a provider's rate limit is reached, deposits come before previews. */
  purpose?: Purpose
  scheduler?: SchedulerLike
}

type Answer = { provider: string } & (
  | { route: ReadableRoute | null }
  | { error: RoutingError; isOurs?: true }
  | { resting: ProviderUnavailable }
  | { paused: true }
  | { bug: unknown }
)

/**
 * Queries all providers together and takes the best output within the policy. Among equal offers, the first in the list
 * of providers wins.
 *
 * @param amounts Input amount per provider, overriding the request's. A provider with an amount of 0 or less is
 * skipped.
 * @throws {RoutingError} NO_ROUTE if all providers report so; ROUTE_OUTSIDE_POLICY if there are offers but none may be
 * taken; otherwise a provider's own error, retryable errors first.
 * @throws {WorthUnknown} if an offer could be taken once its value is known.
 * @throws {ProviderUnavailable} if only a provider with an open circuit could offer more.
 * @throws {ProviderPaused} if only a paused provider could. A bug is rethrown only if its provider alone could offer
 * more, because a bug proves nothing about the route.
 */
export async function bestQuote(
  request: RouteRequest,
  quoting: Quoting,
  amounts: ReadonlyMap<string, bigint> = new Map(),
): Promise<{ route: Route; candidates: Candidate[] }> {
  const aggregators = quoting.aggregators.filter(({ name }) => (amounts.get(name) ?? 1n) > 0n)
  const requestTo = ({ name }: Gate) => ({ ...request, amountIn: amounts.get(name) ?? request.amountIn })
  const answers = await Promise.all(aggregators.map((one) => ask(one, requestTo(one), quoting)))
  const offers = answers.flatMap((answer) => ('route' in answer && answer.route ? [answer.route] : []))
  const findings = await judgeOffers(offers, request, quoting.appraiser)
  const findingOf = (answer: Answer): Judged => ('route' in answer && answer.route && findings.get(answer.route)) || {}
  const eligible = offers.filter((offer) => !findings.get(offer)!.objection && !findings.get(offer)!.doubt)
  const best = eligible.reduce<ReadableRoute | null>(
    (leader, route) => (leader && outputOf(leader) >= outputOf(route) ? leader : route),
    null,
  )
  const candidates = answers.map((answer) => candidateOf(answer, findingOf(answer), best, quoting.now()))
  const doubt = offers.map((offer) => findings.get(offer)!.doubt).find((each) => each !== undefined)
  if (best) return { route: best, candidates }
  if (doubt) throw new WorthUnknown(doubt, { candidates })
  const settledAnswers = await Promise.all(answers.map((answer) => unlessAtFault(answer, request, quoting)))
  throw failureOf(settledAnswers, candidates)
}

/** Delay before a provider that failed for every caller is queried again. */
const awayMs = 5_000
/** How long a deposit waits without a retry while the provider's limit allows no test, in milliseconds. */
const unknownMs = 15 * 60_000

/** If the provider is at fault, the deposit waits, and its next attempt uses no retry. */
async function unlessAtFault(answer: Answer, request: RouteRequest, quoting: Quoting): Promise<Answer> {
  const { aggregators, purpose, now } = quoting
  if (!('error' in answer) || answer.isOurs || !answer.error.retryable || purpose === 'PREVIEW') return answer
  const { provider, error } = answer
  const fault = await aggregators.find(({ name }) => name === provider)!.blame(request, error)
  const { asker } = request
  const isLong = asker && asker.waitingSince !== null && now() >= asker.waitingSince + unknownMs
  if (fault === 'REQUEST' || (fault === 'UNKNOWN' && (!asker || isLong))) return answer
  return { provider, resting: new ProviderUnavailable(provider, awayMs, { cause: error }) }
}

async function ask(
  aggregator: Gate,
  request: RouteRequest,
  { quoteTimeoutMs, objectionTo, now, purpose, scheduler }: Quoting,
): Promise<Answer> {
  const provider = aggregator.name
  try {
    const { asker } = request
    const known = asker && purpose ? { ...request, asker: { ...asker, purpose } } : request
    const asked = (signal: AbortSignal) => aggregator.quote(known, signal)
    const offer = await withDeadline(quoteTimeoutMs, asked, scheduler)
    // The quote's age is measured by our clock. A provider's clock may be wrong.
    const route = offer && { ...offer, quotedAt: now() }
    const objection = route && objectionTo?.(route, request)
    if (objection)
      return { provider, isOurs: true, error: new RoutingError('PROVIDER_MALFORMED', { cause: new Error(objection) }) }
    return { provider, route }
  } catch (error) {
    if (error instanceof ProviderPaused) return { provider, paused: true }
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
  // A rate limit always ends, so other failures in this round use no retry.
  const turn = rests.find((rest) => rest instanceof ProviderRateLimited)
  if (turn) return turn
  const passing = errors.find(({ retryable }) => retryable) ?? rests[0]
  if (passing) return passing
  if (answers.some((answer) => 'paused' in answer)) return new ProviderPaused()
  const buggy = answers.find((answer) => 'bug' in answer)
  if (buggy) return buggy.bug
  const isRefused = errors.some((error) => error instanceof RouteRefused)
  // A provider that refuses our credentials reports nothing about the route, so the others alone end no deposit.
  const locked = answers.find((answer) => 'error' in answer && answer.error.code === 'PROVIDER_UNAUTHORIZED')
  if (locked && (isRefused || errors.length < answers.length)) return new ProviderUnavailable(locked.provider, awayMs)
  if (answers.some((answer) => 'route' in answer && answer.route))
    return new NothingToTake('ROUTE_OUTSIDE_POLICY', candidates)
  if (isRefused || errors.length === 0 || errors.length < answers.length)
    return new NothingToTake('NO_ROUTE', candidates)
  return errors[0]!
}

const outputOf = ({ amountOutExpected }: Route): bigint => amountOf(amountOutExpected)

function candidateOf(answer: Answer, { objection, doubt }: Judged, best: Route | null, at: number): Candidate {
  const { provider } = answer
  if ('resting' in answer) return { ...unknown(provider, at), outcome: 'NO_ANSWER', reason: answer.resting.why }
  if ('paused' in answer) return { ...unknown(provider, at), outcome: 'NO_ANSWER', reason: 'It is paused.' }
  if ('bug' in answer) return { ...unknown(provider, at), outcome: 'NO_ANSWER', reason: 'It failed unexpectedly.' }
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
 * Why a route is requested. FIRST: there is none yet. WHOLE_AMOUNT: the amount left after gas had none. STALE: the
 * quote is too old. GAS: the measured gas differs from the gas assumed in the request. OTHERS: the chain or the signer
 * refused the route of one provider.
 */
export const quoteReasons = ['FIRST', 'WHOLE_AMOUNT', 'STALE', 'GAS', 'OTHERS'] as const
export type QuoteReason = (typeof quoteReasons)[number]

/** The providers to query for a route, and the seals that prove their responses. */
export type Routing = {
  quoting: Quoting
  chains: Chains
  seals: Seals
  now: () => number
  /** Called for each route that providers quoted. */
  onQuoted?: ((reason: QuoteReason) => void) | undefined
}

/** `isGivenBack`: it is a refund, which goes through the RecoveryExecutor if that is open to the token. */
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
 * Finds a route for an amount. Money already on the right chain in the right token is paid out directly.
 *
 * @param why.amounts Input amount per provider, overriding the request's.
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

/** Quotes older than this are replaced. An execution that waits for a pause to end may wait for days. */
const quoteMaxAgeMs = 60_000

export const isStale = ({ facts }: Execution, at: number): boolean => facts.route!.quotedAt + quoteMaxAgeMs < at
