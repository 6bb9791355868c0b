import type { Sendable } from '../execution/mint'
import type { Order } from '../execution/route'
import { isNative } from '../money/token'
import type { Address } from './hex'
import { gasNeedOf, mayTake, type Relayer, type SlotRequest, unminedMaxOf, waitingIn } from './relayer'

/** How long a slot stays assigned to an execution. No other execution can take it in that time. */
const handedMs = 6_000
/** Longest queue of one key. Further executions poll instead. */
const lineMax = 200

type Line = NonNullable<Relayer['line']>
type Waiter = Line[number]
type InTurn = Pick<SlotRequest, 'organizationId' | 'executionId' | 'since'>

const isHanded = ({ handedUntil }: Waiter): boolean => handedUntil !== null

/** Returns the queue without executions that did not use their assigned slot in time. They queue again. */
export const activeQueue = ({ line = [] }: Relayer, now: number): Line =>
  line.filter(({ handedUntil }) => handedUntil === null || handedUntil > now)

const isFirst = (one: InTurn, other: InTurn): boolean =>
  one.since < other.since || (one.since === other.since && one.executionId < other.executionId)

/** Whether an execution has an assigned slot that it has not used yet. */
export const hasAssignedSlot = (relayer: Relayer, executionId: string, now: number): boolean =>
  activeQueue(relayer, now).some((waiter) => waiter.executionId === executionId && isHanded(waiter))

/** Whether an execution was assigned a slot or invited to share a transaction. Its order may then be signed. */
export const isInvited = (relayer: Relayer, executionId: string, now: number): boolean =>
  hasAssignedSlot(relayer, executionId, now) ||
  activeQueue(relayer, now).some((waiter) => waiter.executionId === executionId && (waiter.calledUntil ?? 0) > now)

/**
 * Returns the executions that get the free slots, in order: the organization with the fewest slots first, then the
 * longest wait. An assigned slot counts as held, even if unused.
 *
 * @param mined Number of the key's mined nonces.
 */
function nextIn(relayer: Relayer, line: Line, mined: number): Waiter[] {
  const held: { organizationId?: string }[] = [...waitingIn(relayer, mined), ...line.filter(isHanded)]
  const waiting = new Set(line.filter((waiter) => !isHanded(waiter)))
  const next: Waiter[] = []
  for (;;) {
    const own = Map.groupBy(held, ({ organizationId }) => organizationId)
    const holds = ({ organizationId }: Waiter) => own.get(organizationId)?.length ?? 0
    const isBefore = (one: Waiter, other: Waiter) =>
      holds(one) < holds(other) || (holds(one) === holds(other) && isFirst(one, other))
    const able = [...waiting].filter((waiter) => mayTake(held, waiter, unminedMaxOf(relayer)))
    const first = able.reduce<Waiter | null>((best, one) => (best && !isBefore(one, best) ? best : one), null)
    if (!first) return next
    next.push(first)
    held.push(first)
    waiting.delete(first)
  }
}

/** Whether an execution may take a free slot now, or has one assigned. */
export function isItsTurn(relayer: Relayer, mined: number, request: SlotRequest, now: number): boolean {
  const { executionId } = request
  if (hasAssignedSlot(relayer, executionId, now)) return true
  const line = activeQueue(relayer, now)
  const isThere = line.some((waiter) => waiter.executionId === executionId)
  const all = isThere ? line : [...line, { ...request, handedUntil: null }]
  return nextIn(relayer, all, mined).some((waiter) => waiter.executionId === executionId)
}

/**
 * Assigns the free slots and invites further executions to share those transactions. An invited execution gets no slot:
 * its order is signed and joins the next transaction.
 *
 * @param most Limit of orders in one transaction.
 * @returns The record and the chosen executions; null if no slot can be assigned.
 */
export function withSlotsAssigned(
  relayer: Relayer,
  mined: number,
  now: number,
  most = 1,
): { relayer: Relayer; called: Waiter[] } | null {
  const line = activeQueue(relayer, now)
  const next = nextIn(relayer, line, mined)
  if (next.length === 0) return null
  const others = line.filter((waiter) => !isHanded(waiter) && !next.includes(waiter))
  const along = inFairTurn(next, others, (one) => one).slice(0, next.length * (most - 1))
  const until = now + handedMs
  const updated = (one: Waiter): Waiter => {
    if (next.includes(one)) return { ...one, handedUntil: until }
    return along.includes(one) ? { ...one, calledUntil: until } : one
  }
  return { relayer: { ...relayer, line: line.map(updated) }, called: [...next, ...along] }
}

