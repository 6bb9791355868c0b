import { isDeepStrictEqual } from 'node:util'
import { chainOf } from '../../domain/chain/chain'
import {
  bumped,
  type Fee,
  hanging,
  inFlight,
  isDear,
  newest,
  type Relayer,
  relayerNeed,
  type Slot,
  type SlotRequest,
  settled,
  unmined,
  withAttempt,
  withSlot,
} from '../../domain/chain/relayer'
import { hasBeenHanded, isAwaited, withoutWaiter } from '../../domain/chain/slot-line'
import type { Execution } from '../../domain/execution/execution'
import type { Order } from '../../domain/execution/route'
import { unlessAway } from '../../domain/unavailable'
import type { ChainClient } from '../../ports/chain-client'
import type { RelayerAddress, Relayers } from '../../ports/signer'
import type { Wakes } from '../../ports/wakes'
import {
  freeNonce,
  handOverSlots,
  isOwn,
  leaveLine,
  lineUp,
  loaded,
  markFull,
  memoryOf,
  noncesOf,
  type SlotPorts,
  save,
} from './relayer-slots'

export type RelayerPorts = SlotPorts & { relayers: Relayers }

const patienceMs = 60_000
/** How often an order is given a nonce anew after another process was faster. */
const triesMax = 5

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

/** Whether a slot is kept for an execution, so that it may look for it again at once. */
export async function isSlotKept(order: Order, ports: RelayerPorts, { executionId }: SlotRequest): Promise<boolean> {
  const relayer = relayerOf(order, ports.relayers)
  return relayer !== null && hasBeenHanded(await loaded(relayer, ports.relayerRecords), executionId, ports.now())
}

/** Takes an execution that may not use a slot now out of the line. */
export async function giveUpSlot(order: Order, ports: RelayerPorts, executionId: string): Promise<void> {
  const relayer = relayerOf(order, ports.relayers)
  if (relayer) await leaveLine(relayer, ports, executionId)
}

type Assigned = { slot: Slot; relayerId: string }

/**
 * Assigns a nonce to an order, once: whoever asks again gets the same one. Returns null when the relayer has no slot
 * for it. The execution is then in the relayer's line, and is woken when it is handed one.
 */
export async function slotFor(order: Order, ports: RelayerPorts, request: SlotRequest): Promise<Assigned | null> {
  const relayer = relayerOf(order, ports.relayers)
  return relayer && memoryOf(ports.relayerRecords).inTurn(relayer.id, () => assign(order, relayer, ports, request))
}

async function assign(
  order: Order,
  relayer: RelayerAddress,
  ports: RelayerPorts,
  request: SlotRequest,
  tries = triesMax,
): Promise<Assigned | null> {
  const { relayerRecords, chain, relayers, now } = ports
  let triesLeft = tries
  const stored = await loaded(relayer, relayerRecords)
  const assigned = stored.slots.find((slot) => slot.orderId === order.id)
  if (assigned) return { slot: assigned, relayerId: relayer.id }
  const free = await freeNonce(stored, relayer, ports, request)
  if (!free) return lineUp(stored, ports, request)
  const { nonce, mined } = free
  const [fee, balanceWei] = await Promise.all([chain.fee(), chain.nativeBalance(relayer.address)])
  // Several orders may have been signed against the same balance. The first to get a nonce has it.
  if (balanceWei < relayerNeed(stored, mined, fee.feeCap, order)) return markFull(relayer, null, ports)
  const signed = await relayers.transaction(relayer.id, nonce, order, fee)
  const attempt = { ...signed, ...asText(fee), at: now() }
  for (let current = stored; ; ) {
    const left = withoutWaiter(current, request.executionId)
    const saved = await save(withSlot(left, nonce, order, attempt, request.organizationId), relayerRecords)
    if (saved) return { slot: saved.slots.find((slot) => slot.nonce === nonce)!, relayerId: relayer.id }
    current = await loaded(relayer, relayerRecords)
    if (--triesLeft <= 0) return null
    // Somebody only joined the line or was handed a slot, so the nonce is still free and nothing is signed anew; unless
    // this process slept while others took the nonce, had it mined and forgot it.
    const isSame = isDeepStrictEqual(current.slots, stored.slots)
    if (!isSame || (await chain.minedNonces(relayer.address)) > nonce)
      return assign(order, relayer, ports, request, triesLeft)
  }
}

/** A record as it was tended, and how many of the relayer's nonces are mined. */
type Tended = { record: Relayer; mined: number }

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
  const confirmed = await chain.confirmedNumber()
  const isNoneLeft = (settled: number) => record.slots.every(({ nonce }) => nonce < settled)
  const [nonces, time] = await Promise.all([
    noncesOf(relayer, chain, confirmed, isNoneLeft),
    timeOf(record, confirmed, chain),
  ])
  const kept = settled(record, nonces.settled, time)
  const [tended, keyAway] = await unlessAway(carriedOn(kept, nonces.mined))
  const isFewer = inFlight(kept).length < inFlight(record).length || kept.slots.length < record.slots.length
  const stored = tended || isFewer ? await save(tended ?? kept, relayerRecords) : kept
  // Bytes that are stored may be sent again, although what is settled could not be forgotten this time.
  await sendAll(unmined(stored ?? (tended ? record : kept), nonces.mined))
  if (keyAway) throw keyAway
  return stored && { record: stored, mined: nonces.mined }

  /** One that a node refuses does not keep the others from being sent. */
  async function sendAll(slots: readonly Slot[]): Promise<void> {
    const sent = await Promise.allSettled(slots.map((slot) => chain.send(newest(slot)!.bytes)))
    const refused = sent.find(({ status }) => status === 'rejected')
    if (refused?.status === 'rejected') throw refused.reason
  }

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

