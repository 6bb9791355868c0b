import type { SchedulerLike } from 'rxjs'
import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import type { Execution, Facts } from '../../domain/execution/execution'
import { pollMs, reckonedWaitMsMax, waitedMs } from '../../domain/execution/retry'
import type { OwnReceipt } from '../../domain/execution/route'
import type { Requester } from '../../domain/limits/provider-budget'
import { amountOf } from '../../domain/money/amount'
import type { ChainClient, Chains, RouteUse } from '../../ports/chain-client'
import type { BridgeOutcome, Gate } from '../../ports/gate'
import type { Limits, WorthOf } from '../../ports/limits'
import { type ClaimPorts, deliveryOutcome } from '../delivery/claims'
import { callOf, endOf, historyEntryOf, minedBy, pollReceipt, type QuorumCheck, refusedOf } from '../delivery/evidence'
import { delayIn, expiredMint, mintedAlready, mintedBefore, refusedMint, sendMint } from '../delivery/mints'
import { refundOutcome } from '../delivery/refunds'
import { type RelayersOfAll, relayersOn } from '../delivery/relayer-slots'
import { settleBy, transactionsOf } from '../delivery/relayer-transactions'
import type { Step, StepOutcome } from '../engine/step'

type Ports = Omit<RelayersOfAll, 'ordersPerTransaction'> &
  ClaimPorts & {
    chains: Chains
    aggregators: readonly Pick<Gate, 'name' | 'outcome'>[]
    pollMs: (chainId: Execution['deposit']['chainId']) => number
    secondOpinion?: QuorumCheck | undefined
    limits: Pick<Limits, 'relayerShareOf'>
    /** Values deliveries and fees, for statements only. Without it their value is unknown. */
    worth?: WorthOf | undefined
    scheduler?: SchedulerLike | undefined
  }

const outcomeTimeoutMs = 5_000
/** Longest wait for a price, which is only for display. */
const worthTimeoutMs = 2_000
/** After this time, the order's transaction may have been replaced. */
const replacedAfterMs = 60_000

/**
 * Confirms that the money left, by the route's event on the source chain, and then that it arrived. Only evidence on a
 * chain counts.
 */
export const confirmDelivery =
  (ports: Ports): Step =>
  async (execution) =>
    execution.facts.spent ? withDeliveryValue(await delivered(execution, ports), ports) : mined(execution, ports)

async function mined(execution: Execution, ports: Ports): Promise<StepOutcome> {
  const { deposit, facts } = execution
  const chain = ports.chains[deposit.chainId]
  const early = (await tooEarly(execution, chain, ports)) ?? (await unmined(execution, chain, ports))
  if (early) return early
  const used = await usedByReceipt(execution, chain)
  const missing = used ? null : await unconfirmed(execution, chain, ports)
  if (missing) return missing
  const ended = used ? minedBy(used, ports.now) : await endOf(execution, relayersOn(ports, chain))
  if (ended && (await isSeconded(ended, execution, ports))) {
    const [valued] = await Promise.all([
      withDepartureValues(ended, execution, ports),
      settleRelayer(ended, execution, ports),
    ])
    return valued
  }
  const ownReceipt = await pollReceipt(execution, chain, ports.now)
  const refused = ownReceipt && (await refusedOf(execution, ownReceipt, { chain, now: ports.now }))
  if (refused) return refused
  const last = facts.transactions?.at(-1)
  const relayer = last && !isFresh(execution, ports.now()) ? await ports.relayerRecords.load(last.sender) : null
  const transactions = relayer && transactionsOf(execution, relayer)
  const historyEntry = historyEntryOf(execution, ownReceipt)
  const retryInMs = pollMs(waitedMs(execution, 'BLOCK', ports.now), ports.pollMs(deposit.chainId))
  const newFacts = {
    ...(transactions && { transactions }),
    ...(ownReceipt !== (facts.receipt ?? null) && { receipt: ownReceipt }),
  }
  return { facts: newFacts, retryInMs, waitingFor: 'BLOCK', ...(historyEntry && { historyEntry }) }
}