/** Returns the others in fair order: fewest earlier entries of the same organization first, then the longest wait. */
function inFairTurn<One>(waiting: readonly InTurn[], others: readonly One[], requestOf: (one: One) => InTurn): One[] {
  const before = new Map<string, number>()
  const rankOf = ({ organizationId }: InTurn) => {
    const rank = before.get(organizationId) ?? 0
    before.set(organizationId, rank + 1)
    return rank
  }
  waiting.forEach(rankOf)
  const waited = others.toSorted((one, other) => (isFirst(requestOf(one), requestOf(other)) ? -1 : 1))
  const ranked = waited.map((one) => ({ one, rank: rankOf(requestOf(one)) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one)
}

/** An order that needs a slot, with its request. */
export type SlotOrder<Sent extends Sendable = Sendable> = { order: Sent; request: SlotRequest }

/** Most call data of one transaction, in characters. Nodes refuse transactions above 128 kB. */
const dataMax = 100_000

/**
 * Returns the orders that join a transaction that has a slot. The choice is fair among organizations, up to the limits
 * of one transaction.
 *
 * @param most Limits of one transaction: orders and gas.
 * @param canPay Whether the relayer can pay for a transaction.
 */
export function batchedOrders<One extends SlotOrder<Order>>(
  first: SlotOrder<Order>,
  others: readonly One[],
  { orders: ordersMax, gas }: { orders: number; gas: bigint },
  canPay: (asking: ReturnType<typeof gasNeedOf>) => boolean,
): One[] {
  const along: One[] = []
  for (const next of inFairTurn([first.request], others, ({ request }) => request)) {
    const orders = [first, ...along, next].map(({ order }) => order)
    if (orders.length > ordersMax) break
    const asking = gasNeedOf(orders)
    if (BigInt(asking.gasLimit) <= gas && mayShare(orders) && canPay(asking)) along.push(next)
  }
  return along
}

/**
 * Whether an order runs code that its integrator or user chose. A payment of the coin calls its recipient, and a swap
 * calls the token that it buys.
 */
const givesControl = ({ kind, token }: Order): boolean => kind === 'SWAP' || (kind !== 'BRIDGE' && isNative(token))

/**
 * Whether orders may share a transaction. A payment or swap is credited with the rise of its recipient's balance in the
 * whole transaction, so no other order may pay that recipient or be paid by it. An order that gives control could move
 * a swap's price before and after it. It therefore never shares a transaction with a swap.
 */
function mayShare(orders: readonly Order[]): boolean {
  if (orders.some(({ kind }) => kind === 'SWAP') && orders.filter(givesControl).length > 1) return false
  const routes = new Set(orders.map(({ routeId }) => routeId))
  if (routes.size < orders.length || orders.reduce((sum, { data }) => sum + data.length, 0) > dataMax) return false
  return orders.every(
    ({ routeId, kind, intent: { recipient } }) =>
      kind === 'BRIDGE' ||
      orders.every((other) => other.routeId === routeId || !partiesOf(other).includes(lower(recipient))),
  )
}

const lower = (address: Address): string => address.toLowerCase()

const partiesOf = ({ kind, intent, account, target, spender, collector }: Order): string[] =>
  [account, target, spender, collector, ...(kind === 'BRIDGE' ? [] : [intent.recipient])].map(lower)

/** Whether an execution waits without an assigned slot. */
export const hasWaiters = ({ line = [] }: Relayer): boolean => line.some((waiter) => !isHanded(waiter))

/** Returns the newest waiter of the organizations with the most entries in the queue. */
function newestOfLargest(waiting: Line): Waiter {
  const groups = [...Map.groupBy(waiting, ({ organizationId }) => organizationId).values()]
  const most = Math.max(...groups.map(({ length }) => length))
  return groups
    .filter(({ length }) => length === most)
    .flat()
    .reduce((last, one) => (isFirst(last, one) ? one : last))
}

/**
 * Adds an execution to the queue. If the queue is full, the newest entry of the organization with the most entries
 * leaves. No organization can therefore fill the queue alone.
 *
 * @returns null if the execution is already queued, or if there is no room for it.
 */
export function withQueued(relayer: Relayer, request: SlotRequest, now: number): Relayer | null {
  const line = activeQueue(relayer, now)
  if (line.some(({ executionId }) => executionId === request.executionId)) return null
  const joined = [...line, { ...request, handedUntil: null }]
  if (joined.length <= lineMax) return { ...relayer, line: joined }
  const newest = newestOfLargest(joined.filter((waiter) => !isHanded(waiter)))
  return newest.executionId === request.executionId
    ? null
    : { ...relayer, line: joined.filter((waiter) => waiter !== newest) }
}

/** Removes an execution from the queue, because it has its nonce or may not take a slot now. */
export const withoutWaiter = (relayer: Relayer, executionId: string): Relayer =>
  relayer.line?.some((waiter) => waiter.executionId === executionId)
    ? { ...relayer, line: relayer.line.filter((waiter) => waiter.executionId !== executionId) }
    : relayer
