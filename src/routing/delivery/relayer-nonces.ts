import { isDeepStrictEqual } from 'node:util'
import { chainOf } from '../../domain/chain/chain'
import {
  asText,
  carries,
  type gasNeedOf,
  newest,
  type Relayer,
  relayerNeed,
  type Slot,
  type SlotRequest,
  withSlot,
} from '../../domain/chain/relayer'
import { batchedOrders, hasAssignedSlot, type SlotOrder, withoutWaiter } from '../../domain/chain/slot-queue'
import { isMint, type Sendable } from '../../domain/execution/mint'
import type { Order } from '../../domain/execution/route'
import type { RelayerAddress, Relayers } from '../../ports/signer'
import {
  freeNonce,
  joinQueue,
  leaveQueue,
  markFull,
  memoryOf,
  type RelayerPorts,
  relayerFrom,
  save,
} from './relayer-slots'

/** Attempts to assign a nonce when other processes keep changing the record first. */
const triesMax = 5

/**
 * Returns the relayer that sends an order. That is the relayer named in the order, even if others were added since.
 * Null if its key is gone.
 */
const relayerOf = ({ chainId, routeId, sender }: Sendable, relayers: Relayers): RelayerAddress | null =>
  sender === undefined
    ? relayers.forRoute(chainId, routeId)
    : (relayers.onChain(chainId).find(({ id }) => id === sender) ?? null)

/** Whether the order has a nonce. Its bytes are then stored, and are sent until a block contains them. */
export async function hasSlot(order: Order, { relayerRecords, relayers }: RelayerPorts): Promise<boolean> {
  const relayer = relayerOf(order, relayers)
  return relayer !== null && (await relayerFrom(relayer, relayerRecords)).slots.some((slot) => carries(slot, order.id))
}

/** Whether a slot is reserved for an execution, which can then request it immediately. */
export async function isSlotReserved(
  order: Sendable,
  ports: RelayerPorts,
  { executionId }: SlotRequest,
): Promise<boolean> {
  const relayer = relayerOf(order, ports.relayers)
  return relayer !== null && hasAssignedSlot(await relayerFrom(relayer, ports.relayerRecords), executionId, ports.now())
}

/** Removes an execution that must not use a slot now from the queue. */
export async function giveUpSlot(order: Order, ports: RelayerPorts, executionId: string): Promise<void> {
  const relayer = relayerOf(order, ports.relayers)
  if (relayer) await leaveQueue(relayer, ports, executionId)
}

/** `isSent` if the order shares the transaction of another order, whose step sends the bytes. */
type Assigned = { slot: Slot; relayerId: string; isSent?: true }

/**
 * Assigns a nonce to an order or a mint. Safe to repeat: the same nonce is returned. Returns null if the relayer has no
 * slot for it. The execution then joins the relayer's queue, and is woken when it is assigned a slot.
 *
 * Orders that request a slot in this process while another order gets one join that transaction. No order waits for
 * others.
 */
export async function slotFor(order: Sendable, ports: RelayerPorts, request: SlotRequest): Promise<Assigned | null> {
  const relayer = relayerOf(order, ports.relayers)
  if (!relayer) return null
  const memory = memoryOf(ports.relayerRecords)
  const asking = memory.asking.get(relayer.id) ?? new Set()
  const own = { order, request, assigned: null as Slot | null }
  memory.asking.set(relayer.id, asking.add(own))
  return memory.inTurn(relayer.id, async () => {
    asking.delete(own)
    if (own.assigned) return { slot: own.assigned, relayerId: relayer.id, isSent: true }
    return assign(own, relayer, ports)
  })
}

async function assign(
  own: SlotOrder,
  relayer: RelayerAddress,
  ports: RelayerPorts,
  tries = triesMax,
): Promise<Assigned | null> {
  const { relayerRecords, chain, relayers, now } = ports
  const { order, request } = own
  let triesLeft = tries
  const stored = await relayerFrom(relayer, relayerRecords)
  const assigned = stored.slots.findLast((slot) => carries(slot, order.id))
  // A burn mints only once, so a mint whose transaction failed can get another nonce. An order never does.
  const isInVain = assigned && isMint(order) && !newest(assigned)
  if (assigned && !isInVain) return { slot: assigned, relayerId: relayer.id }
  const free = await freeNonce(stored, relayer, ports, request)
  if (!free) return joinQueue(stored, ports, request)
  const { nonce, mined } = free
  const [fee, balanceWei] = await Promise.all([chain.fee(), chain.nativeBalance(relayer.address)])
  const canPay = (asking: ReturnType<typeof gasNeedOf>) => balanceWei >= relayerNeed(stored, mined, fee.feeCap, asking)
  // Several orders may have been signed against the same balance. The first to get a nonce uses it.
  if (!canPay(order)) return markFull(relayer, null, ports)
  const along = alongWith(own, stored, relayer, ports, canPay)
  const others = along.map((other) => other.order)
  const signed = await relayers.transaction(relayer.id, nonce, order, fee, others)
  const attempt = { ...signed, ...asText(fee), at: now() }
  const also = along.map((other) => ({ order: other.order, organizationId: other.request.organizationId }))
  for (let current = stored; ; ) {
    const left = [own, ...along].reduce(
      (rest, { request: { executionId } }) => withoutWaiter(rest, executionId),
      current,
    )
    const { organizationId, executionId } = request
    const taken = withSlot(left, nonce, order, attempt, organizationId, also, executionId)
    const saved = await save(taken, relayerRecords)
    if (saved) {
      const slot = saved.slots.find((one) => one.nonce === nonce)!
      for (const other of along) other.assigned = slot
      return { slot, relayerId: relayer.id }
    }
    current = await relayerFrom(relayer, relayerRecords)
    if (--triesLeft <= 0) return null
    // The usual cause is a queue entry or a slot assignment: the nonce is still free, and the signature is reused.
    // Start again if this process stalled while others took the nonce, had it mined and deleted the slot.
    const isSame = isDeepStrictEqual(current.slots, stored.slots)
    if (!isSame || (await chain.minedNonces(relayer.address)) > nonce) return assign(own, relayer, ports, triesLeft)
  }
}

/** Returns the orders requesting a slot now that can join the transaction of an order with a slot. */
function alongWith(
  own: SlotOrder,
  { slots }: Relayer,
  relayer: RelayerAddress,
  { relayerRecords, chain, relayers, ordersPerTransaction = 1 }: RelayerPorts,
  canPay: (asking: ReturnType<typeof gasNeedOf>) => boolean,
) {
  const { order } = own
  if (isMint(order) || ordersPerTransaction < 2 || !relayers.mayShare(order)) return []
  const asking = [...(memoryOf(relayerRecords).asking.get(relayer.id) ?? [])]
  const free = asking
    .filter((one) => !one.assigned && !slots.some((slot) => carries(slot, one.order.id)))
    .filter((one): one is typeof one & SlotOrder<Order> => !isMint(one.order) && relayers.mayShare(one.order))
  return batchedOrders(
    { ...own, order },
    free,
    { orders: ordersPerTransaction, gas: chainOf(chain.chainId).gasLimitMax },
    canPay,
  )
}
