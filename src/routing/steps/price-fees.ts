import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Hex } from '../../domain/chain/hex'
import { isEnding, RoutingError } from '../../domain/error'
import type { Execution, Facts } from '../../domain/execution/execution'
import { mintGasOf } from '../../domain/execution/provider'
import type { Route } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { bufferedWei, endByGas, type FeeSplit, type Fees, splitDeposit } from '../../domain/money/fees'
import { approvedOutMinOf } from '../../domain/money/worth'
import {
  NotSeconded,
  nodesDiffer,
  RouteStopped,
  TemporarilyUnavailable,
  WorthUnknown,
  waitOf,
} from '../../domain/unavailable'
import { awaited, gasBounds, inToken, PricesDiffer } from '../../gas/gas-bounds'
import { mintCostWei, type RouteGas } from '../../gas/route-gas'
import type { ChainClient, Chains } from '../../ports/chain-client'
import type { OrderDrafter, RelayerAddresses } from '../../ports/signer'
import { seconded } from '../delivery/evidence'
import { isUnanswered, mayWait, waitIfStopped } from '../engine/payable'
import type { Step, StepOutcome } from '../engine/step'
import { isStale, type Routing, requestOf, routeAfterGas, routeFor } from '../pricing/quotes'

type Pricing = Routing & {
  signer: OrderDrafter
  relayers: RelayerAddresses
  routeGas: RouteGas
  /** Whether the platform may pay gas that could not be estimated, within today's budget (decision 32). */
  mayForgiveGas: (organizationId: string) => Promise<boolean>
}

/** The gas limit of an order whose gas could not be estimated. */
const gasLimitFallback = 1_500_000n
/**
 * Factor on the estimate, in basis points. The estimate is made for the first quote, and the last quote of the same
 * kind may need more gas.
 */
const gasMarginBps = 13_000n
const orderSeconds = 600

/**
 * Applies fee rules 1 to 7: estimates gas from the real transaction, splits the deposit, and requests a quote for
 * exactly the rest. A quote for nearly that amount is kept, and the gas fee is then the one assumed in its request.
 */
export function priceFees(pricing: Pricing): Step {
  const { quoting } = pricing
  const pricingPatiently = { ...pricing, quoting: { ...quoting, prices: awaited(quoting.prices) } }
  const bounded = { ...pricingPatiently, within: gasBounds(pricingPatiently) }
  return (execution) => priced(execution, bounded).catch((error) => waitIfStopped(error, execution, pricing))
}

/** Pricing with the check of a gas fee against bounds. */
type Bounded = Pricing & { within: ReturnType<typeof gasBounds> }

const refusals: readonly unknown[] = ['SIMULATION_REVERTED', 'SIGNER_REFUSED']
/**
 * Errors that end a deposit unless another provider has a route. Only providers that mint in the same way were queried
 * again.
 */
const unrouted: readonly unknown[] = ['NO_ROUTE', 'ROUTE_OUTSIDE_POLICY']

/** A failure of one provider's route, which might not be the provider chosen first. */
class Refused extends Error {
  constructor(
    readonly provider: string,
    readonly error: unknown,
    readonly quoted: Facts = {},
  ) {
    super(`The route by ${provider} failed`, { cause: error })
  }
}

/**
 * Names the provider whose route a failure is about. While the deposit is priced, a wait keeps the quote. Before
 * signing, it must not: the fees are of the earlier quote.
 */
const concerning =
  ({ state, facts }: Execution) =>
  (error: unknown): never => {
    throw new Refused(facts.route!.provider, error, state === 'pricing fees' ? quoteFacts(facts) : {})
  }

/**
 * Prices the route. If the chain or the signer would refuse it, the other providers are queried. The refusal ends the
 * deposit only after each of them has answered. The deposit waits without a retry while one of them is unavailable. It
 * also waits if none of their routes passes, and our own contracts stopped this route, only one node refuses it, or no
 * node runs it for ten minutes.
 */