/** The time of a block in seconds, or 0 when no order of the record can be void at it. */
async function timeOf({ slots }: Relayer, block: number, chain: ChainClient): Promise<number> {
  const newest = (await chain.head(Number.MAX_SAFE_INTEGER)).time
  if (slots.every(({ deadline }) => deadline >= newest)) return 0
  return (await chain.blockAt(block))?.time ?? 0
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

/**
 * How long a version of a record can be left alone, and when that is checked again. `waitsAt` is the number of mined
 * nonces at which transactions still wait for a block; null while none does.
 */
type Rest = { version: number; until: number; lookAt: number; waitsAt: number | null }

/** How often a mined transaction is looked at until its block is confirmed, in case a reorganization takes it back. */
const lookMs = 30_000
/** How soon a transaction is sent again. The time doubles with its age. */
const resendMs = 4_000
const resendMsMax = 30_000
/** How long another process may take before this one tends what that one wrote. */
const leaveMs = 5_000
const leaveConfirmedMs = 20_000

/** How long a block takes to be confirmed, as a rule. */
const confirmedMs = ({ chainId, confirmations }: ChainClient): number =>
  confirmations * chainOf(chainId).blockSeconds * 1_000

/** When the newest transaction of a record that has some on their way was signed. */
const lastSentAt = (record: Relayer): number => Math.max(...inFlight(record).map((slot) => newest(slot)!.at))

/**
 * How long a record can be left alone, by what is left to do for it. While transactions wait for a block, they are sent
 * again now and then. Bytes are kept until their block is confirmed, and slots until their orders are void. Before that
 * can be so, the chain need not be asked. A process that did not write the record leaves it a while longer to the one
 * that did.
 */
function restOf({ record, mined }: Tended, chain: ChainClient, isOurs: boolean, at: number): Rest {
  const { version, slots } = record
  if (unmined(record, mined).length > 0) {
    const age = at - lastSentAt(record)
    const until = at + Math.min(Math.max(resendMs, age), resendMsMax)
    return { version, until, lookAt: isOurs ? at + chainOf(chain.chainId).blockSeconds * 500 : until, waitsAt: mined }
  }
  const isMined = slots.some(newest)
  const voidAt = Math.min(...slots.map(({ deadline }) => deadline * 1_000))
  const leave = isOurs ? 0 : leaveConfirmedMs
  const until = (isMined ? at : Math.max(at, voidAt)) + confirmedMs(chain) + leave
  return { version, until, lookAt: isMined && isOurs ? at + lookMs : until, waitsAt: null }
}

/** Whether nobody waits for a slot although some are free. */
const mayRest = ({ record, mined }: Tended): boolean =>
  record.slots.length > 0 && (!isAwaited(record) || unmined(record, mined).length > 0)

/**
 * How long a record that was just written can be left alone. Whoever wrote it has sent its newest transaction, which is
 * mined by then, as a rule: one question tells, and the rest may wait until its block is confirmed.
 */
function restOfNew(record: Relayer, chain: ChainClient, isOurs: boolean, at: number): Rest | null {
  if (inFlight(record).length === 0) return restOf({ record, mined: 0 }, chain, isOurs, at)
  const lookAt = lastSentAt(record) + (isOurs ? resendMs : leaveMs)
  const until = lookAt + confirmedMs(chain) + (isOurs ? 0 : leaveConfirmedMs)
  return until > at ? { version: record.version, until, lookAt, waitsAt: null } : null
}

/**
 * Makes the function that tends one relayer whenever it is called, and asks the chain only when there may be something
 * to do: once per half block while a transaction waits for its block, and now and then until that block is confirmed,
 * so that no reorganization takes it back unseen. Of all processes the one that wrote the record last does so; the
 * others look only after that one should have been done. Slots that became free are handed over here as well, in case
 * the process that should have done so was killed.
 */
export function tendRelayer(
  relayer: RelayerAddress,
  ports: RelayerPorts & { wakes: Pick<Wakes, 'wakeNow'> },
): () => Promise<void> {
  const { relayerRecords, chain, now } = ports
  let rest: Rest | null = null

  async function isResting(record: Relayer): Promise<boolean> {
    if (rest?.version !== record.version) {
      const fresh = restOfNew(record, chain, isOwn(record, ports), now())
      // However often a busy relayer's record changes, what was due stays due, as long as something is on its way.
      const isBusy = inFlight(record).length > 0 || isAwaited(record)
      rest =
        fresh && rest && isBusy
          ? { ...fresh, until: Math.min(rest.until, fresh.until), lookAt: Math.min(rest.lookAt, fresh.lookAt) }
          : fresh
    }
    if (!rest || rest.until <= now()) return false
    if (rest.lookAt > now()) return true
    const mined = await chain.minedNonces(relayer.address)
    const isSame = rest.waitsAt === null ? unmined(record, mined).length === 0 : mined <= rest.waitsAt
    if (!isSame) return false
    if (rest.waitsAt !== null) rest.lookAt = now() + chainOf(chain.chainId).blockSeconds * 500
    else rest.lookAt = isOwn(record, ports) ? now() + lookMs : rest.until
    return true
  }

  return async () => {
    const record = await relayerRecords.load(relayer.id)
    if (!record || (record.slots.length === 0 && !isAwaited(record)) || (await isResting(record))) return
    const tended = await tend(relayer, ports).finally(() => isAwaited(record) && handOverSlots(relayer, ports))
    rest = tended && mayRest(tended) ? restOf(tended, chain, isOwn(tended.record, ports), now()) : null
  }
}
