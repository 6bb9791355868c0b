import type { ChainId } from '../../domain/chain/chain'
import { zeroAddress } from '../../domain/chain/hex'
import type { Relayer } from '../../domain/chain/relayer'
import { RoutingError } from '../../domain/error'
import { type Execution, type Facts, quotaKeyOf } from '../../domain/execution/execution'
import { quotaLookMs } from '../../domain/execution/retry'
import type { Policy } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { gasFeeOf } from '../../domain/money/fees'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import { SignerSilent, TemporarilyUnavailable, WorthUnknown } from '../../domain/unavailable'
import type { Aggregator } from '../../ports/aggregator'
import type { Block, ChainClient, Chains } from '../../ports/chain-client'
import type { Limits } from '../../ports/limits'
import type { Pauses } from '../../ports/pauses'
import type { Prices } from '../../ports/prices'
import type { Records } from '../../ports/records'
import type { OrderSigner, Relayers } from '../../ports/signer'
import { leaveLine } from '../delivery/relayer-slots'
import { type Payable, paymentBlocker } from '../engine/payable'
import { isResidueOutdated, type ScreeningPorts } from '../engine/residue'
import { assureUnlisted, type LowGas, signBlocker, targetObjection, withoutSlot } from '../engine/sign-blockers'
import type { Step } from '../engine/step'
import { isStale, requestOf } from '../pricing/quotes'

type Ports = ScreeningPorts & {
  chains: Chains
  signer: OrderSigner
  relayers: Relayers
  relayerRecords: Records<Relayer>
  /** @throws {TemporarilyUnavailable} while the node's newest block is too old to conclude anything from. */
  freshHead: (chainId: ChainId) => Promise<Block>
  pauses: Pauses
  payable: Payable
  onLowGas: LowGas
  limits: Pick<Limits, 'policyOf' | 'hasQuota' | 'maySponsorGas' | 'mayGiveBack' | 'relayerShareOf'>
  quoting: { prices: Pick<Prices, 'usd'>; aggregators: readonly Aggregator[] }
  /** Computes fees and asks for a quote again: `priceFees`. */
  reprice: Step
  /** How long an order is valid, in seconds of the chain's clock. The contract allows an hour. */
  orderSeconds: number
  now: () => number
}

