import type { SchedulerLike } from 'rxjs'
import { chainOf } from '../../domain/chain/chain'
import type { Hash, Hex } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import type { Asker } from '../../domain/execution/provider-budget'
import { pollMs, reckonedWaitMsMax, waitedMs } from '../../domain/execution/retry'
import type { SeenReceipt } from '../../domain/execution/route'
import type { Aggregator } from '../../ports/aggregator'
import type { ChainClient, Chains, RouteUse } from '../../ports/chain-client'
import type { Limits } from '../../ports/limits'
import { type ClaimPorts, cameBack, shown } from '../delivery/claims'
import { callOf, endOf, failed, historyEntryOf, lookAtReceipt, minedBy, refusedOf } from '../delivery/evidence'
import { delayIn, expiredMint, mintedAlready, mintedBefore, refusedMint, sendMint } from '../delivery/mints'
import type { QuorumCheck } from '../delivery/quorum-check'
import type { RelayerPorts } from '../delivery/relayer-slots'
import { settleBy } from '../delivery/relayer-slots'
import { transactionsOf } from '../delivery/relayer-transactions'
import type { Step, StepOutcome } from '../engine/step'

type Ports = Omit<RelayerPorts, 'chain'> &
  ClaimPorts & {
    chains: Chains
    aggregators: readonly Aggregator[]
    pollMs: (chainId: Execution['deposit']['chainId']) => number
    secondOpinion?: QuorumCheck
    limits: Pick<Limits, 'relayerShareOf'>
    scheduler?: SchedulerLike
  }

const outcomeTimeoutMs = 5_000
/** After this long, the order's transaction may have been replaced. */
const replacedAfterMs = 60_000

/**
 * Confirms first that the money has left, by the route's mark on the source chain, and then that it has arrived. Only
 * evidence on a chain counts.
 */
export const confirmDelivery =
  (ports: Ports): Step =>
  async (execution) =>
    execution.facts.spent ? delivered(execution, ports) : mined(execution, ports)

async function mined(execution: Execution, ports: Ports): Promise<StepOutcome> {
  const { deposit, facts } = execution
  const chain = ports.chains[deposit.chainId]
  const early = (await tooEarly(execution, chain, ports)) ?? (await unmined(execution, chain, ports))
  if (early) return early
  const used = await usedByReceipt(execution, chain)
  const missing = used ? null : await unconfirmed(execution, chain, ports)
  if (missing) return missing
  const ended = used ? minedBy(used, ports.now) : await endOf(execution, { ...ports, chain })
  if (ended && (await isSeconded(ended, execution, ports))) {
    await settleRelayer(ended, execution, ports)
    return ended
  }
  const seen = await lookAtReceipt(execution, chain, ports.now)
  const refused = seen && (await refusedOf(execution, seen, chain))
  if (refused) return refused
  const last = facts.transactions?.at(-1)
  const relayer = last && !isFresh(execution, ports.now()) ? await ports.relayerRecords.load(last.sender) : null
  const transactions = relayer && transactionsOf(execution, relayer)
  const historyEntry = historyEntryOf(execution, seen)
  const askAgainInMs = pollMs(waitedMs(execution, 'BLOCK', ports.now), ports.pollMs(deposit.chainId))
  const found = { ...(transactions && { transactions }), ...(seen !== (facts.receipt ?? null) && { receipt: seen }) }
  return { facts: found, askAgainInMs, waitingFor: 'BLOCK', ...(historyEntry && { historyEntry }) }
}

/** What has left has used its nonce at a confirmed block. If this cannot be written, whoever tends the relayer does. */
async function settleRelayer(ended: StepOutcome, { facts: { order } }: Execution, ports: Ports): Promise<void> {
  const spent = 'facts' in ended ? ended.facts?.spent : undefined
  if (!spent || order!.sender === undefined) return
  const used = { orderId: order!.id, hash: spent.hash, relayerId: order!.sender }
  await settleBy(used, ports).catch(() => {})
}

/** Every wait that is reckoned by blocks ends here, so none is longer than a wrong block may make it. */
const boundedMs = (forMs: number, { chainId, confirmations }: ChainClient): number =>
  Math.min(forMs, reckonedWaitMsMax(chainId, confirmations))

const waitForBlock = (forMs: number, chain: ChainClient, { pollMs }: Pick<Ports, 'pollMs'>) =>
  ({ askAgainInMs: Math.max(pollMs(chain.chainId), boundedMs(forMs, chain)), waitingFor: 'BLOCK' }) as const

/** The receipt of the newest transaction, when it succeeded and its order is still good. */
function successOf({ facts: { order, receipt, transactions } }: Execution, now: number): SeenReceipt | null {
  const isLast = transactions?.at(-1)?.hash === receipt?.hash
  return receipt?.succeeded && isLast && order!.deadline * 1_000 >= now ? receipt : null
}

