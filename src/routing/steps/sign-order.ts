import type { ChainId } from '../../domain/chain/chain'
import { zeroAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { type Execution, type Facts, quotaKeyOf } from '../../domain/execution/execution'
import { quotaPollMs } from '../../domain/execution/retry'
import type { Policy } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { gasFeeOf } from '../../domain/money/fees'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import { SignerSilent, TemporarilyUnavailable, WorthUnknown, waitOf } from '../../domain/unavailable'
import type { Block, Chains } from '../../ports/chain-client'
import type { Gate } from '../../ports/gate'
import type { Limits } from '../../ports/limits'
import type { Pauses } from '../../ports/operators'
import type { Prices } from '../../ports/prices'
import type { OrderSigner } from '../../ports/signer'
import { assureUnlisted, type ScreeningPorts, targetObjection } from '../../screening/deposit-screening'
import { leaveQueue, type RelayersOfAll } from '../delivery/relayer-slots'
import { type Payable, paymentBlocker } from '../engine/payable'
import { isResidueOutdated } from '../engine/residue'
import { inclusionBlocker, type LowGas, signBlocker, withoutSlot } from '../engine/sign-blockers'
import type { Step } from '../engine/step'
import { isStale, requestOf } from '../pricing/quotes'

type Ports = {
  screening: ScreeningPorts
  chains: Chains
  signer: OrderSigner
  relaying: Omit<RelayersOfAll, 'ordersPerTransaction'>
  /** @throws {TemporarilyUnavailable} while the node's newest block is too old to draw conclusions from. */
  freshHead: (chainId: ChainId) => Promise<Block>
  pauses: Pauses
  payable: Payable
  onLowGas: LowGas
  limits: Pick<Limits, 'policyOf' | 'hasQuota' | 'maySponsorGas' | 'mayGiveBack' | 'relayerShareOf'>
  quoting: { prices: Pick<Prices, 'usd'>; aggregators: readonly Pick<Gate, 'name' | 'assureCarried'>[] }
  /** Validity of an order, in seconds of the chain's clock. The contract allows an hour. */
  orderSeconds: number
  now: () => number
}

/**
 * Checks again that the deposit may be routed, then has the order signed. Signing does not move anything yet.
 *
 * @param reprice Computes fees and requests a quote again: `priceFees`.
 */
export const signOrder =
  (
    {
      screening,
      chains,
      signer,
      relaying,
      freshHead,
      pauses,
      payable,
      onLowGas,
      limits,
      quoting,
      orderSeconds,
      now,
    }: Ports,
    reprice: Step,
  ): Step =>
  async (execution, store) => {
    const { organizationId, deposit } = execution
    const chain = chains[deposit.chainId]
    const { relayers, relayerRecords } = relaying
    const relayer = relayers.forRoute(deposit.chainId, execution.facts.routeId!)
    const share = await limits.relayerShareOf(organizationId)
    const paused = signBlocker(execution, pauses)
    if (paused && execution.facts.waiting?.for === 'GAS') await leaveQueue(relayer, relaying, execution.id)
    const blocked = paused ?? (await withoutSlot(execution, relayer, { relayerRecords, chain, onLowGas, share, now }))
    if (blocked) return blocked
    const quotaKey = execution.facts.quotaKey ?? quotaKeyOf(organizationId, now())
    // A waiting execution's record was stored after its quota was requested. By now the quota might be used up, and the
    // month might have changed.
    const quota = execution.facts.quotaKey ? 'YES' : await limits.hasQuota(execution, now())
    if (quota === 'NO') throw new RoutingError('MONTHLY_QUOTA_REACHED')
    if (quota === 'SOON') return { retryInMs: quotaPollMs, waitingFor: 'QUOTA' }
    const { time } = await freshHead(deposit.chainId)
    const requested = execution.facts.asked ?? null
    // An order that may have been signed does not match the balance that is verified next.
    const outdated = { type: 'balance outdated', ...(requested && { facts: { asked: null } }) } as const
    const mayBeSigned = requested !== null && requested.deadline - time >= orderSeconds / 5
    const isNew = mayBeSigned || !isStale(execution, now())
    const isReadable = (signer.unreadUntil?.(execution.facts.route!) ?? null) === null
    const isReusable = isNew && isReadable && !isPaused(execution, pauses) && (await isCarried(execution, quoting))
    const policy = isReusable ? null : await limits.policyOf(organizationId)
    const repriced = policy && (await reprice(withStaleQuote(execution, policy)))
    if (repriced && 'retryInMs' in repriced) return repriced
    const priced = repriced ? { ...repriced.facts, policy } : {}
    const facts = { ...execution.facts, ...priced }
    if (facts.fees && BigInt(facts.fees.amountForSwapRaw) <= 0n) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const [head, ...blockers] = await Promise.all([
      freshHead(deposit.chainId),
      inclusionBlocker(execution, { chain, now }),
      paymentBlocker({ ...execution, facts }, { payable, now }),
      chain.assureChain(),
    ])
    const blocker = blockers.find((one) => one)
    if (blocker && 'type' in blocker) return outdated
    if (blocker) return { ...blocker, facts: priced }
    await assureUnlisted(execution, screening)
    if (await isResidueOutdated(execution, screening)) return outdated
    const objection = targetObjection(screening.blacklist)(facts.route!, deposit.chainId)
    if (objection) throw new RoutingError('PROVIDER_MALFORMED', { cause: new Error(objection) })
    // Done last before signing, because a budget amount that is not stored with the order stays counted until tomorrow.
    const paid = { ...execution, facts }
    const isRefund = facts.route!.kind === 'REFUND'
    const sponsored = await (isRefund ? givenBackOf(paid, limits, now()) : sponsoredOf(paid, { quoting, limits }))
    // Another order of a signed route is refused until the first one has lapsed.
    const isAgain = mayBeSigned && isReusable
    const deadline = isAgain ? requested.deadline : head.time + orderSeconds
    if (signer.isSeparate && !isAgain) await store!({ ...priced, ...sponsored, asked: { deadline } })
    const signed = await signer.sign({ ...execution, facts }, deadline).catch((failure) => {
      const error = waitOf(failure)
      if (!error) throw failure
      // If the value is unknown, the next attempt prices the route again. If only the signature is missing, the prices
      // stay.
      if (error instanceof WorthUnknown) throw error.keeping({ ...sponsored, asked: null })
      const isUnknown = isAgain || error instanceof SignerSilent
      throw error.keeping({ ...priced, ...sponsored, asked: isUnknown ? { deadline } : null })
    })
    const order = { ...signed, sender: relayer.id }
    return { type: 'order signed', facts: { ...priced, ...sponsored, order, quotaKey, asked: null } }
  }

/** Whether the route's provider was paused after the route was found. */
const isPaused = ({ facts }: Execution, pauses: Pauses): boolean =>
  pauses.find([pauseScopes.provider(facts.route!.provider)]) !== null

/** Whether the provider still accepts the route. If not, request new quotes from every provider, including this one. */
async function isCarried(execution: Execution, { aggregators }: Pick<Ports['quoting'], 'aggregators'>) {
  const { route, policy } = execution.facts
  const provider = aggregators.find(({ name }) => name === route!.provider)
  if (!provider?.assureCarried) return true
  const request = requestOf(execution, amountOf(route!.amountIn), policy!)
  return provider.assureCarried(request).then(
    () => true,
    () => false,
  )
}

/**
 * Marks the quote as stale, so all providers are queried under the current policy. The signer accepts only that policy.
 */
const withStaleQuote = (execution: Execution, policy: Policy): Execution => {
  const { facts } = execution
  return { ...execution, facts: { ...facts, policy, route: { ...facts.route!, quotedAt: Number.NEGATIVE_INFINITY } } }
}

/**
 * Takes one of the organization's refunds for the day on the chain, whose gas the platform pays. It is taken once a
 * day, so a deposit that waits for the signer takes no second one.
 *
 * @throws {TemporarilyUnavailable} while no refund is left.
 */
async function givenBackOf(
  { id, organizationId, deposit, facts }: Execution,
  { mayGiveBack }: Pick<Limits, 'mayGiveBack'>,
  at: number,
): Promise<Facts> {
  const givenBackOn = new Date(at).toISOString().slice(0, 10)
  if (facts.givenBackOn === givenBackOn) return {}
  if (!(await mayGiveBack(organizationId, deposit.chainId)))
    throw new TemporarilyUnavailable(`a refund of ${id}`, budgetRetryMs, 'BUDGET')
  return { givenBackOn }
}

type BudgetPorts = { quoting: { prices: Pick<Prices, 'usd'> }; limits: Pick<Limits, 'maySponsorGas'> }

const microUsd = { tokenUsd: 100_000_000n, tokenDecimals: 6 }
const budgetRetryMs = 60_000

/**
 * Takes the value of the gas out of the organization's budget for the day, less what was taken before at an earlier
 * price. A deposit waits while there is no budget. Charging the gas would give the user less than the intent states,
 * and paying it anyway would cost the platform more than it grants. The wait ends: tomorrow has a new budget, and if
 * the plan has no budget any longer, an operator can end the execution and re-drive it by the current intent.
 *
 * @throws {TemporarilyUnavailable} while there is no budget for it.
 */
async function sponsoredOf(
  { id, organizationId, deposit, facts }: Execution,
  { quoting, limits }: BudgetPorts,
): Promise<Facts> {
  if (!facts.intent!.sponsoredGas) return {}
  const taken = amountOf(facts.sponsoredMicroUsd ?? '0')
  const worth = await worthOf()
  if (worth === null ? taken > 0n : worth <= taken) return {}
  if (!(await limits.maySponsorGas(organizationId, worth === null ? null : Number(worth - taken))))
    throw new TemporarilyUnavailable(`sponsored gas of ${id}`, budgetRetryMs, 'BUDGET')
  return worth === null ? {} : { sponsoredMicroUsd: String(worth) }

  /** Null if no price is available, or if nothing was estimated. */
  async function worthOf(): Promise<bigint | null> {
    const nativeUsd = await quoting.prices.usd(deposit.chainId, zeroAddress).catch(() => null)
    if (nativeUsd === null || facts.gasCostWei === undefined) return null
    const costWei = amountOf(facts.gasCostWei) + amountOf(facts.route!.call?.nativeFee ?? '0')
    return gasFeeOf({ costWei, nativeUsd, ...microUsd })
  }
}