/**
 * Money that has left used its nonce at a confirmed block. If this write fails, the process that tends the relayer
 * repeats it.
 */
async function settleRelayer(ended: StepOutcome, { facts: { order } }: Execution, ports: Ports): Promise<void> {
  const spent = 'facts' in ended ? ended.facts?.spent : undefined
  if (!spent || order!.sender === undefined) return
  const used = { orderId: order!.id, hash: spent.hash, relayerId: order!.sender }
  await settleBy(used, ports).catch(() => {})
}

/** Limits every wait estimated from block numbers, because a wrong block number would cause a long delay. */
const boundedMs = (forMs: number, { chainId, confirmations }: ChainClient): number =>
  Math.min(forMs, reckonedWaitMsMax(chainId, confirmations))

const waitForBlock = (forMs: number, chain: ChainClient, { pollMs }: Pick<Ports, 'pollMs'>) =>
  ({ retryInMs: Math.max(pollMs(chain.chainId), boundedMs(forMs, chain)), waitingFor: 'BLOCK' }) as const

/** The receipt of the newest transaction, if it succeeded and its order has not expired. */
function successOf({ facts: { order, receipt, transactions } }: Execution, now: number): OwnReceipt | null {
  const isLast = transactions?.at(-1)?.hash === receipt?.hash
  return receipt?.succeeded && isLast && order!.deadline * 1_000 >= now ? receipt : null
}

/**
 * Returns the wait while the block of the order's transaction should not be confirmed yet. Until then nothing is read.
 * A process that read no block of the chain recently uses the time when the receipt was seen.
 */
async function tooEarly(execution: Execution, chain: ChainClient, ports: Ports): Promise<StepOutcome | null> {
  const receipt = successOf(execution, ports.now())
  if (!receipt) return null
  const all = waitForBlocksMs(chain.confirmations - 1, halfBlockOf(execution, ports))
  const reckonedMs = (await chain.untilConfirmedMs(receipt.block)) ?? receipt.at + all - ports.now()
  // An estimate may replace requests only for as long as a confirmation takes.
  const forMs = Math.min(reckonedMs, receipt.at + reckonedWaitMsMax(chain.chainId, chain.confirmations) - ports.now())
  return forMs > 0 ? waitForBlock(forMs, chain, ports) : null
}

/** The use of the route that the receipt's block contains, once that block is confirmed. */
async function usedByReceipt({ facts }: Execution, chain: ChainClient): Promise<RouteUse | null> {
  const { accountSalt, routeId } = facts.order!
  return facts.receipt?.succeeded ? chain.routeUsedIn(accountSalt, routeId, facts.receipt.block) : null
}

/** Returns the wait while the block of the receipt is not confirmed. The full check runs only after that. */
async function unconfirmed(execution: Execution, chain: ChainClient, ports: Ports): Promise<StepOutcome | null> {
  const receipt = successOf(execution, ports.now())
  const halfBlockMs = halfBlockOf(execution, ports)
  const missing = receipt ? await blocksMissing(receipt.block, chain, halfBlockMs) : 0
  return missing === 0 ? null : waitForBlock(waitForBlocksMs(missing, halfBlockMs), chain, ports)
}

/**
 * Returns the wait while no confirmed block can contain the order's transaction, which was sent a moment ago. Until
 * then only its receipt is read, and not before a block should exist.
 */
