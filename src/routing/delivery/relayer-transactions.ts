import { BoundedMap } from '../../domain/bounded-map'
import {
  bumped,
  type Fee,
  hanging,
  inFlight,
  isDear,
  mayTake,
  newest,
  nextNonce,
  type PlaceRequest,
  type Relayer,
  relayerNeed,
  type Slot,
  settled,
  unmined,
  waitingIn,
  withAttempt,
  withSlot,
} from '../../domain/chain/relayer'
import { inTurn } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import type { Order } from '../../domain/execution/order'
import type { ChainClient } from '../../ports/chain-client'
import type { Records } from '../../ports/records'
import type { RelayerAddress, Relayers } from '../../ports/signer'

export type RelayerPorts = {
  relayerRecords: Records<Relayer>
  chain: ChainClient
  relayers: Relayers
  now: () => number
}

const patienceMs = 60_000
const fullForMs = 250
const fullMax = 10_000

/**
 * What this process knows of the relayers. Writers of one process take turns for a nonce; between processes, the
 * record's version decides.
 */
type Memory = {
  inTurn: ReturnType<typeof inTurn>
  fullUntil: BoundedMap<string, number>
  /** The version of each record that this process wrote last. */
  written: BoundedMap<string, number>
}
const memories = new WeakMap<Records<Relayer>, Memory>()

function memoryOf(relayerRecords: Records<Relayer>): Memory {
  const found = memories.get(relayerRecords) ?? {
    inTurn: inTurn(),
    fullUntil: new BoundedMap(fullMax),
    written: new BoundedMap(fullMax),
  }
  memories.set(relayerRecords, found)
  return found
}

/**
 * Returns the relayer that sends an order: the one that it was signed for, even if others have been added since. Null
 * when its key is gone.
 */
const relayerOf = ({ chainId, routeId, sender }: Order, relayers: Relayers): RelayerAddress | null =>
  sender === undefined
    ? relayers.forRoute(chainId, routeId)
    : (relayers.onChain(chainId).find(({ id }) => id === sender) ?? null)

/** Whether the order has a nonce. Its bytes are then stored, and they are sent until a block contains them. */
export async function hasSlot(order: Order, { relayerRecords, relayers }: RelayerPorts): Promise<boolean> {
  const relayer = relayerOf(order, relayers)
  return relayer !== null && (await loaded(relayer, relayerRecords)).slots.some(({ orderId }) => orderId === order.id)
}

/**
 * Assigns a nonce to an order, once: whoever asks again gets the same one. Returns null when the relayer is busy and
 * has to be asked again.
 */
export async function slotFor(
  order: Order,
  ports: RelayerPorts,
  request: PlaceRequest,
): Promise<{ slot: Slot; relayerId: string } | null> {
  const relayer = relayerOf(order, ports.relayers)
  return relayer && memoryOf(ports.relayerRecords).inTurn(relayer.id, () => assign(order, relayer, ports, request))
}

async function assign(order: Order, relayer: RelayerAddress, ports: RelayerPorts, request: PlaceRequest) {
  const { relayerRecords, chain, relayers, now } = ports
  const stored = await loaded(relayer, relayerRecords)
  const assigned = stored.slots.find((slot) => slot.orderId === order.id)
  if (assigned) return { slot: assigned, relayerId: relayer.id }
  if (isFull(relayer, ports, request)) return null
  const place = await placeIn(stored, relayer, ports, request)
  if (!place) return null
  const { nonce, mined } = place
  const [fee, balanceWei] = await Promise.all([chain.fee(), chain.nativeBalance(relayer.address)])
  // Several orders may have been signed against the same balance. The first to get a nonce has it.
  if (balanceWei < relayerNeed(stored, mined, fee.feeCap, order)) return markFull(relayer.id, ports)
  const signed = await relayers.transaction(relayer.id, nonce, order, fee)
  const attempt = { ...signed, ...asText(fee), at: now() }
  const saved = await save(withSlot(stored, nonce, order, attempt, request.organizationId), relayerRecords)
  return saved && { slot: saved.slots.find((slot) => slot.nonce === nonce)!, relayerId: relayer.id }
}

async function save(record: Relayer, relayerRecords: Records<Relayer>): Promise<Relayer | null> {
  const saved = await relayerRecords.save(record)
  if (saved) memoryOf(relayerRecords).written.set(saved.id, saved.version)
  return saved
}

/** Whether this process wrote the record last, and so is the one that looks after its transactions. */
export const isOwn = ({ id, version }: Relayer, { relayerRecords }: Pick<RelayerPorts, 'relayerRecords'>): boolean =>
  memoryOf(relayerRecords).written.get(id) === version

