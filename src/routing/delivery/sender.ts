import type { Address } from '../../domain/chain/hex'
import {
  bumped,
  type Fee,
  hanging,
  inFlight,
  isDear,
  mayTake,
  newest,
  nextNonce,
  type Relayer,
  type Slot,
  settled,
  type Tenant,
  unmined,
  waitingIn,
  withAttempt,
  withSlot,
} from '../../domain/chain/relayer'
import { relayerNeed } from '../../domain/chain/relayer-need'
import type { Execution } from '../../domain/execution/execution'
import type { Order } from '../../domain/execution/order'
import { inTurn } from '../../domain/in-turn'
import type { ChainClient } from '../../ports/chain-client'
import type { Records } from '../../ports/records'
import type { Relayers } from '../../ports/signer'

export type Sending = { senders: Records<Relayer>; chain: ChainClient; relayers: Relayers; now: () => number }
export type Key = { id: string; address: Address }

const patienceMs = 60_000
const fullForMs = 250
const fullMax = 10_000

/**
 * What this process knows of its relayer keys. Writers of one process take turns for a nonce; between processes, the
 * record's version decides.
 */
type Known = { inTurn: ReturnType<typeof inTurn>; fullUntil: Map<string, number> }
const knownOf = new WeakMap<Records<Relayer>, Known>()

function known(senders: Records<Relayer>): Known {
  const found = knownOf.get(senders) ?? { inTurn: inTurn(), fullUntil: new Map() }
  knownOf.set(senders, found)
  return found
}

/**
 * Returns the key that sends an order: the one that it was signed for, even if others have been added since. Null when
 * that key is gone.
 */
const keyOf = ({ chainId, routeId, sender }: Order, relayers: Relayers): Key | null =>
  sender === undefined
    ? relayers.keyFor(chainId, routeId)
    : (relayers.keys(chainId).find(({ id }) => id === sender) ?? null)

/** Whether the order has a nonce. Its bytes are then stored, and they are sent until a block contains them. */
export async function hasSlot(order: Order, { senders, relayers }: Sending): Promise<boolean> {
  const key = keyOf(order, relayers)
  return key !== null && (await loaded(key, senders)).slots.some(({ orderId }) => orderId === order.id)
}

/**
 * Assigns a nonce to an order, once: whoever asks again gets the same one. Returns null when the key is busy and has to
 * be asked again.
 */
export async function slotFor(
  order: Order,
  sending: Sending,
  tenant: Tenant,
): Promise<{ slot: Slot; senderId: string } | null> {
  const key = keyOf(order, sending.relayers)
  return key && known(sending.senders).inTurn(key.id, () => give(order, key, sending, tenant))
}

async function give(order: Order, key: Key, sending: Sending, tenant: Tenant) {
  const { senders, chain, relayers, now } = sending
  const stored = await loaded(key, senders)
  const given = stored.slots.find((slot) => slot.orderId === order.id)
  if (given) return { slot: given, senderId: key.id }
  if (isFull(key, sending, tenant)) return null
  const place = await placeIn(stored, key, sending, tenant)
  if (!place) return null
  const { nonce, mined } = place
  const [fee, balanceWei] = await Promise.all([chain.fee(), chain.nativeBalance(key.address)])
  // Several orders may have been signed against the same balance. The first to get a nonce has it.
  if (balanceWei < relayerNeed(stored, mined, fee.feeCap, order)) return full(key.id, sending)
  const signed = await relayers.transaction(key.id, nonce, order, fee)
  const attempt = { ...signed, ...asText(fee), at: now() }
  const saved = await senders.save(withSlot(stored, nonce, order, attempt, tenant.organizationId))
  return saved && { slot: saved.slots.find((slot) => slot.nonce === nonce)!, senderId: key.id }
}

/** Whether the key is still known to be busy, so that neither it nor the database has to be asked again. */
export function isStillBusy(order: Order, sending: Sending, tenant: Tenant): boolean {
  const key = keyOf(order, sending.relayers)
  return key !== null && isFull(key, sending, tenant)
}

/**
 * Whether the key had no free place a moment ago. Hundreds of orders may wait for it, and one of them has asked for
 * all.
 */
export function isFull({ id }: Key, { senders, now }: Sending, { organizationId }: Tenant): boolean {
  const { fullUntil } = known(senders)
  const isFullFor = (whose: string) => (fullUntil.get(whose) ?? Number.NEGATIVE_INFINITY) > now()
  return isFullFor(id) || isFullFor(placesOf(id, organizationId))
}