async function unmined(execution: Execution, chain: ChainClient, ports: Ports): Promise<StepOutcome | null> {
  const { order, receipt } = execution.facts
  if (receipt || !isFresh(execution, ports.now()) || order!.deadline * 1_000 < ports.now()) return null
  const blockPollMs = ports.pollMs(chain.chainId)
  const halfBlockMs = halfBlockOf(execution, ports)
  const sentMs = ports.now() - execution.facts.transactions!.at(-1)!.at
  // If one block confirms the transaction, an early check saves time. On other chains it would be too early.
  const firstPollMs = chain.confirmations === 1 ? halfBlockMs : 2 * halfBlockMs
  if (sentMs >= 0 && sentMs < firstPollMs) return { retryInMs: firstPollMs - sentMs, waitingFor: 'BLOCK' }
  const ownReceipt = await pollReceipt(execution, chain, ports.now)
  if (!ownReceipt)
    return { retryInMs: pollMs(waitedMs(execution, 'BLOCK', ports.now), blockPollMs), waitingFor: 'BLOCK' }
  if (!ownReceipt.succeeded) return null
  const reckonedMs = await chain.untilConfirmedMs(ownReceipt.block)
  if (reckonedMs) return { facts: { receipt: ownReceipt }, ...waitForBlock(reckonedMs, chain, ports) }
  const missing = await blocksMissing(ownReceipt.block, chain, halfBlockMs)
  if (missing === 0) return null
  return { facts: { receipt: ownReceipt }, ...waitForBlock(waitForBlocksMs(missing, halfBlockMs), chain, ports) }
}

/** Half a block time in milliseconds, at most the poll interval. Fast chains are polled less often than this. */
const halfBlockOf = ({ deposit: { chainId } }: Execution, { pollMs }: Pick<Ports, 'pollMs'>): number =>
  Math.min(pollMs(chainId), chainOf(chainId).blockSeconds * 500)

/** Whether the newest transaction is too recent to have been replaced. */
function isFresh({ facts }: Execution, now: number): boolean {
  const last = facts.transactions?.at(-1)
  return last !== undefined && last.at + replacedAfterMs >= now
}

/** The cached block number counts as recent while no more blocks are missing than a confirmation takes plus these. */
const recentBlocks = 2

/**
 * Returns the number of blocks missing until a block is confirmed. The chain is read only if it may have made those
 * blocks, or if this process has not read it for long. In that case most of the blocks that seem to be missing already
 * exist.
 *
 * @param halfBlockMs Half a block time.
 */
async function blocksMissing(block: number, chain: ChainClient, halfBlockMs: number): Promise<number> {
  const missing = block - (await chain.confirmedNumber(Number.MAX_SAFE_INTEGER))
  if (missing <= 0) return 0
  const isRecent = missing <= chain.confirmations + recentBlocks
  const number = await chain.confirmedNumber(isRecent ? missing * halfBlockMs : halfBlockMs)
  return Math.max(0, block - number)
}

/** Returns 80 % of the time of so many blocks, in milliseconds, so the last block is noticed soon after it appears. */
const waitForBlocksMs = (blocks: number, halfBlockMs: number): number => Math.floor(blocks * 1.6 * halfBlockMs)

/** Whether a second node agrees that the money has left, for deposits whose value requires one. */
async function isSeconded(ended: StepOutcome, execution: Execution, { secondOpinion }: Ports): Promise<boolean> {
  const spent = 'facts' in ended ? ended.facts?.spent : undefined
  const second = spent && (await secondOpinion?.(execution))
  if (!second) return true
  const { accountSalt, routeId } = execution.facts.order!
  // The second node is read at its own confirmed block, because nodes drop the state of older blocks within minutes.
  const { number } = await second.confirmed()
  return (await second.routeUsed(accountSalt, routeId, number))?.hash === spent.hash
}