/**
 * Returns how long to wait while the block of the order's transaction should not be confirmed yet. Until then nothing
 * is read. A process that read no block of the chain lately goes by when the receipt was seen.
 */
async function tooEarly(execution: Execution, chain: ChainClient, ports: Ports): Promise<StepOutcome | null> {
  const receipt = successOf(execution, ports.now())
  if (!receipt) return null
  const all = waitForBlocksMs(chain.confirmations - 1, halfBlockOf(execution, ports))
  const reckonedMs = (await chain.untilConfirmedMs(receipt.block)) ?? receipt.at + all - ports.now()
  // What is reckoned spares requests only for as long as a confirmation may take.
  const forMs = Math.min(reckonedMs, receipt.at + reckonedWaitMsMax(chain.chainId, chain.confirmations) - ports.now())
  return forMs > 0 ? waitForBlock(forMs, chain, ports) : null
}

/** The use of the route that the receipt's block contains, once that block is confirmed. */
async function usedByReceipt({ facts }: Execution, chain: ChainClient): Promise<RouteUse | null> {
  const { accountSalt, routeId } = facts.order!
  return facts.receipt?.succeeded ? chain.routeUsedIn(accountSalt, routeId, facts.receipt.block) : null
}

/** Returns how long to wait while the block of the receipt is not confirmed. The whole is looked at only after that. */
async function unconfirmed(execution: Execution, chain: ChainClient, ports: Ports): Promise<StepOutcome | null> {
  const receipt = successOf(execution, ports.now())
  const halfBlockMs = halfBlockOf(execution, ports)
  const missing = receipt ? await blocksMissing(receipt.block, chain, halfBlockMs) : 0
  return missing === 0 ? null : waitForBlock(waitForBlocksMs(missing, halfBlockMs), chain, ports)
}

/**
 * Returns how long to wait while no confirmed block can contain the order's transaction, which was sent a moment ago.
 * Until then only its receipt is read, and not before there should be a block.
 */
async function unmined(execution: Execution, chain: ChainClient, ports: Ports): Promise<StepOutcome | null> {
  const { order, receipt } = execution.facts
  if (receipt || !isFresh(execution, ports.now()) || order!.deadline * 1_000 < ports.now()) return null
  const blockPollMs = ports.pollMs(chain.chainId)
  const halfBlockMs = halfBlockOf(execution, ports)
  const sentMs = ports.now() - execution.facts.transactions!.at(-1)!.at
  // Where one block confirms it, an early look makes it faster; elsewhere it would only be an early one.
  const firstLookMs = chain.confirmations === 1 ? halfBlockMs : 2 * halfBlockMs
  if (sentMs >= 0 && sentMs < firstLookMs) return { askAgainInMs: firstLookMs - sentMs, waitingFor: 'BLOCK' }
  const seen = await lookAtReceipt(execution, chain, ports.now)
  if (!seen) return { askAgainInMs: pollMs(waitedMs(execution, 'BLOCK', ports.now), blockPollMs), waitingFor: 'BLOCK' }
  if (!seen.succeeded) return null
  const reckonedMs = await chain.untilConfirmedMs(seen.block)
  if (reckonedMs) return { facts: { receipt: seen }, ...waitForBlock(reckonedMs, chain, ports) }
  const missing = await blocksMissing(seen.block, chain, halfBlockMs)
  if (missing === 0) return null
  return { facts: { receipt: seen }, ...waitForBlock(waitForBlocksMs(missing, halfBlockMs), chain, ports) }
}

/** Half the time of a block in milliseconds. Fast chains are looked at less often than that. */
const halfBlockOf = ({ deposit: { chainId } }: Execution, { pollMs }: Pick<Ports, 'pollMs'>): number =>
  Math.min(pollMs(chainId), chainOf(chainId).blockSeconds * 500)

/** Whether the newest transaction was sent too recently to have been replaced by another one. */
function isFresh({ facts }: Execution, now: number): boolean {
  const last = facts.transactions?.at(-1)
  return last !== undefined && last.at + replacedAfterMs >= now
}

/** How many blocks more than a confirmation takes may be missing while what is known of the chain is recent. */
const recentBlocks = 2

/**
 * Returns how many blocks are missing until one is confirmed. The chain is asked only when it may have made them, or
 * when nobody in this process has asked it for long: most of the blocks that then seem to be missing are there.
 *
 * @param halfBlockMs half the time that a block takes.
 */
async function blocksMissing(block: number, chain: ChainClient, halfBlockMs: number): Promise<number> {
  const missing = block - (await chain.confirmedNumber(Number.MAX_SAFE_INTEGER))
  if (missing <= 0) return 0
  const isRecent = missing <= chain.confirmations + recentBlocks
  const number = await chain.confirmedNumber(isRecent ? missing * halfBlockMs : halfBlockMs)
  return Math.max(0, block - number)
}

