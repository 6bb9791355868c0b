import type { ChainId } from '../../domain/chain/chain'
import { isOurRefusal, laterReason } from '../../domain/chain/contract-refusals'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import { type ErrorCode, isEnding, RoutingError } from '../../domain/error'
import { type Execution, failureOf } from '../../domain/execution/execution'
import { type Order, type OwnReceipt, revertOf } from '../../domain/execution/route'
import { amountOf } from '../../domain/money/amount'
import { mostUsdOf } from '../../domain/money/worth'
import { NotSeconded, nodesDiffer, TemporarilyUnavailable } from '../../domain/unavailable'
import type { Arrival, ChainClient, Chains, RouteUse, SecondNode } from '../../ports/chain-client'
import type { Prices } from '../../ports/prices'
import { issuerStop, isUnanswered, mayWait, nodeWait, tokenWait } from '../engine/payable'
import type { StepOutcome } from '../engine/step'
import type { RelayerPorts } from './relayer-slots'
import { transactionsOf } from './relayer-transactions'

export const orderFailed = (
  code: ErrorCode,
  facts: Execution['facts'] = {},
  more: { isStop?: true } = {},
): StepOutcome => ({
  type: 'order failed',
  facts,
  failure: failureOf(new RoutingError(code)),
  ...more,
})

/**
 * Decides how an order ended, at one confirmed block: either its route was used, or its deadline passed and it was not.
 * Returns null while neither is true. A receipt proves neither, because another order of the same route might have been
 * mined; it only distinguishes a revert from an expiry. An order that never got a nonce only waited, which is not a
 * retry. If there are two nodes, both must show the route unused, each at its own confirmed block after the deadline.
 * An expired order is given up permanently. If no node can show for ten minutes who refused it, it has only lapsed.
 */
export async function endOf(execution: Execution, ports: RelayerPorts): Promise<StepOutcome | null> {
  const { chain, relayerRecords, relayers, now } = ports
  const order = execution.facts.order!
  const number = await chain.confirmedNumber()
  const used = await chain.routeUsed(order.accountSalt, order.routeId, number)
  if (used) return minedBy(used, now)
  // No lower block is past the deadline either.
  if ((await chain.head(Number.MAX_SAFE_INTEGER)).time <= order.deadline) return null
  const block = await chain.blockAt(number)
  if (!block || block.time <= order.deadline || !(await isSecondedVoid(order, chain))) return null
  await chain.assureChain()
  const record = await relayerRecords.load(order.sender ?? relayers.forRoute(order.chainId, order.routeId).id)
  const transactions = transactionsOf(execution, record)
  if (transactions.length === 0 && !wasTried(execution)) return { type: 'order expired' }
  const reverted = await revertedInTime(transactions, execution, ports)
  if (!reverted) return orderFailed('ORDER_LAPSED')
  const facts = { transactions, receipt: reverted }
  const refusal = await refusalOf(reverted.hash, order, chain)
  const isOfIssuer = (refusal === 'OTHERS' || refusal === 'UNKNOWN') && (await isIssuerStop(execution, ports))
  if (refusal === 'OTHERS' && !isOfIssuer) return orderFailed('TRANSACTION_REVERTED', facts)
  if (refusal === 'UNKNOWN' && !isOfIssuer && mayWait(execution, now))
    return { ...nodeWait(execution, now), ...noted(execution, reverted) }
  return orderFailed('ORDER_LAPSED', facts, refusal === 'STOP' || isOfIssuer ? { isStop: true } : {})
}

/**
 * Returns who refused an order that reverted, as a node shows it: our own contracts (`STOP`), or another contract
 * (`OTHERS`). `LATER`: the re-run fails only because the deadline is over. `UNKNOWN`: no node can re-run it.
 */
async function refusalBy(
  node: Pick<SecondNode, 'revertReason'>,
  hash: Hash,
  { routeId }: Order,
): Promise<'STOP' | 'OTHERS' | 'LATER' | 'UNKNOWN'> {
  try {
    const reason = await node.revertReason(hash, routeId)
    if (reason === laterReason) return 'LATER'
    return isOurRefusal(reason) ? 'STOP' : 'OTHERS'
  } catch (error) {
    if (isUnanswered(error)) return 'UNKNOWN'
    throw error
  }
}

/**
 * Returns who refused the order. A second node is queried only if the first shows another contract, because only that
 * ends the deposit. Null if the second node does not show the revert.
 */
async function refusalOf(hash: Hash, order: Order, chain: ChainClient) {
  const refusal = await refusalBy(chain, hash, order)
  const { second } = chain
  if (refusal !== 'OTHERS' || !second) return refusal
  return (await isRevertedBy(second, hash, order)) ? refusalBy(second, hash, order) : null
}

/** Adds the receipt of a revert to a wait, and its history entry. */
function noted(execution: Execution, seen: OwnReceipt) {
  const historyEntry = historyEntryOf(execution, seen)
  return { facts: { receipt: seen }, ...(historyEntry && { historyEntry }) }
}

