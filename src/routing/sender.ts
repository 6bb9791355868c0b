import type { Execution } from '../domain/execution'
import type { Order } from '../domain/order'
import {
  bumped,
  type Fee,
  inFlight,
  isDear,
  newest,
  type Sender,
  type Slot,
  settled,
  withAttempt,
  withSlot,
} from '../domain/sender'
import type { ChainClient } from '../ports/chain-client'
import type { Records } from '../ports/records'
import type { Relayers } from '../ports/signer'
import { inTurn } from './in-turn'

export type Sending = { senders: Records<Sender>; chain: ChainClient; relayers: Relayers; now: () => number }

const slotsMax = 16
const patienceMs = 60_000

/** Writers of one process do not race each other for a nonce; those of others are told by the version. */
const turns = new WeakMap<Records<Sender>, ReturnType<typeof inTurn>>()

function turnsOf(senders: Records<Sender>): ReturnType<typeof inTurn> {
  const known = turns.get(senders) ?? inTurn()
  turns.set(senders, known)
  return known
}

/** The nonce of an order, given once: whoever asks again gets the same. Null when the key is busy: ask again. */
export function slotFor(order: Order, sending: Sending): Promise<{ slot: Slot; senderId: string } | null> {
  const { chain, relayers, senders } = sending
  const key = relayers.keyFor(chain.chainId, order.routeId)
  return turnsOf(senders)(key.id, () => give(order, key, sending))
}

async function give(order: Order, key: { id: string; address: Order['account'] }, sending: Sending) {
  const { senders, chain, relayers, now } = sending
  const stored = (await senders.load(key.id)) ?? { id: key.id, version: 0, nextNonce: 0, slots: [] }
  const given = stored.slots.find((slot) => slot.orderId === order.id)
  if (given) return { slot: given, senderId: key.id }
  if (inFlight(stored).length >= slotsMax) return null
  // A key that was used elsewhere goes on where a block that stays has it: a nonce given above that leaves no gap.
  const block = stored.version === 0 ? undefined : (await chain.confirmed()).number
  const [mined, fee] = await Promise.all([chain.minedNonces(key.address, block), chain.fee()])
  const sender = { ...stored, nextNonce: Math.max(stored.nextNonce, mined) }
  const signed = await relayers.transaction(key.id, sender.nextNonce, order, fee)
  const saved = await senders.save(withSlot(sender, order, { ...signed, ...asText(fee), at: now() }))
  return saved && { slot: saved.slots.at(-1)!, senderId: key.id }
}

/**
 * Keeps a key's transactions on their way, whoever's they are: forgets the settled, raises the fee of the oldest when
 * it hangs, sends again what is not mined. Every slot is mined in the end, so nothing ever waits behind a gap.
 */
export async function tend(
  key: { id: string; address: Order['account'] },
  { senders, chain, relayers, now }: Sending,
): Promise<void> {
  const sender = await senders.load(key.id)
  if (!sender || sender.slots.length === 0) return
  const confirmed = await chain.confirmed()
  const settledNonces = await chain.minedNonces(key.address, confirmed.number)
  const mined = await chain.minedNonces(key.address)

  const kept = settled(sender, settledNonces, confirmed.time)
  const oldest = inFlight(kept).find(({ nonce }) => nonce >= mined)
  const last = oldest && newest(oldest)!
  const market = last && last.at + patienceMs < now() ? await chain.fee() : null
  const hangs = market !== null && !isDear(feeOf(last!), market)
  const tended = hangs ? withAttempt(kept, oldest!.nonce, await raised(oldest!, market)) : kept

  const isChanged = hangs || inFlight(kept).length < inFlight(sender).length || kept.slots.length < sender.slots.length
  const stored = isChanged ? await senders.save(tended) : tended
  for (const slot of stored ? inFlight(stored) : []) if (slot.nonce >= mined) await chain.send(newest(slot)!.bytes)

  async function raised(slot: Slot, market: Fee) {
    const fee = bumped(feeOf(newest(slot)!), market)
    const signed = slot.order
      ? await relayers.transaction(key.id, slot.nonce, slot.order, fee)
      : await relayers.filler(key.id, slot.nonce, fee)
    return { ...signed, ...asText(fee), at: now() }
  }
}

const asText = ({ feeCap, tip }: Fee) => ({ feeCap: String(feeCap), tip: String(tip) })
const feeOf = ({ feeCap, tip }: { feeCap: string; tip: string }): Fee => ({ feeCap: BigInt(feeCap), tip: BigInt(tip) })

/** Every transaction that ever carried the execution's order, as far as it is still known. */
export const sentFor = ({ facts: { order, transactions = [] } }: Execution, sender: Sender | null) => {
  const slot = sender?.slots.find(({ orderId }) => orderId === order?.id)
  const seen = new Set(transactions.map(({ hash }) => hash))
  const news = (slot?.hashes ?? []).filter(({ hash }) => !seen.has(hash))
  return [...transactions, ...news.map(({ hash, at }) => ({ hash, at, nonce: slot!.nonce, sender: sender!.id }))]
}