const placesOf = (keyId: string, organizationId: string): string => `${keyId} ${organizationId}`

export async function hasPlace(key: Key, sending: Sending, tenant: Tenant): Promise<boolean> {
  const sender = await loaded(key, sending.senders)
  return mayTake(sender.slots, tenant) || (await placeIn(sender, key, sending, tenant)) !== null
}

const loaded = async ({ id }: Key, senders: Records<Relayer>): Promise<Relayer> =>
  (await senders.load(id)) ?? { id, version: 0, slots: [] }

async function placeIn(sender: Relayer, key: Key, sending: Sending, tenant: Tenant) {
  const { number } = await sending.chain.confirmed()
  const { mined } = await noncesOf(key, sending.chain, number)
  const nonce = nextNonce(sender, mined)
  if (nonce !== null && mayTake(waitingIn(sender, mined), tenant)) return { nonce, mined }
  return full(nonce === null ? key.id : placesOf(key.id, tenant.organizationId), sending)
}

function full(whose: string, { senders, now }: Pick<Sending, 'senders' | 'now'>): null {
  const { fullUntil } = known(senders)
  if (fullUntil.size >= fullMax) fullUntil.clear()
  fullUntil.set(whose, now() + fullForMs)
  return null
}

/** Counts the mined nonces of a key. A node that lags may report fewer than the confirmed block shows. */
async function noncesOf({ address }: Key, chain: ChainClient, confirmed: number) {
  const [settled, latest] = await Promise.all([chain.minedNonces(address, confirmed), chain.minedNonces(address)])
  return { settled, mined: Math.max(settled, latest) }
}

/**
 * Keeps all transactions of a key on their way: forgets those that are settled, raises the fee of the oldest when it
 * hangs, fills a gap that others wait behind, and sends again what is not mined.
 */
export async function tend(key: Key, { senders, chain, relayers, now }: Sending): Promise<void> {
  const sender = await senders.load(key.id)
  if (!sender || sender.slots.length === 0) return
  const confirmed = await chain.confirmed()
  const nonces = await noncesOf(key, chain, confirmed.number)

  const kept = settled(sender, nonces.settled, confirmed.time)
  const tended = await carriedOn(kept, nonces.mined)
  const isFewer = inFlight(kept).length < inFlight(sender).length || kept.slots.length < sender.slots.length
  const stored = tended || isFewer ? await senders.save(tended ?? kept) : kept
  for (const slot of stored ? unmined(stored, nonces.mined) : []) await chain.send(newest(slot)!.bytes)

  async function carriedOn(sender: Relayer, mined: number): Promise<Relayer | null> {
    const hung = hanging(sender, mined, now() - patienceMs)
    if (!hung) return null
    const { nonce, slot } = hung
    const fee = await feeFor(slot && newest(slot))
    if (!fee) return null
    const signed = slot?.order
      ? await relayers.transaction(key.id, nonce, slot.order, fee)
      : await relayers.filler(key.id, nonce, fee)
    const attempt = { ...signed, ...asText(fee), at: now() }
    return slot ? withAttempt(sender, nonce, attempt) : withSlot(sender, nonce, null, attempt)
  }

  /**
   * Returns the fee of the next attempt, or null when a higher one cannot help. A transaction that no node has may be
   * too expensive for the relayer, so it is offered again at the market's fee.
   */
  async function feeFor(last: ReturnType<typeof newest> | null): Promise<Fee | null> {
    const market = await chain.fee()
    if (!last) return market
    if (!isDear(feeOf(last), market)) return bumped(feeOf(last), market)
    return (await chain.isKnown(last.hash)) ? null : market
  }
}

const asText = ({ feeCap, tip }: Fee) => ({ feeCap: String(feeCap), tip: String(tip) })
const feeOf = ({ feeCap, tip }: { feeCap: string; tip: string }): Fee => ({ feeCap: BigInt(feeCap), tip: BigInt(tip) })

/** Returns every transaction that ever carried the execution's order, as far as it is still known. */
export const sentFor = ({ facts: { order, transactions = [] } }: Execution, sender: Relayer | null) => {
  const slot = sender?.slots.find(({ orderId }) => orderId === order?.id)
  const seen = new Set(transactions.map(({ hash }) => hash))
  const news = (slot?.hashes ?? []).filter(({ hash }) => !seen.has(hash))
  return [...transactions, ...news.map(({ hash, at }) => ({ hash, at, nonce: slot!.nonce, sender: sender!.id }))]
}