/**
 * Whether a token's issuer has stopped the transfer of an order that another contract refused. Also true if an earlier
 * read showed the stop. The order then only lapses: the deposit waits for the issuer, as it waits for the end of our
 * own stop.
 */
const isIssuerStop = async (execution: Execution, trying: Pick<RelayerPorts, 'chain' | 'now'>): Promise<boolean> => {
  const { waiting, receipt } = execution.facts
  return waiting?.for === 'TOKEN' || receipt?.isStopped === true || (await issuerStop(execution, trying)) !== null
}

/** The end of an order by the transaction that used its route, in a confirmed block. */
export function minedBy({ hash, block, spentRaw }: RouteUse, now: () => number): StepOutcome {
  return { type: 'transaction mined', facts: { spent: { hash, block, amountRaw: String(spentRaw), at: now() } } }
}

async function isSecondedVoid(order: Order, { second }: ChainClient): Promise<boolean> {
  if (!second) return true
  const { number, time } = await second.confirmed()
  return time > order.deadline && (await second.routeUsed(order.accountSalt, order.routeId, number)) === null
}

async function isRevertedBy(second: SecondNode, hash: Hash, { routeId, deadline }: Order): Promise<boolean> {
  try {
    const receipt = await second.receipt(hash, routeId)
    return receipt !== null && !receipt.succeeded && receipt.time <= deadline
  } catch (error) {
    if (error instanceof NotSeconded) return false
    throw error
  }
}

/** Whether the order may have been sent to a node. A slot is deleted once its nonce is settled. */
function wasTried({ state, cause, history }: Execution): boolean {
  const signedAt = history.findLast(({ event }) => event === 'order signed')?.at ?? 0
  return state !== 'PENDING' || (cause !== null && cause.at >= signedAt)
}

type SentTransactions = NonNullable<Execution['facts']['transactions']>

async function revertedInTime(
  sent: SentTransactions,
  { facts: { order, receipt: recorded = null } }: Execution,
  { chain, now }: RelayerPorts,
): Promise<OwnReceipt | null> {
  for (const { hash } of sent) {
    const receipt = await chain.receipt(hash, order!.routeId)
    if (receipt && !receipt.succeeded && receipt.time <= order!.deadline)
      return sameOr(recorded, { hash, block: receipt.block, succeeded: false, at: now() })
  }
  return null
}

/** Returns the recorded receipt if another read shows the same, so `at` stays the time when it was first seen. */
const sameOr = (recorded: OwnReceipt | null, seen: OwnReceipt): OwnReceipt =>
  recorded?.hash === seen.hash && recorded.block === seen.block && recorded.succeeded === seen.succeeded
    ? recorded
    : seen

/**
 * Returns the receipt of the order's transaction, confirmed or not; null while no block contains it. After a success,
 * the receipt is not fetched again until its block should be confirmed. It is for display only, so a node that does not
 * respond changes nothing.
 */
export async function pollReceipt({ facts }: Execution, chain: ChainClient, now: () => number) {
  const { order, transactions = [], receipt: recorded = null } = facts
  try {
    if (recorded?.succeeded && recorded.block > (await chain.confirmedNumber())) return recorded
    for (const { hash } of transactions.toReversed()) {
      const receipt = await chain.receipt(hash, order?.routeId)
      if (!receipt) continue
      const { block, succeeded } = receipt
      return sameOr(recorded, { hash, block, succeeded, at: now() })
    }
    return null
  } catch {
    return recorded
  }
}

/**
 * Returns the history event for a reverted transaction, or for a reverted transaction whose block vanished. The block
 * may not be confirmed yet.
 */
export function historyEntryOf(execution: Execution, seen: OwnReceipt | null): string | null {
  const [before, after] = [revertOf(execution), revertOf({ facts: { receipt: seen } })]
  if (after) return before ? null : 'transaction reverted'
  return before && 'revert taken back'
}

/**
 * Decides whether an order ended before its deadline, because the transaction that carried it alone reverted in a
 * confirmed block. If there are two nodes, both must show this. Such an order has one nonce; once that is used, none of
 * our transactions can carry the order again. A failed order of a batch waits for its deadline: a worker of an earlier
 * release reads only one order of a transaction and might have given this one a separate nonce. Returns null otherwise,
 * and also if our own contract was stopped: the order then expires, and the deposit is retried. If a token's issuer has
 * stopped it, or a node cannot show who refused it, returns the wait until then.
 */
export async function refusedOf(
  execution: Execution,
  seen: OwnReceipt,
  { chain, now }: Pick<RelayerPorts, 'chain' | 'now'>,
): Promise<StepOutcome | null> {
  const order = execution.facts.order!
  if (seen.succeeded || order.sender === undefined || !wentAlone(execution, seen.hash)) return null
  if (!(await isRefusedBy(chain, seen, order)) || (chain.second && !(await isRefusedBy(chain.second, seen, order))))
    return null
  let hasReason = true
  for (const node of [chain, ...(chain.second ? [chain.second] : [])]) {
    const refusal = await refusalBy(node, seen.hash, order)
    if (refusal === 'STOP' || refusal === 'LATER') return null
    if (refusal === 'UNKNOWN') hasReason = false
  }
  if (await isIssuerStop(execution, { chain, now }))
    return { ...tokenWait(execution, now), ...noted(execution, { ...seen, isStopped: true }) }
  if (hasReason) return orderFailed('TRANSACTION_REVERTED', { receipt: seen })
  return { ...nodeWait(execution, now), ...noted(execution, seen) }
}