async function delivered(execution: Execution, ports: Ports): Promise<StepOutcome> {
  const { facts } = execution
  const { now } = ports
  const { route, spent, intent } = facts
  const { targetChainId: toChainId } = intent!
  const isBridged = route!.kind === 'BRIDGE'
  const wait = {
    retryInMs: pollMs(now() - spent!.at, ports.pollMs(toChainId)),
    waitingFor: isBridged ? 'PROVIDER' : 'BLOCK',
  } as const
  /** Waits until the transaction just read should be confirmed. Nothing is requested before that. */
  const shownLater = async (hash: Hash): Promise<StepOutcome> => {
    const chain = ports.chains[toChainId]
    const forMs = (await chain.untilConfirmedMs(hash)) ?? 0
    return { ...wait, retryInMs: Math.max(wait.retryInMs, boundedMs(forMs, chain)) }
  }
  const { limits } = ports
  const mintPorts = { ...relayersOn(ports, ports.chains[toChainId]), limits, pollMs: ports.pollMs(toChainId) }
  const orLater = async (hash: Hash, seen: Awaited<ReturnType<typeof deliveryOutcome>>): Promise<StepOutcome> =>
    seen && 'type' in seen ? seen : { ...(await shownLater(hash)), ...seen }
  if (!isBridged) return orLater(spent!.hash, await deliveryOutcome(spent!.hash, execution, ports, 'CHAIN'))
  const minted = await mintedAlready(execution, mintPorts)
  const seen = minted?.hash ? await deliveryOutcome(minted.hash, execution, ports, 'CHAIN') : null
  if (minted && seen && 'type' in seen) return { ...seen, facts: { ...minted.facts, ...seen.facts } }
  if (minted && !minted.hash) return { ...wait, retryInMs: mintPorts.pollMs, facts: minted.facts }
  if (minted?.isOurs) return { ...(await shownLater(minted.hash!)), facts: minted.facts }
  const outcome = await outcomeOf(execution, ports)
  if (!outcome) return wait
  const cleared = isOutdated(facts.doubted, outcome) ? { doubted: null } : {}
  if (outcome.kind === 'PENDING') return withFacts({ ...wait, ...delayIn(outcome, execution) }, cleared)
  if (outcome.kind === 'ATTESTED') {
    const before = facts.mint ? null : await mintedBefore(outcome.mint, execution, mintPorts)
    const delivery = before && (await deliveryOutcome(before.hash, execution, ports, 'CHAIN'))
    // A transaction that shows no delivery of this execution belongs to another execution. Its hash is not stored.
    if (before)
      return delivery && 'type' in delivery ? { ...delivery, facts: { ...before.facts, ...delivery.facts } } : wait
    const estimated = await mintPorts.chain.estimateMint(outcome.mint)
    const renewed = estimated === 'EXPIRED' ? await outcomeOf(execution, ports, outcome.mint.data) : outcome
    if (renewed?.kind !== 'ATTESTED') return { ...wait, facts: expiredMint(execution) }
    const gas = renewed === outcome ? estimated : await mintPorts.chain.estimateMint(renewed.mint)
    if (typeof gas === 'bigint') return sendMint(renewed.mint, gas, execution, mintPorts)
    return { ...wait, facts: refusedMint(renewed.mint, execution, ports) }
  }
  if (outcome.kind !== 'RETURNED') {
    const namedFor = (other: Execution) => namedBy(outcomeOf(other, ports))
    const shown = await deliveryOutcome(outcome.hash, execution, ports, outcome.kind, namedFor)
    return withFacts(await orLater(outcome.hash, shown), cleared)
  }
  // So far only the provider reports this. The step waits until the chain shows it.
  const endedOtherwise = async (other: Execution, hash: Hash) => {
    const end = await outcomeOf(other, ports)
    return end !== null && 'hash' in end && end.hash !== null && end.hash !== hash
  }
  const back = await refundOutcome(outcome.hash, execution, ports, endedOtherwise)
  return back && 'type' in back ? back : withFacts({ ...wait, ...back }, cleared)
}

/**
 * Whether the provider no longer reports what only an operator can settle: a refund without a transaction, or another
 * execution's transaction. Any other doubt keeps its time. Otherwise a changing answer would delay the end.
 */