async function priced(execution: Execution, pricing: Bounded): Promise<StepOutcome> {
  try {
    return await pricedBy(execution, pricing)
  } catch (thrown) {
    const { quoting } = pricing
    const route = execution.facts.route!
    const {
      provider,
      error: met,
      quoted,
    } = thrown instanceof Refused ? thrown : { provider: route.provider, error: thrown, quoted: {} }
    // Without its quote, each poll of a wait would request another.
    const error = isUnanswered(met) ? waitOf(met)!.keeping(quoted) : met
    const others = quoting.aggregators.filter(({ name }) => name !== provider)
    const codes = thrown instanceof Refused ? [...refusals, ...unrouted] : refusals
    const isUnrun = isUnanswered(met) && !mayWait(execution, pricing.now)
    const waits = met instanceof RouteStopped || met instanceof NotSeconded || isUnrun
    const isRefused = waits || (error instanceof RoutingError && codes.includes(error.code))
    if (!isRefused || others.length === 0 || route.call === null) throw error
    const without = { ...pricing, quoting: { ...quoting, aggregators: others } }
    const request = requestOf(execution, amountOf(route.amountIn), execution.facts.policy!)
    const next = await routeFor(execution.id, request, without, { reason: 'OTHERS' }).catch((failure) => {
      const mayRoute = (failure instanceof WorthUnknown && !isUnrun) || (!waits && !isEnding(failure))
      throw mayRoute ? failure : error
    })
    return await priced({ ...execution, facts: { ...execution.facts, ...next } }, without).catch((failure) => {
      // Another wait would end this one, and its alert with it.
      const isOther = failure instanceof RoutingError || isNodeWait(failure)
      throw waits && (isOther || (isUnrun && failure instanceof TemporarilyUnavailable)) ? error : failure
    })
  }
}

async function pricedBy(before: Execution, pricing: Bounded): Promise<StepOutcome> {
  const execution = await quotedLately(before, pricing)
  const gas = await gasOf(execution, pricing).catch(concerning(execution))
  const first = await pricedWith(gas, execution, pricing)
  if (!('ends' in first)) return first
  const second = await secondGas(execution, gas, pricing).catch(concerning(execution))
  const other = second && ownCostWei(second) < ownCostWei(gas) ? await pricedWith(second, execution, pricing) : first
  const isEnd = 'ends' in other
  if (endByGas(ownCostWei(gas), { figure: ownCostWei(second ?? gas), ends: isEnd }) === 'WAITS')
    return concerning(execution)(nodesDiffer(execution.deposit.chainId, 'the cost of gas'))
  return isEnd ? other.ends() : other
}

const isNodeWait = (error: unknown): boolean => error instanceof TemporarilyUnavailable && error.waitingFor === 'NODE'

/** A deposit that the gas ends, and how. */
type Ended = { ends: () => Promise<StepOutcome> }

async function pricedWith(gas: Gas, execution: Execution, pricing: Bounded): Promise<StepOutcome | Ended> {
  const { facts } = execution
  const { sponsoredGas, protocolFeeBps } = facts.intent!
  const totalReceivedRaw = amountOf(facts.balance!.totalReceivedRaw)
  const isFree = isFreeOfGas(facts)
  const isCharged = !isFree && gas.feeRaw > 0n && facts.route!.kind !== 'DIRECT'
  const gasFeeRaw = isCharged ? pricing.routeGas.charged(execution, gas.feeRaw) : isFree ? 0n : gas.feeRaw
  const gasFeeSkipReason: Fees['gasFeeSkipReason'] = isFree ? 'SPONSORED' : gas.skipReason
  const split = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw })
  const fees = asText({ totalReceivedRaw, ...split }, gasFeeSkipReason)
  const event = { type: 'fees priced' } as const
  const isQuoted = amountOf(facts.route!.amountIn) === split.amountForSwapRaw
  const priced = { fees, gasLimit: String(gas.limit), ...(sponsoredGas && { gasCostWei: String(ownCostWei(gas)) }) }
  const quoted = { ...event, facts: { ...quoteFacts(facts), ...priced } }
  if (split.amountForSwapRaw <= 0n)
    return { ends: () => assureEaten(execution, split, gas, pricing).then(() => quoted) }
  if (isQuoted) return quoted
  const request = requestOf(execution, split.amountForSwapRaw, facts.policy!)
  const narrowed = alike(facts.route!, pricing)
  const isAll = narrowed.quoting.aggregators.length === pricing.quoting.aggregators.length
  const last = await routeFor(execution.id, request, narrowed, { reason: 'GAS' }).catch((error): Ended => {
    const failure = isAll ? error : new Refused(facts.route!.provider, error)
    if (!isEnding(error)) throw failure
    return { ends: () => Promise.reject(failure) }
  })
  if ('ends' in last) return last
  const lastExecution = { ...execution, facts: { ...facts, ...last } }
  const needed = await neededBy(lastExecution, facts.route!, gas, pricing).catch(concerning(lastExecution))
  const gasLimit = String(needed.limit)
  return {
    ...event,
    facts: { ...last, ...priced, gasLimit, ...(sponsoredGas && { gasCostWei: String(ownCostWei(needed)) }) },
  }
}

