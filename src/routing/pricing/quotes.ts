import type { SchedulerLike } from 'rxjs'
import { withDeadline } from '../../domain/concurrency'
import { isEnding, RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { providerName } from '../../domain/execution/provider'
import { type Candidate, directRoute, type Policy, type Route } from '../../domain/execution/route'
import type { Purpose } from '../../domain/limits/provider-budget'
import { amountOf } from '../../domain/money/amount'
import { approvedOutMinOf, nativeFeeExchange, type Offer, type Verdict, withApproval } from '../../domain/money/worth'
import { isOperatorRefund, type Seals, sealedOffers } from '../../domain/seals'
import {
  NothingToTake,
  ProviderPaused,
  ProviderRateLimited,
  ProviderUnavailable,
  RouteRefused,
  SignerUnable,
  WorthUnknown,
} from '../../domain/unavailable'
import type { Chains } from '../../ports/chain-client'
import type { Gate, ReadableRoute, RouteRequest } from '../../ports/gate'
import type { Appraiser, Prices } from '../../ports/prices'
import type { UnreadUntil } from '../../ports/signer'

export type QuotePorts = {
  aggregators: readonly Gate[]
  prices: Pick<Prices, 'usd'>
  /** Compares an offer's guaranteed output with the value of its input. */
  appraiser: Appraiser
  /** Why a well-formed route that matches the request may not be taken; null if it may. Not the provider's fault. */
  objectionTo?: ((route: Route, request: RouteRequest) => string | null) | undefined
  /** Returns the time until which the signer counts as unable to read this kind of call; null if it can read it. */
  unreadUntil?: UnreadUntil | undefined
  /** Time limit for each provider's response. All are queried together. */
  quoteTimeoutMs: number
  now: () => number
  /** Deposits by default. If a provider's rate limit is reached, deposits come before previews. */
  purpose?: Purpose
  scheduler?: SchedulerLike
}

type Answer = { provider: string } & (
  | { route: ReadableRoute | null; unread?: SignerUnable }
  | { error: RoutingError; isOurs?: true }
  | { resting: ProviderUnavailable | SignerUnable }
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
 * @throws {ProviderUnavailable} if only a provider that is shut or at its rate limit could offer more.
 * @throws {SignerUnable} if only a route that the signer cannot read could be taken.
 * @throws {ProviderPaused} if only a paused provider could. A bug is rethrown only if its provider alone could offer
 * more, because a bug proves nothing about the route.
 */
export async function bestQuote(
  request: RouteRequest,
  quoting: QuotePorts,
  amounts: ReadonlyMap<string, bigint> = new Map(),
): Promise<{ route: Route; candidates: Candidate[] }> {
  const aggregators = quoting.aggregators.filter(({ name }) => (amounts.get(name) ?? 1n) > 0n)
  const requestTo = ({ name }: Gate) => ({ ...request, amountIn: amounts.get(name) ?? request.amountIn })
  const answers = await Promise.all(aggregators.map((one) => ask(one, requestTo(one), quoting)))
  const findings = await judgeOffers(answers.flatMap(offersIn), request, quoting.appraiser)
  const findingOf = (answer: Answer): Judgement =>
    ('route' in answer && answer.route && findings.get(answer.route)) || {}
  const readable = answers.map((answer) => unlessUnread(answer, findingOf(answer)))
  const offers = readable.flatMap(offersIn)
  const eligible = offers.filter((offer) => !findings.get(offer)!.objection && !findings.get(offer)!.doubt)
  const best = eligible.reduce<ReadableRoute | null>(
    (leader, route) => (leader && outputOf(leader) >= outputOf(route) ? leader : route),
    null,
  )
  const candidates = readable.map((answer) => candidateOf(answer, findingOf(answer), best, quoting.now()))
  const doubt = offers.map((offer) => findings.get(offer)!.doubt).find((each) => each !== undefined)
  if (best) return { route: best, candidates }
  if (doubt) throw new WorthUnknown(doubt, { candidates })
  const settledAnswers = await Promise.all(readable.map((answer) => unlessAtFault(answer, request, quoting)))
  throw failureOf(settledAnswers, candidates)
}

const offersIn = (answer: Answer): ReadableRoute[] => ('route' in answer && answer.route ? [answer.route] : [])

/** An offer outside the policy never becomes acceptable, so nothing waits for the signer to read it. */
function unlessUnread(answer: Answer, { objection }: Judgement): Answer {
  const unread = 'route' in answer && !objection ? answer.unread : undefined
  return unread ? { provider: answer.provider, resting: unread } : answer
}

/** Delay before a provider that failed for every caller is queried again. */
const awayMs = 5_000
/** How long a deposit waits without a retry while no usual request decides who is at fault, in milliseconds. */
const unknownMs = 15 * 60_000

/**
 * If the provider is at fault, the deposit waits, and its next attempt uses no retry. A refusal is the deposit's only
 * if the provider grants a usual request.
 */
async function unlessAtFault(answer: Answer, request: RouteRequest, quoting: QuotePorts): Promise<Answer> {
  const { aggregators, purpose, now } = quoting
  if (!('error' in answer) || answer.isOurs || answer.error instanceof RouteRefused || purpose === 'PREVIEW')
    return answer
  const { provider, error } = answer
  const fault = await aggregators.find(({ name }) => name === provider)!.blame(request, error)
  const { requester } = request
  const isLong = requester && requester.waitingSince !== null && now() >= requester.waitingSince + unknownMs
  if (fault === 'REQUEST') return answer
  if (fault === 'UNKNOWN' && (!requester || isLong))
    return error.retryable ? answer : { provider, error: new RoutingError('PROVIDER_MALFORMED', { cause: error }) }
  return { provider, resting: new ProviderUnavailable(provider, awayMs, { cause: error }) }
}

async function ask(
  aggregator: Gate,
  request: RouteRequest,
  { quoteTimeoutMs, objectionTo, unreadUntil, now, purpose, scheduler }: QuotePorts,
): Promise<Answer> {
  const provider = aggregator.name
  try {
    const { requester } = request
    const routeRequest = requester && purpose ? { ...request, requester: { ...requester, purpose } } : request
    const query = (signal: AbortSignal) => aggregator.quote(routeRequest, signal)
    const offer = await withDeadline(quoteTimeoutMs, query, scheduler)
    // The quote's age is measured by our clock. A provider's clock may be wrong.
    const route = offer && { ...offer, quotedAt: now() }
    const objection = route && objectionTo?.(route, request)
    if (objection)
      return { provider, isOurs: true, error: new RoutingError('PROVIDER_MALFORMED', { cause: new Error(objection) }) }
    const until = (route && unreadUntil?.(route)) ?? null
    return { provider, route, ...(until !== null && { unread: new SignerUnable(until - now()) }) }
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
    .toSorted((one, other) => one.retryInMs - other.retryInMs)
  // A rate limit always ends, and an update of the signer makes a known route available. So other failures in this
  // round use no retry.
  const turn = rests.find((rest) => rest instanceof ProviderRateLimited || rest instanceof SignerUnable)
  if (turn) return turn
  const passing = errors.find(({ retryable }) => retryable) ?? rests[0]
  if (passing) return passing
  if (answers.some((answer) => 'paused' in answer)) return new ProviderPaused()
  const buggy = answers.find((answer) => 'bug' in answer)
  if (buggy) return buggy.bug
  const isRefused = errors.some((error) => error instanceof RouteRefused)
  if (answers.some((answer) => 'route' in answer && answer.route))
    return new NothingToTake('ROUTE_OUTSIDE_POLICY', candidates)
  if (isRefused || errors.length === 0 || errors.length < answers.length)
    return new NothingToTake('NO_ROUTE', candidates)
  return errors[0]!
}

const outputOf = ({ amountOutExpected }: Route): bigint => amountOf(amountOutExpected)

function candidateOf(answer: Answer, { objection, doubt }: Judgement, best: Route | null, at: number): Candidate {
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
  quoting: QuotePorts
  chains: Chains
  seals: Seals
  now: () => number
  /** Called for each route that providers quoted. */
  onQuoted?: ((reason: QuoteReason) => void) | undefined
}

/** `isGivenBack`: it is a refund, which goes through the RecoveryExecutor if that is open to the token. */
type QuoteRequest = RouteRequest & { isGivenBack: boolean }

export const requestOf = (execution: Execution, amountIn: bigint, policy: Policy): QuoteRequest => {
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
    requester: {
      id,
      organizationId,
      purpose: 'DEPOSIT',
      waitingSince: facts.waiting?.for === 'PROVIDER' ? facts.waiting.since : null,
    },
    isGivenBack: isOperatorRefund(execution),
  }
}

/**
 * Finds a route for an amount. Money already on the right chain in the right token is paid out directly.
 *
 * @param why.amounts Input amount per provider, overriding the request's.
 */
export async function routeFor(
  executionId: string,
  { isGivenBack: isBack, ...request }: QuoteRequest,
  { quoting, chains, seals, now, onQuoted }: Routing,
  { reason, amounts }: { reason: QuoteReason; amounts?: ReadonlyMap<string, bigint> },
): Promise<{ route: Route; candidates: Candidate[] }> {
  const isDirect = request.fromChainId === request.toChainId && request.fromToken === request.toToken
  if (isDirect) {
    const route = directRoute(request, now())
    const { fromChainId, fromToken } = request
    const byRecovery = isBack && (await (chains[fromChainId].second ?? chains[fromChainId]).canRecover(fromToken))
    return { route: byRecovery ? { ...route, kind: 'REFUND' } : route, candidates: [] }
  }
  const best = await bestQuote(request, quoting, amounts)
  onQuoted?.(reason)
  return { ...best, candidates: sealedOffers(seals, executionId, best) }
}

/**
 * Finds a route for the amount that each provider's gas leaves. A gas estimate must not end a deposit, so the whole
 * amount is tried as well.
 *
 * @param why.wholeRaw The amount without gas.
 */
export async function routeAfterGas(
  executionId: string,
  request: QuoteRequest,
  routing: Routing,
  { wholeRaw, ...why }: { reason: QuoteReason; amounts: ReadonlyMap<string, bigint>; wholeRaw: bigint },
): Promise<{ route: Route; candidates: Candidate[] }> {
  return routeFor(executionId, request, routing, why).catch((error) => {
    if (!isEnding(error) || (why.amounts.size === 0 && request.amountIn >= wholeRaw)) throw error
    return routeFor(executionId, { ...request, amountIn: wholeRaw }, routing, { reason: 'WHOLE_AMOUNT' })
  })
}

/** Quotes older than this are replaced. An execution that waits for a pause to end may wait for days. */
const quoteMaxAgeMs = 60_000

export const isStale = ({ facts }: Execution, at: number): boolean => facts.route!.quotedAt + quoteMaxAgeMs < at

/**
 * Why an offer may not be taken, as a sentence: permanently (`objection`) or for now (`doubt`). Both are absent if it
 * may be taken.
 */
type Judgement = { objection?: string; doubt?: string }

/**
 * Judges every offer against the policy. No price is fetched for an offer whose own figures already exceed the policy.
 */
async function judgeOffers(
  routes: readonly ReadableRoute[],
  request: RouteRequest,
  appraiser: Appraiser,
): Promise<ReadonlyMap<ReadableRoute, Judgement>> {
  const sound = routes.filter((route) => objectionTo(route, request.policy) === null)
  const offers = sound.map(offerOf)
  const judge = async (route: ReadableRoute): Promise<[ReadableRoute, Judgement]> => {
    const objection = objectionTo(route, request.policy)
    return [route, objection ? { objection } : await judgedByWorth(route, offers, request, appraiser)]
  }
  return new Map(await Promise.all(routes.map(judge)))
}

function objectionTo(route: Route, policy: Policy): string | null {
  const { slippageBps, expectedSeconds, hops, amountOutExpected, amountOutMin } = route
  if (slippageBps > policy.slippageBps) return 'It allows more slippage than the policy.'
  if (expectedSeconds > policy.maxDurationSeconds) return 'It takes longer than the policy allows.'
  if (hops > policy.maxHops) return 'It has more hops than the policy allows.'
  if (amountOf(amountOutMin) * 10_000n < amountOf(amountOutExpected) * BigInt(policy.minOutputBps))
    return 'It guarantees less than the policy requires.'
  return null
}

async function judgedByWorth(
  route: Route,
  others: readonly Offer[],
  request: RouteRequest,
  appraiser: Appraiser,
): Promise<Judgement> {
  const { fromChainId, fromToken, toChainId, toToken, policy, approvedOutMin = null } = request
  const [amountIn, amountOut] = [amountOf(route.amountIn), amountOf(route.amountOutMin)]
  const shareBps = policy.minOutputBps
  const side = { chainId: fromChainId, token: fromToken }
  const nativeFee = amountOf(route.call?.nativeFee ?? '0')
  const pays = { fromChainId, fromToken, amountIn, toChainId, toToken, amountOut, shareBps, quotedBy: route.provider }
  const [verdict, onTop] = await Promise.all([
    appraiser.judge(pays).then((said) => withApproval(said, offerOf(route), { others, shareBps, approvedOutMin })),
    nativeFee > 0n
      ? appraiser.judge(nativeFeeExchange(side, amountIn, nativeFee, route.provider))
      : ('ENOUGH' as const),
  ])
  if (verdict === 'POOR')
    return { objection: 'Its guaranteed output is worth less than the policy’s share of the input.' }
  if (onTop === 'POOR') return { objection: 'It requires too much extra native coin.' }
  if (verdict !== 'ENOUGH') return { doubt: doubts[verdict] + (approvedOutMin === null ? '' : lessThanApproved) }
  return onTop === 'ENOUGH' || approvedOutMin !== null ? {} : { doubt: doubts[onTop] }
}

const doubts: Record<Exclude<Verdict, 'ENOUGH' | 'POOR'>, string> = {
  UNPRICED: 'No two independent sources report its value.',
  UNCLEAR: 'Independent sources report values that are too far apart, or too close to the policy’s share.',
}
const lessThanApproved = ' It guarantees less than an operator approved.'

const offerOf = ({ provider, amountOutMin, amountOutExpected }: Route): Offer => ({
  provider,
  amountOutMin: amountOf(amountOutMin),
  amountOutExpected: amountOf(amountOutExpected),
})