/** A little less than so many blocks take, so that the last of them is not waited for longer than it takes. */
const waitForBlocksMs = (blocks: number, halfBlockMs: number): number => Math.floor(blocks * 1.6 * halfBlockMs)

/** Whether a second node agrees that the money has left, for deposits whose value asks for one. */
async function isSeconded(ended: StepOutcome, execution: Execution, { secondOpinion }: Ports): Promise<boolean> {
  const spent = 'facts' in ended ? ended.facts?.spent : undefined
  const second = spent && (await secondOpinion?.(execution))
  if (!second) return true
  const { accountSalt, routeId } = execution.facts.order!
  // It is asked at its own confirmed block, because nodes forget the state of older blocks within minutes.
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
    askAgainInMs: pollMs(now() - spent!.at, ports.pollMs(toChainId)),
    waitingFor: isBridged ? 'PROVIDER' : 'BLOCK',
  } as const
  /** Nothing is asked again before the transaction that was looked at should be confirmed. */
  const shownLater = async (hash: Hash): Promise<StepOutcome> => {
    const chain = ports.chains[toChainId]
    const forMs = (await chain.untilConfirmedMs(hash)) ?? 0
    return { ...wait, askAgainInMs: Math.max(wait.askAgainInMs, boundedMs(forMs, chain)) }
  }
  const mintPorts = { ...ports, chain: ports.chains[toChainId], pollMs: ports.pollMs(toChainId) }
  const orLater = async (hash: Hash, seen: Awaited<ReturnType<typeof shown>>): Promise<StepOutcome> =>
    seen && 'type' in seen ? seen : { ...(await shownLater(hash)), ...seen }
  if (!isBridged) return orLater(spent!.hash, await shown(spent!.hash, execution, ports))
  const minted = await mintedAlready(execution, mintPorts)
  const seen = minted?.hash ? await shown(minted.hash, execution, ports, true) : null
  if (minted && seen && 'type' in seen) return { ...seen, facts: { ...minted.facts, ...seen.facts } }
  if (minted && !minted.hash) return { ...wait, askAgainInMs: mintPorts.pollMs, facts: minted.facts }
  if (minted?.isOurs) return { ...(await shownLater(minted.hash!)), facts: minted.facts }
  const outcome = await outcomeOf(execution, ports)
  if (!outcome) return wait
  if (outcome.kind === 'PENDING') return { ...wait, ...delayIn(outcome, execution) }
  if (outcome.kind === 'ATTESTED') {
    const before = facts.mint ? null : await mintedBefore(outcome.mint, execution, mintPorts)
    const delivery = before && (await shown(before.hash, execution, ports, true))
    // What shows no delivery of this execution is another's, and its name is not remembered.
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
    const isSure = outcome.kind === 'DELIVERED_OTHERWISE'
    const namedFor = (other: Execution) => namedBy(outcomeOf(other, ports))
    return orLater(outcome.hash, await shown(outcome.hash, execution, { ...ports, namedFor }, isSure))
  }
  // The provider only says so. The step waits until the chain shows it. Without a transaction hash, it waits until the
  // deposit that the money came back as is recorded.
  const isBack = outcome.hash === null ? execution.continuedBy !== null : await cameBack(outcome.hash, execution, ports)
  return isBack ? failed('FUNDS_RETURNED', { returned: { hash: outcome.hash } }) : wait
}

/** What the provider of an execution's route says became of it; null where that provider is not asked any more. */
async function outcomeOf(execution: Execution, { aggregators, scheduler }: Ports, expired: Hex | null = null) {
  const { deposit, facts } = execution
  const { route, spent, intent } = facts
  const aggregator = aggregators.find(({ name }) => name === route!.provider)
  if (!aggregator) return null
  const between = { fromChainId: deposit.chainId, toChainId: intent!.targetChainId }
  const { hash } = spent!
  const about = { hash, ...between, reference: route!.reference, ...callOf(execution, hash), asker: askerOf(execution) }
  return withDeadline(outcomeTimeoutMs, (signal) => aggregator.outcome({ ...about, expired }, signal), scheduler)
}

const namedBy = async (said: ReturnType<typeof outcomeOf>): Promise<Hash | null> => {
  const outcome = await said
  return outcome?.kind === 'DELIVERED' || outcome?.kind === 'DELIVERED_OTHERWISE' ? outcome.hash : null
}

/** Who asks: money in flight, which keeps its place in the line of a provider that allows no more requests. */
const askerOf = ({ id, organizationId, facts: { hold } }: Execution): Asker => ({
  id,
  organizationId,
  purpose: 'DEPOSIT',
  waitingSince: hold?.why === 'LIMIT' ? hold.since : null,
})
