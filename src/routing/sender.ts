import type { Execution } from '../domain/execution'
import type { Order } from '../domain/order'
import {
  bumped,
  type Fee,
  inFlight,
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

export type Sending = { senders: Records<Sender>; chain: ChainClient; relayers: Relayers; now: () => number }

const slotsMax = 16
const patienceMs = 60_000

/** The nonce of an order, given once: whoever asks again gets the same. Null when the key is busy: ask again. */
export async function slotFor(order: Order, sending: Sending): Promise<{ slot: Slot; senderId: string } | null> {
  const { senders, chain, relayers, now } = sending
  const key = relayers.keyFor(chain.chainId, order.routeId)
  // A key that was never used here starts at the nonce that the chain has for it.
  const sender = (await senders.load(key.id)) ?? {
    id: key.id,
    version: 0,
    nextNonce: await chain.minedNonces(key.address),
    slots: [],
  }
  const given = sender.slots.find((slot) => slot.orderId === order.id)
  if (given) return { slot: given, senderId: key.id }
  if (inFlight(sender).length >= slotsMax) return null
  const fee = await chain.fee()
  const signed = await relayers.transaction(key.id, sender.nextNonce, order, fee)
  const stored = await senders.save(withSlot(sender, order, { ...signed, ...asText(fee), at: now() }))
  return stored && { slot: stored.slots.at(-1)!, senderId: key.id }
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
  const hangs = last && last.at + patienceMs < now()
  const tended = hangs ? withAttempt(kept, oldest!.nonce, await raised(oldest!)) : kept

  const isChanged = hangs || inFlight(kept).length < inFlight(sender).length || kept.slots.length < sender.slots.length
  const stored = isChanged ? await senders.save(tended) : tended
  for (const slot of stored ? inFlight(stored) : []) if (slot.nonce >= mined) await chain.send(newest(slot)!.bytes)

  async function raised(slot: Slot) {
    const fee = bumped(feeOf(newest(slot)!), await chain.fee())
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
