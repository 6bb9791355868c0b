import { isDeepStrictEqual } from 'node:util'
import { chainOf } from '../../domain/chain/chain'
import {
  type askingOf,
  asText,
  carries,
  newest,
  type Relayer,
  relayerNeed,
  type Slot,
  type SlotRequest,
  sentAs,
  withSlot,
} from '../../domain/chain/relayer'
import { type Asking, company, hasBeenHanded, withoutWaiter } from '../../domain/chain/slot-line'
import { pollMs, slotLookMs, waitedMs } from '../../domain/execution/retry'
import type { Sendable } from '../../domain/execution/mint'
import type { Order } from '../../domain/execution/route'
import type { Chains } from '../../ports/chain-client'
import type { Limits } from '../../ports/limits'
import type { Pauses } from '../../ports/pauses'
import type { RelayerAddress, Relayers } from '../../ports/signer'
import { endOf } from '../delivery/evidence'
import {
  freeNonce,
  leaveLine,
  lineUp,
  loaded,
  markFull,
  memoryOf,
  type RelayerPorts,
  save,
  slotRequestOf,
} from '../delivery/relayer-slots'
import { signBlocker } from '../engine/sign-blockers'
import type { Step } from '../engine/step'

const keyBusyMs = 250

type Ports = Omit<RelayerPorts, 'chain'> & { chains: Chains; pauses: Pauses; limits: Pick<Limits, 'relayerShareOf'> }

/**
 * Stores the order's transaction under its nonce, and then sends it. From then on `tend` sends what is stored again
 * until it is mined.
 */
export const submitOrder =
  ({ chains, limits, pauses, ...ports }: Ports): Step =>
  async (execution) => {
    const { organizationId, deposit, facts } = execution
    const order = facts.order!
    const relayerPorts = { ...ports, chain: chains[deposit.chainId] }
    const askAgainInMs = pollMs(waitedMs(execution, 'GAS', ports.now), keyBusyMs)
    const wait = { askAgainInMs, waitingFor: 'GAS' } as const
    const head = await relayerPorts.chain.head()
    if (order.deadline < head.time) return (await endOf(execution, relayerPorts)) ?? wait
    const blocked = signBlocker(execution, pauses)
    if (blocked && !(await hasSlot(order, relayerPorts))) {
      if (facts.waiting?.for === 'GAS') await giveUpSlot(order, relayerPorts, execution.id)
      return blocked
    }
    const share = await limits.relayerShareOf(organizationId)
    const request = slotRequestOf(execution, share)
    const assigned = await slotFor(order, relayerPorts, request)
    // A node that lags may not show yet that the slot is free.
    if (!assigned)
      return (await isSlotKept(order, relayerPorts, request)) ? wait : { ...wait, askAgainInMs: slotLookMs }
    const attempt = newest(assigned.slot)
    if (!attempt) return { type: 'transaction submitted' } // it was mined while this worker slept
    if (!assigned.isSent) await relayerPorts.chain.send(attempt.bytes)
    return {
      type: 'transaction submitted',
      facts: { transactions: [sentAs(attempt, assigned.slot, assigned.relayerId)] },
    }
  }

/** How often an order is given a nonce anew after another process was faster. */
const triesMax = 5

/**
 * Returns the relayer that sends an order: the one that it was signed for, even if others have been added since. Null
 * when its key is gone.
 */
const relayerOf = ({ chainId, routeId, sender }: Sendable, relayers: Relayers): RelayerAddress | null =>
  sender === undefined
    ? relayers.forRoute(chainId, routeId)
    : (relayers.onChain(chainId).find(({ id }) => id === sender) ?? null)

/** Whether the order has a nonce. Its bytes are then stored, and they are sent until a block contains them. */
async function hasSlot(order: Order, { relayerRecords, relayers }: RelayerPorts): Promise<boolean> {
  const relayer = relayerOf(order, relayers)
  return relayer !== null && (await loaded(relayer, relayerRecords)).slots.some((slot) => carries(slot, order.id))
}

/** Whether a slot is kept for an execution, so that it may look for it again at once. */
export async function isSlotKept(order: Sendable, ports: RelayerPorts, { executionId }: SlotRequest): Promise<boolean> {
  const relayer = relayerOf(order, ports.relayers)
  return relayer !== null && hasBeenHanded(await loaded(relayer, ports.relayerRecords), executionId, ports.now())
}

/** Takes an execution that may not use a slot now out of the line. */
async function giveUpSlot(order: Order, ports: RelayerPorts, executionId: string): Promise<void> {
  const relayer = relayerOf(order, ports.relayers)
  if (relayer) await leaveLine(relayer, ports, executionId)
}

/** `isSent` when another order's step, with which this one goes, sends the bytes. */
type Assigned = { slot: Slot; relayerId: string; isSent?: true }

/**
 * Assigns a nonce to an order or a mint, once: whoever asks again gets the same one. Returns null when the relayer has no slot
 * for it. The execution is then in the relayer's line, and is woken when it is handed one.
 *
 * Orders that ask in this process while another is given its slot go along with it, in one transaction. None waits for
 * others to come.
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
  own: Asking,
  relayer: RelayerAddress,
  ports: RelayerPorts,
  tries = triesMax,
): Promise<Assigned | null> {
  const { relayerRecords, chain, relayers, now } = ports
  const { order, request } = own
  let triesLeft = tries
  const stored = await loaded(relayer, relayerRecords)
  const assigned = stored.slots.find((slot) => carries(slot, order.id))
  if (assigned) return { slot: assigned, relayerId: relayer.id }
  const free = await freeNonce(stored, relayer, ports, request)
  if (!free) return lineUp(stored, ports, request)
  const { nonce, mined } = free
  const [fee, balanceWei] = await Promise.all([chain.fee(), chain.nativeBalance(relayer.address)])
  const canPay = (asking: ReturnType<typeof askingOf>) => balanceWei >= relayerNeed(stored, mined, fee.feeCap, asking)
  // Several orders may have been signed against the same balance. The first to get a nonce has it.
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
    current = await loaded(relayer, relayerRecords)
    if (--triesLeft <= 0) return null
    // Somebody only joined the line or was handed a slot, so the nonce is still free and nothing is signed anew; unless
    // this process slept while others took the nonce, had it mined and forgot it.
    const isSame = isDeepStrictEqual(current.slots, stored.slots)
    if (!isSame || (await chain.minedNonces(relayer.address)) > nonce) return assign(own, relayer, ports, triesLeft)
  }
}

/** Returns which of the orders that ask now go along with one that was given a slot. */
function alongWith(
  own: Asking,
  { slots }: Relayer,
  relayer: RelayerAddress,
  { relayerRecords, chain, relayers, ordersPerTransaction = 1 }: RelayerPorts,
  canPay: (asking: ReturnType<typeof askingOf>) => boolean,
) {
  const { order } = own
  if (ordersPerTransaction < 2 || !relayers.mayShare(order)) return []
  const asking = [...(memoryOf(relayerRecords).asking.get(relayer.id) ?? [])]
  const free = asking.flatMap((one) => {
    const isFree = !one.assigned && !slots.some((slot) => carries(slot, one.order.id))
    return isFree && relayers.mayShare(one.order) ? [Object.assign(one, { order: one.order })] : []
  })
  return company({ ...own, order }, free, { orders: ordersPerTransaction, gas: chainOf(chain.chainId).gasLimitMax }, canPay)
}