/** Queries only providers whose routes cost the measured gas: if we mint ourselves, less is left to route. */
function alike({ provider }: Route, pricing: Pricing): Pricing {
  const { quoting } = pricing
  const aggregators = quoting.aggregators.filter(({ name }) => mintGasOf(name) === mintGasOf(provider))
  return { ...pricing, quoting: { ...quoting, aggregators } }
}

/** Whether the platform pays the gas: the RecoveryExecutor returns money whole or not at all. */
const isFreeOfGas = ({ intent, route }: Facts): boolean => intent!.sponsoredGas || route!.kind === 'REFUND'

/**
 * Returns the gas limit and the cost for the last quote. If its route is of another kind than the measured one, it is
 * measured as well: with the limit of a cheaper kind, the transaction would run out of gas. The fee already charged
 * stays. The next deposit of this kind is quoted with the new measurement.
 */
async function neededBy(execution: Execution, measured: Route, gas: Gas, pricing: Pricing) {
  if (gas.used === 0n || isSameKind(execution.facts.route!, measured)) return gas
  const { used, limit, costWei, mintWei } = await measuredGas(execution, pricing)
  await pricing.routeGas.note(execution, used, costWei)
  return { limit: larger(limit, gas.limit), costWei: larger(costWei, gas.costWei), mintWei }
}

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Whether both call the same function of the same contract for the same provider. */
const isSameKind = (one: Route, other: Route): boolean => {
  const [called, otherCalled] = [one.call, other.call]
  const functionOf = (data: Hex) => data.slice(0, 10)
  if (one.provider !== other.provider || one.kind !== other.kind || !called || !otherCalled) return false
  return called.target === otherCalled.target && functionOf(called.data) === functionOf(otherCalled.data)
}

/**
 * Verifies with two prices that gas costs more than the protocol fee leaves, because this ends the deposit.
 *
 * @throws {WorthUnknown} while no two prices agree on it.
 */
async function assureEaten(execution: Execution, split: FeeSplit, gas: Gas, { quoting }: Pricing): Promise<void> {
  const { deposit, facts } = execution
  if (split.gasFeeRaw === 0n) return
  const left = amountOf(facts.balance!.totalReceivedRaw) - split.protocolFeeRaw
  const gasWei = bufferedWei(weiOf(gas, facts))
  if (!(await quoting.appraiser.isNoMore(deposit.chainId, deposit.token, left, gasWei)))
    throw new WorthUnknown('No two sources agree that it is worth less than its gas', quoteFacts(facts))
}

/**
 * Returns the gas with the cost and the fee that second nodes report; null if there is none, or if no gas is charged.
 *
 * @throws {NotSeconded} if a second node does not respond.
 */