const isOutdated = (doubted: Facts['doubted'], outcome: BridgeOutcome): boolean =>
  Boolean(doubted && (doubted.hash === null || doubted.isTaken)) &&
  !('hash' in outcome && outcome.hash === doubted!.hash)

/** Adds facts to a wait that has no facts of the same names. */
const withFacts = (outcome: StepOutcome, facts: Facts): StepOutcome =>
  'type' in outcome || Object.keys(facts).length === 0
    ? outcome
    : ({ ...outcome, facts: { ...facts, ...outcome.facts } } as StepOutcome)

/** Returns the value of amounts of a token at this moment, if its price is known now. It is never looked up later. */
async function valueNow(
  chainId: ChainId,
  token: Address,
  { worth, scheduler }: Ports,
): Promise<((amountRaw: string) => string) | null> {
  if (!worth) return null
  const late = (signal: AbortSignal) => new Promise<null>((end) => signal.addEventListener('abort', () => end(null)))
  const read = (signal: AbortSignal) => Promise.race([worth(chainId, token), late(signal)])
  const price = await withDeadline(worthTimeoutMs, read, scheduler).catch(() => null)
  return price && ((amountRaw) => String((amountOf(amountRaw) * price.usd) / 10n ** BigInt(price.decimals)))
}

async function withDeliveryValue(outcome: StepOutcome, ports: Ports): Promise<StepOutcome> {
  const delivery = 'facts' in outcome ? outcome.facts?.delivery : undefined
  const value = delivery && (await valueNow(delivery.chainId, delivery.token, ports))
  if (!delivery || !value) return outcome
  const valued = { ...delivery, valueUsd: value(delivery.amountRaw) }
  return { ...outcome, facts: { ...outcome.facts, delivery: valued } } as StepOutcome
}

/** Adds the values of the amount and of its fees to the fact that the money has left. */
async function withDepartureValues(
  outcome: StepOutcome,
  { deposit, facts }: Execution,
  ports: Ports,
): Promise<StepOutcome> {
  const { fees } = facts
  const spent = 'facts' in outcome ? outcome.facts?.spent : undefined
  const value = spent && (await valueNow(deposit.chainId, deposit.token, ports))
  if (!spent || !value) return outcome
  const feesUsd = fees && { protocolFee: value(fees.protocolFeeEffective), gasFee: value(fees.gasFeeRaw) }
  const valued = { ...spent, valueUsd: value(spent.amountRaw), ...(feesUsd && { feesUsd }) }
  return { ...outcome, facts: { ...outcome.facts, spent: valued } } as StepOutcome
}

/** The outcome that the provider of an execution's route reports; null if that provider is no longer in use. */
async function outcomeOf(execution: Execution, { aggregators, scheduler }: Ports, expired: Hex | null = null) {
  const { deposit, facts } = execution
  const { route, spent, intent } = facts
  const aggregator = aggregators.find(({ name }) => name === route!.provider)
  if (!aggregator) return null
  const between = { fromChainId: deposit.chainId, toChainId: intent!.targetChainId }
  const { hash } = spent!
  const about = {
    hash,
    ...between,
    reference: route!.reference,
    ...callOf(execution, hash),
    requester: requesterOf(execution),
  }
  return withDeadline(outcomeTimeoutMs, (signal) => aggregator.outcome({ ...about, expired }, signal), scheduler)
}

const namedBy = async (said: ReturnType<typeof outcomeOf>): Promise<Hash | null> => {
  const outcome = await said
  return outcome?.kind === 'DELIVERED' || outcome?.kind === 'DELIVERED_OTHERWISE' ? outcome.hash : null
}

/** The requester: money in flight, which keeps its place in the queue of a provider whose rate limit is reached. */
const requesterOf = ({ id, organizationId, facts: { hold } }: Execution): Requester => ({
  id,
  organizationId,
  purpose: 'DEPOSIT',
  waitingSince: hold?.why === 'LIMIT' ? hold.since : null,
})