/** Whether a node shows that the order was refused. The unused route is read at the node's own confirmed block. */
async function isRefusedBy(
  node: Pick<ChainClient, 'confirmed' | 'receipt' | 'routeUsed'>,
  { hash }: OwnReceipt,
  { accountSalt, routeId, deadline }: Order,
): Promise<boolean> {
  const { number } = await node.confirmed()
  const receipt = await node.receipt(hash, routeId)
  if (!receipt || receipt.succeeded || receipt.block > number || receipt.time > deadline) return false
  return (await node.routeUsed(accountSalt, routeId, number)) === null
}

/** What one confirmed transaction brought to an address. */
export type TokenArrival = Arrival & { token: Address }

type EvidenceChain = Pick<ChainClient, 'arrived' | 'transaction'>

/**
 * Reads what a transaction brought to an address: in the given token, else in any other token, else in the native coin.
 * Returns null while the chain does not show it. A transaction that only a provider names is not evidence. A
 * transaction that failed or paid another address is not evidence either.
 */
export async function arrivalOf(
  chain: EvidenceChain,
  hash: Hash,
  token: Address,
  who: Address,
): Promise<TokenArrival | null> {
  const arrived = await chain.arrived(hash, token, who)
  if (!arrived) return null
  if (arrived.amountRaw > 0n) return { token, ...arrived }
  const other = await otherToken(chain, hash, who)
  for (const candidate of [other, zeroAddress]) {
    const arrival = candidate && (await chain.arrived(hash, candidate, who))
    if (arrival && arrival.amountRaw > 0n) return { token: candidate, ...arrival }
  }
  return null
}

async function otherToken(chain: EvidenceChain, hash: Hash, who: Address): Promise<Address | null> {
  const transaction = await chain.transaction(hash)
  const isIts = ({ to, amountRaw }: { to: Address; amountRaw: bigint }) =>
    amountRaw > 0n && to.toLowerCase() === who.toLowerCase()
  return transaction?.transfers.find(isIts)?.token ?? null
}

/** Whether this transaction is known to carry the execution's order alone. */
const wentAlone = ({ facts: { transactions = [] } }: Execution, hash: Hash): boolean =>
  transactions.some((one) => one.hash === hash && one.orders === undefined)

/**
 * The account and the call that identify an execution's transfer to a provider, and whether its order is alone in the
 * transaction. A replacement transaction carries the same orders, and may be mined before the record lists it.
 */
export function callOf(execution: Execution, hash: Hash): { account: Address; call: Hex | null; isAlone: boolean } {
  const { facts, deposit } = execution
  const { transactions = [], route } = facts
  const isListed = transactions.some((one) => one.hash === hash)
  const isAlone = isListed
    ? wentAlone(execution, hash)
    : transactions.length > 0 && transactions.every(({ orders }) => orders === undefined)
  return { account: deposit.account, call: route?.call?.data ?? null, isAlone }
}

/**
 * Returns a second node of a chain (by default the deposit's), if there is one and the value of the moved money
 * requires it; null otherwise.
 */
export type QuorumCheck = (execution: Pick<Execution, 'deposit' | 'facts'>, of?: ChainId) => Promise<SecondNode | null>

/**
 * Queries a node, and a second node if the first reports an error that ends the deposit.
 *
 * @throws {NotSeconded} if the second node does not report that error.
 */
export async function seconded<Answer>(
  chainId: ChainId,
  { [chainId]: chain }: Chains,
  ask: (node: SecondNode) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(chain)
  } catch (error) {
    if (!isEnding(error) || !chain.second) throw error
    const said: unknown = await ask(chain.second).then(
      () => null,
      (failure) => failure,
    )
    if (said instanceof TemporarilyUnavailable) throw said
    throw isEnding(said) && said.code === error.code ? error : nodesDiffer(chainId, error.code)
  }
}

/**
 * A large amount needs two nodes that agree. An amount without a confirmed price counts as large: otherwise one wrong
 * price would make a single node's response suffice. A leftover that the deposit includes counts with it.
 */
export const quorumCheck =
  (chains: Chains, prices: Pick<Prices, 'said'>, quorumUsd: bigint): QuorumCheck =>
  async ({ deposit: { chainId, token, amountRaw, decimals }, facts: { balance } }, of = chainId) => {
    const { second } = chains[of]
    if (!second) return null
    const [ownRaw, movedRaw] = [amountOf(amountRaw), amountOf(balance?.totalReceivedRaw ?? '0')]
    const said = await prices.said(chainId, token).catch(() => [])
    const usd = mostUsdOf(ownRaw > movedRaw ? ownRaw : movedRaw, { decimals, said })
    return usd === null || usd >= quorumUsd ? second : null
  }