async function secondGas(execution: Execution, gas: Gas, pricing: Pricing): Promise<Gas | null> {
  const { chains, quoting } = pricing
  const { deposit, facts } = execution
  const { targetChainId } = facts.intent!
  const [second, secondThere] = [chains[deposit.chainId].second, chains[targetChainId].second]
  const there = gas.mintWei > 0n ? secondThere : null
  if (quoting.purpose === 'PREVIEW' || gas.feeRaw === 0n || !(second || there)) return null
  const costWei = second ? (await (await estimating(execution, pricing))(second)).costWei : gas.costWei
  const chainsThere = { [targetChainId]: there } as Chains
  const mintWei = there
    ? await mintCostWei(facts.route!.provider, execution, { chains: chainsThere, quoting })
    : gas.mintWei
  const feeRaw = await inToken(deposit, weiOf({ costWei, mintWei }, facts), quoting)
  return { ...gas, costWei, mintWei, feeRaw }
}

const quoteFacts = ({ route, candidates }: Facts): Facts => ({
  ...(route && { route }),
  ...(candidates && { candidates }),
})
/** The relayers' cost of a deposit: the order's gas, and the mint if we send it. */
const ownCostWei = ({ costWei, mintWei }: Pick<Gas, 'costWei' | 'mintWei'>): bigint => costWei + mintWei
const weiOf = (gas: Pick<Gas, 'costWei' | 'mintWei'>, { route }: Facts): bigint =>
  ownCostWei(gas) + amountOf(route!.call?.nativeFee ?? '0')

/**
 * Requests a new quote if the old one is stale, because the chain would refuse an expired call, which proves nothing
 * about the route. The request uses the current gas estimates, which avoids a second request for gas.
 */
async function quotedLately(execution: Execution, pricing: Pricing): Promise<Execution> {
  const { id, facts } = execution
  if (!isStale(execution, pricing.now())) return execution
  const amounts = await pricing.routeGas.amounts(execution)
  const request = requestOf(execution, amountOf(facts.route!.amountIn), facts.policy!)
  const totalReceivedRaw = amountOf(facts.balance!.totalReceivedRaw)
  const { protocolFeeBps } = facts.intent!
  const { amountForSwapRaw: wholeRaw } = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw: 0n })
  const quoted = await routeAfterGas(id, request, pricing, { reason: 'STALE', amounts, wholeRaw })
  return { ...execution, facts: { ...facts, ...quoted } }
}

/** `used` is the estimate, `limit` has a margin, and `mintWei` is spent on the destination chain. */
type Gas = {
  feeRaw: bigint
  used: bigint
  limit: bigint
  costWei: bigint
  mintWei: bigint
  skipReason: 'NONE' | 'ESTIMATION_FAILED'
}

const unknownGas: Gas = {
  feeRaw: 0n,
  used: 0n,
  limit: gasLimitFallback,
  costWei: 0n,
  mintWei: 0n,
  skipReason: 'ESTIMATION_FAILED',
}

/**
 * Estimates the gas fee and checks it against bounds. If a wrong price or a faulty node would take money, the execution
 * waits; the fee is not waived.
 */
async function gasOf(execution: Execution, pricing: Bounded): Promise<Gas> {
  const gas = await estimated(execution, pricing)
  if (gas.used === 0n) return gas
  const noted = await pricing.routeGas.note(execution, gas.used, gas.costWei)
  const mint = await pricing.routeGas.noteMint(execution)
  if (gas.feeRaw > 0n) await pricing.within({ execution, feeRaw: gas.feeRaw, noted, mint })
  return gas
}

/**
 * Estimates the gas limit and the gas fee. Each is waived on its own: without a price, the measured gas limit stays.
 */
async function estimated(execution: Execution, pricing: Pricing): Promise<Gas> {
  const { deposit, facts } = execution
  const isFree = isFreeOfGas(facts)
  const measured = await orForgiven(execution, pricing, () => measuredGas(execution, pricing))
  if (measured === null) return unknownGas
  if (isFree) return { feeRaw: 0n, ...measured, skipReason: 'NONE' }
  const wei = weiOf(measured, facts)
  const feeRaw = await orForgiven(execution, pricing, () => inToken(deposit, wei, pricing.quoting))
  if (feeRaw === null) return { feeRaw: 0n, ...measured, skipReason: 'ESTIMATION_FAILED' }
  return { feeRaw, ...measured, skipReason: 'NONE' }
}