/** Checks once more that the deposit may be routed, then has the order signed. Signing does not move anything yet. */
export const signOrder =
  ({
    chains,
    signer,
    pauses,
    blacklist,
    payable,
    executions,
    freshHead,
    limits,
    quoting,
    reprice,
    orderSeconds,
    now,
    ...ports
  }: Ports): Step =>
  async (execution) => {
    const { organizationId, deposit } = execution
    const chain = chains[deposit.chainId]
    const relayer = ports.relayers.forRoute(deposit.chainId, execution.facts.routeId!)
    const share = await limits.relayerShareOf(organizationId)
    const paused = signBlocker(execution, pauses)
    if (paused && execution.facts.waiting?.for === 'GAS') await leaveLine(relayer, ports, execution.id)
    const blocked = paused ?? (await withoutSlot(execution, relayer, { ...ports, chain, share, now }))
    if (blocked) return blocked
    const quotaKey = execution.facts.quotaKey ?? quotaKeyOf(organizationId, now())
    // An execution that waited was stored after it asked for its place in the quota. The place may be gone by now, and
    // the month may be another one.
    const quota = execution.facts.quotaKey ? 'YES' : await limits.hasQuota(execution, now())
    if (quota === 'NO') throw new RoutingError('MONTHLY_QUOTA_REACHED')
    if (quota === 'SOON') return { askAgainInMs: quotaLookMs, waitingFor: 'QUOTA' }
    const { time } = await freshHead(deposit.chainId)
    const asked = execution.facts.asked ?? null
    const mayBeSigned = asked !== null && asked.deadline - time >= orderSeconds / 5
    const isNew = mayBeSigned || !isStale(execution, now())
    const isKept = isNew && !isPaused(execution, pauses) && (await isCarried(execution, quoting))
    const policy = isKept ? null : await limits.policyOf(organizationId)
    const priced = policy ? { ...(await reprice(withStaleQuote(execution, policy))).facts, policy } : {}
    const facts = { ...execution.facts, ...priced }
    if (facts.fees && BigInt(facts.fees.amountForSwapRaw) <= 0n) throw new RoutingError('FEES_EXCEED_DEPOSIT')
    const assured = [assureIncluded(deposit, chain), chain.assureChain()]
    const paying = paymentBlocker({ ...execution, facts }, { payable, now })
    const [head, unpayable] = await Promise.all([freshHead(deposit.chainId), paying, ...assured])
    if (unpayable) return { ...unpayable, facts: priced }
    const screening = { blacklist, executions }
    await assureUnlisted(execution, screening)
    // What may have been signed does not follow from the balance that is verified next.
    if (await isResidueOutdated(execution, screening))
      return { type: 'balance outdated', ...(asked && { facts: { asked: null } }) }
    const objection = targetObjection(blacklist)(facts.route!, deposit.chainId)
    if (objection) throw new RoutingError('PROVIDER_MALFORMED', { cause: new Error(objection) })
    // This is the last thing before signing. What is taken from the budget and not stored with the order is lost until
    // tomorrow.
    const paid = { ...execution, facts }
    const isRefund = facts.route!.kind === 'REFUND'
    const sponsored = await (isRefund ? givenBackOf(paid, limits, now()) : sponsoredOf(paid, { quoting, limits }))
    // Another order of a route that is signed already is refused until the first one has lapsed.
    const isAgain = mayBeSigned && isKept
    const deadline = isAgain ? asked.deadline : head.time + orderSeconds
    const signed = await signer.sign({ ...execution, facts }, deadline).catch((error) => {
      if (!(error instanceof TemporarilyUnavailable)) throw error
      // A route whose worth is unknown is worth asking for anew. One that was only not signed yet is not.
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

/** Whether the route's provider would still carry it out. Where it would not, all are asked again, it too. */
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
 * Marks the quote as too old, so that all providers are asked again by the present policy, which is the only one that
 * the signer accepts.
 */
const withStaleQuote = (execution: Execution, policy: Policy): Execution => {
  const { facts } = execution
  return { ...execution, facts: { ...facts, policy, route: { ...facts.route!, quotedAt: Number.NEGATIVE_INFINITY } } }
}

async function assureIncluded(deposit: Execution['deposit'], chain: ChainClient): Promise<void> {
  const { txHash, block } = deposit
  if (txHash === null) return // found by its balance, which was read at a confirmed block
  if (await isLogged(deposit, chain)) return
  const receipt = await chain.receipt(txHash)
  // A node that lags may not know the transaction yet, although a confirmed block contained it. Whether the money is
  // still there, the balance shows.
  if (!receipt) throw new RoutingError('RPC_FAILED', { cause: new Error('A node does not know the deposit') })
  if (!receipt.succeeded || receipt.block > block) throw new RoutingError('DEPOSIT_NOT_ON_CHAIN')
}

/**
 * Whether the deposit's block, as the chain has it now, contains its transfer. One request tells, and a node that does
 * not show it is asked for the transaction.
 */
async function isLogged({ account, block, txHash, logIndex }: Execution['deposit'], chain: ChainClient) {
  const transfers = await chain.transfersTo([account], block, block).catch(() => [])
  return transfers.some((found) => found.txHash === txHash && found.logIndex === logIndex && found.block === block)
}

/**
 * Takes a place among the organization's refunds of the day on the chain, whose gas the platform pays. A place is kept
 * until the day is over, so that waiting for the signer takes no second one.
 *
 * @throws {TemporarilyUnavailable} while there is no place.
 */
async function givenBackOf(
  { id, organizationId, deposit, facts }: Execution,
  { mayGiveBack }: Pick<Limits, 'mayGiveBack'>,
  at: number,
): Promise<Facts> {
  const givenBackOn = new Date(at).toISOString().slice(0, 10)
  if (facts.givenBackOn === givenBackOn) return {}
  if (!(await mayGiveBack(organizationId, deposit.chainId)))
    throw new TemporarilyUnavailable(`a refund of ${id}`, budgetLookMs, 'BUDGET')
  return { givenBackOn }
}

type BudgetPorts = { quoting: { prices: Pick<Prices, 'usd'> }; limits: Pick<Limits, 'maySponsorGas'> }

const microUsd = { tokenUsd: 100_000_000n, tokenDecimals: 6 }
const budgetLookMs = 60_000

/**
 * Takes the worth of the gas out of the organization's budget for the day, less what was taken before at an earlier
 * price. A deposit waits while there is no budget: charging the gas would give its user less than the intent says, and
 * paying it all the same would cost the platform more than it grants. It never waits for ever. Tomorrow has a new
 * budget, and if the plan has none any more, an operator can end the execution and re-drive it by the present intent.
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
    throw new TemporarilyUnavailable(`sponsored gas of ${id}`, budgetLookMs, 'BUDGET')
  return worth === null ? {} : { sponsoredMicroUsd: String(worth) }

  /** Null when no price is known, or when nothing was estimated. */
  async function worthOf(): Promise<bigint | null> {
    const nativeUsd = await quoting.prices.usd(deposit.chainId, zeroAddress).catch(() => null)
    if (nativeUsd === null || facts.gasCostWei === undefined) return null
    const costWei = amountOf(facts.gasCostWei) + amountOf(facts.route!.call?.nativeFee ?? '0')
    return gasFeeOf({ costWei, nativeUsd, ...microUsd })
  }
}