/** Whether the relayer is still known to be busy, so that neither it nor the database has to be asked again. */
export function isStillBusy(order: Order, ports: RelayerPorts, request: PlaceRequest): boolean {
  const relayer = relayerOf(order, ports.relayers)
  return relayer !== null && isFull(relayer, ports, request)
}

/**
 * Whether the relayer had no free place a moment ago. Hundreds of orders may wait for it, and one of them has asked for
 * all.
 */
export function isFull(
  { id }: RelayerAddress,
  { relayerRecords, now }: RelayerPorts,
  { organizationId }: PlaceRequest,
): boolean {
  const { fullUntil } = memoryOf(relayerRecords)
  const isFullFor = (whose: string) => (fullUntil.get(whose) ?? Number.NEGATIVE_INFINITY) > now()
  return isFullFor(id) || isFullFor(placesOf(id, organizationId))
}

const placesOf = (relayerId: string, organizationId: string): string => `${relayerId} ${organizationId}`

export async function hasPlace(relayer: RelayerAddress, ports: RelayerPorts, request: PlaceRequest): Promise<boolean> {
  const record = await loaded(relayer, ports.relayerRecords)
  return mayTake(record.slots, request) || (await placeIn(record, relayer, ports, request)) !== null
}

const loaded = async ({ id }: RelayerAddress, relayerRecords: Records<Relayer>): Promise<Relayer> =>
  (await relayerRecords.load(id)) ?? { id, version: 0, slots: [] }

async function placeIn(record: Relayer, relayer: RelayerAddress, ports: RelayerPorts, request: PlaceRequest) {
  const { number } = await ports.chain.confirmed()
  const { mined } = await noncesOf(relayer, ports.chain, number)
  const nonce = nextNonce(record, mined)
  if (nonce !== null && mayTake(waitingIn(record, mined), request)) return { nonce, mined }
  return markFull(nonce === null ? relayer.id : placesOf(relayer.id, request.organizationId), ports)
}

function markFull(whose: string, { relayerRecords, now }: Pick<RelayerPorts, 'relayerRecords' | 'now'>): null {
  memoryOf(relayerRecords).fullUntil.set(whose, now() + fullForMs)
  return null
}

/** Counts the mined nonces of a relayer. A node that lags may report fewer than the confirmed block shows. */
async function noncesOf({ address }: RelayerAddress, chain: ChainClient, confirmed: number) {
  const [settled, latest] = await Promise.all([chain.minedNonces(address, confirmed), chain.minedNonces(address)])
  return { settled, mined: Math.max(settled, latest) }
}

/** A record as it was tended, and how many of the relayer's nonces are mined. */
export type Tended = { record: Relayer; mined: number }

/**
 * Keeps all transactions of a relayer on their way: forgets those that are settled, raises the fee of the oldest when
 * it hangs, fills a gap that others wait behind, and sends again what is not mined.
 *
 * @returns null when there is nothing to tend, or when somebody else changed the record at the same time.
 */
export async function tend(
  relayer: RelayerAddress,
  { relayerRecords, chain, relayers, now }: RelayerPorts,
): Promise<Tended | null> {
  const record = await relayerRecords.load(relayer.id)
  if (!record || record.slots.length === 0) return null
  const confirmed = await chain.confirmed()
  const nonces = await noncesOf(relayer, chain, confirmed.number)

  const kept = settled(record, nonces.settled, confirmed.time)
  const tended = await carriedOn(kept, nonces.mined)
  const isFewer = inFlight(kept).length < inFlight(record).length || kept.slots.length < record.slots.length
  const stored = tended || isFewer ? await save(tended ?? kept, relayerRecords) : kept
  if (!stored) return null
  for (const slot of unmined(stored, nonces.mined)) await chain.send(newest(slot)!.bytes)
  return { record: stored, mined: nonces.mined }

  async function carriedOn(record: Relayer, mined: number): Promise<Relayer | null> {
    const hung = hanging(record, mined, now() - patienceMs)
    if (!hung) return null
    const { nonce, slot } = hung
    const fee = await feeFor(slot && newest(slot))
    if (!fee) return null
    const signed = slot?.order
      ? await relayers.transaction(relayer.id, nonce, slot.order, fee)
      : await relayers.filler(relayer.id, nonce, fee)
    const attempt = { ...signed, ...asText(fee), at: now() }
    return slot ? withAttempt(record, nonce, attempt) : withSlot(record, nonce, null, attempt)
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
export const transactionsOf = ({ facts: { order, transactions = [] } }: Execution, record: Relayer | null) => {
  const slot = record?.slots.find(({ orderId }) => orderId === order?.id)
  const seen = new Set(transactions.map(({ hash }) => hash))
  const unseen = (slot?.hashes ?? []).filter(({ hash }) => !seen.has(hash))
  return [...transactions, ...unseen.map(({ hash, at }) => ({ hash, at, nonce: slot!.nonce, sender: record!.id }))]
}