async function measuredGas(execution: Execution, pricing: Pricing) {
  const { chains, quoting } = pricing
  const { chainId } = execution.deposit
  const mintWei = await mintCostWei(execution.facts.route!.provider, execution, { chains, quoting })
  const estimate = await estimating(execution, pricing)
  // A preview ends no deposit.
  const isPreview = quoting.purpose === 'PREVIEW'
  const first = await (isPreview ? estimate(chains[chainId]) : seconded(chainId, chains, estimate))
  const { second } = isPreview ? { second: null } : chains[chainId]
  return { ...(await mineable(chainId, first, second ? () => estimate(second) : null)), mintWei }
}

type Estimate = { used: bigint; limit: bigint; costWei: bigint }

/** A transaction that no node accepts would block its relayer key for every other order. */
async function mineable(chainId: ChainId, first: Estimate, ask: (() => Promise<Estimate>) | null): Promise<Estimate> {
  const { gasLimitMax } = chainOf(chainId)
  if (first.limit <= gasLimitMax) return first
  const second = ask ? await ask() : first
  const decision = endByGas(first.limit, { figure: second.limit, ends: second.limit > gasLimitMax })
  if (decision === 'GOES_ON') return second
  if (decision === 'WAITS') throw nodesDiffer(chainId, 'the limit of gas')
  throw new RoutingError('SIMULATION_REVERTED', { cause: new Error(`It takes ${second.limit} gas`) })
}

/** Drafts the order. Returns how a node estimates it. */
async function estimating(execution: Execution, { chains, signer, relayers, quoting }: Pricing) {
  const { chainId } = execution.deposit
  const { time } = await chains[chainId].head()
  const draft = await signer.draft(execution, time + orderSeconds)
  const relayer = relayers.forRoute(chainId, execution.facts.routeId!).address
  // The money of a preview has not arrived. A deposit's balance has been verified.
  const isFunded = quoting.purpose !== 'PREVIEW'
  return async (node: Pick<ChainClient, 'estimate'>) => {
    const { gasLimit, costWei } = await node.estimate(draft, relayer, isFunded)
    return { used: gasLimit, limit: (gasLimit * gasMarginBps) / 10_000n, costWei }
  }
}

/**
 * @returns null if the value is unavailable and the day's budget covers the gas.
 * @throws {TemporarilyUnavailable} if it does not cover it. No deposit is at fault for a missing price or estimate.
 */
async function orForgiven<Value>(
  { facts, organizationId }: Execution,
  { mayForgiveGas }: Pricing,
  ask: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await ask()
  } catch (error) {
    const isUnpriced = error instanceof WorthUnknown
    const isUnapproved = isUnpriced && approvedOutMinOf(facts) === null
    const waits = isUnpriced ? error.keeping(quoteFacts(facts)) : error
    if (!(isUnpriced || isAway(error)) || isFreeOfGas(facts)) throw waits
    if (isUnapproved && error instanceof PricesDiffer) throw waits
    if (await mayForgiveGas(organizationId)) return null
    if (isUnapproved) throw waits
    throw new TemporarilyUnavailable('the budget for gas without an estimate', budgetRetryMs, 'BUDGET', {
      cause: error,
    })
  }
}

/** Poll interval of a deposit whose gas can neither be estimated nor paid by the platform, in milliseconds. */
const budgetRetryMs = 60_000

/** Whether the estimate is only unavailable for now. A refusal by the chain is no reason for free gas. */
const isAway = (error: unknown): boolean => error instanceof RoutingError && error.retryable

type Amounts = { [Name in Exclude<keyof Fees, 'gasFeeSkipReason'>]: bigint }

function asText(amounts: Amounts, gasFeeSkipReason: Fees['gasFeeSkipReason']): Fees {
  const texts = Object.entries(amounts).map(([name, amount]) => [name, String(amount)])
  return { ...(Object.fromEntries(texts) as Record<keyof Amounts, string>), gasFeeSkipReason }
}
