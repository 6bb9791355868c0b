import { type ErrorCode, RoutingError } from '../../domain/error'
import { type Execution, failureOf } from '../../domain/execution/execution'
import type { Order } from '../../domain/execution/order'
import { revertOf, type SeenReceipt } from '../../domain/execution/receipt'
import type { ChainClient } from '../../ports/chain-client'
import type { StepOutcome } from '../engine/step'
import { type Sending, sentFor } from './sender'

/** What our own contract refuses while its holders have stopped it says nothing of the deposit: it is screened anew. */
const stops = ['Paused', 'CapReached', 'NotRelayer']

export const failed = (code: ErrorCode, facts: Execution['facts'] = {}): StepOutcome => ({
  type: 'order failed',
  facts,
  failure: failureOf(new RoutingError(code)),
})

/**
 * How an order ends, read at one confirmed block: its route is used, or its time is over and it is not; else null.
 * A receipt decides neither: another order of the same route may have won. It only tells a revert from a lapse.
 * An order that never had a nonce has only waited, which is no retry.
 * That it is not used is true when two nodes say so where there are two, at a confirmed block of theirs that is past
 * the deadline: what is void is given up for good.
 */
export async function endOf(execution: Execution, sending: Sending): Promise<StepOutcome | null> {
  const { chain, senders, relayers, now } = sending
  const order = execution.facts.order!
  const { number, time } = await chain.confirmed()
  const used = await chain.routeUsed(order.accountSalt, order.routeId, number)
  if (used) {
    const spent = { hash: used.hash, block: used.block, amountRaw: String(used.spentRaw), at: now() }
    return { type: 'transaction mined', facts: { spent } }
  }
  if (time <= order.deadline || !(await isSecondedVoid(order, chain))) return null
  const sender = await senders.load(order.sender ?? relayers.keyFor(order.chainId, order.routeId).id)
  const transactions = sentFor(execution, sender)
  if (transactions.length === 0 && !wasTried(execution)) return { type: 'order expired' }
  const reverted = await revertedInTime(transactions, order.deadline, sending)
  const isStopped = reverted !== null && (await isStop(reverted, chain))
  const code = reverted === null || isStopped ? 'ORDER_LAPSED' : 'TRANSACTION_REVERTED'
  return failed(code, reverted ? { transactions, receipt: reverted } : {})
}

async function isSecondedVoid(order: Order, { second }: ChainClient): Promise<boolean> {
  if (!second) return true
  const { number, time } = await second.confirmed()
  return time > order.deadline && (await second.routeUsed(order.accountSalt, order.routeId, number)) === null
}

/** Whether its order was offered to a node: a slot whose nonce is used by now is no longer known. */
function wasTried({ state, cause, history }: Execution): boolean {
  const signedAt = history.findLast(({ event }) => event === 'order signed')?.at ?? 0
  return state !== 'PENDING' || (cause !== null && cause.at >= signedAt)
}

type Sent = NonNullable<Execution['facts']['transactions']>

async function revertedInTime(sent: Sent, deadline: number, { chain, now }: Sending): Promise<SeenReceipt | null> {
  for (const { hash } of sent) {
    const receipt = await chain.receipt(hash)
    if (receipt && !receipt.succeeded && receipt.time <= deadline)
      return { hash, block: receipt.block, succeeded: false, at: now() }
  }
  return null
}

const isStop = async ({ hash }: SeenReceipt, chain: ChainClient): Promise<boolean> =>
  stops.includes((await chain.revertReason(hash)) ?? '')

/**
 * The block that has the order's transaction, confirmed or not; null while none has it. What has succeeded is not asked
 * about again until its block would be confirmed. It is shown, and a node that does not answer changes nothing.
 */
export async function lookAtReceipt({ facts }: Execution, chain: ChainClient, now: () => number) {
  const { transactions = [], receipt: known = null } = facts
  try {
    if (known?.succeeded && known.block > (await chain.confirmed()).number) return known
    for (const { hash } of transactions.toReversed()) {
      const receipt = await chain.receipt(hash)
      if (!receipt) continue
      const { block, succeeded } = receipt
      const isKnown = known?.hash === hash && known.block === block && known.succeeded === succeeded
      return isKnown ? known : { hash, block, succeeded, at: now() }
    }
    return null
  } catch {
    return known
  }
}

/** What a reader is told at once of a block that may still be taken back. */
export function newsOf(execution: Execution, seen: SeenReceipt | null): string | null {
  const [before, after] = [revertOf(execution), revertOf({ facts: { receipt: seen } })]
  if (after) return before ? null : 'transaction reverted'
  return before && 'revert taken back'
}

/**
 * How an order ends before its time: a transaction that carried it was refused, in a confirmed block of two nodes where
 * there are two. An order has one nonce, and with that used up nothing of ours can ever carry it again. Null where that
 * is not so, and where our own contract was stopped: the same order is then waited out, and the deposit tried again.
 */
export async function refusedOf(
  { facts }: Execution,
  seen: SeenReceipt,
  chain: ChainClient,
): Promise<StepOutcome | null> {
  const order = facts.order!
  if (seen.succeeded || order.sender === undefined) return null
  if (!(await isRefusedBy(chain, seen, order)) || (chain.second && !(await isRefusedBy(chain.second, seen, order))))
    return null
  return (await isStop(seen, chain)) ? null : failed('TRANSACTION_REVERTED', { receipt: seen })
}

/** That the route is not used is read at the very block that is said to be confirmed. */
async function isRefusedBy(
  node: Pick<ChainClient, 'confirmed' | 'receipt' | 'routeUsed'>,
  { hash }: SeenReceipt,
  { accountSalt, routeId, deadline }: Order,
): Promise<boolean> {
  const { number } = await node.confirmed()
  const receipt = await node.receipt(hash)
  if (!receipt || receipt.succeeded || receipt.block > number || receipt.time > deadline) return false
  return (await node.routeUsed(accountSalt, routeId, number)) === null
}
