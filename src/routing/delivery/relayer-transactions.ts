import { chainOf } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import {
  asText,
  carries,
  type Fee,
  inFlight,
  isDear,
  newest,
  ordersOf,
  type Relayer,
  raisedFee,
  type Slot,
  stuckNonce,
  transactionOf,
  unmined,
  withAttempt,
  withSettled,
  withSlot,
} from '../../domain/chain/relayer'
import { hasWaiters } from '../../domain/chain/slot-queue'
import type { Execution } from '../../domain/execution/execution'
import type { ChainClient } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { RelayerAddress } from '../../ports/signer'
import type { Wakes } from '../../ports/wakes'
import {
  assignSlots,
  isOwn,
  memoryOf,
  noncesOf,
  type RelayerPorts,
  recordedProgressOf,
  save,
  sendStored,
} from './relayer-slots'

const patienceMs = 60_000

/** A record after it was tended, and the number of the relayer's mined nonces. */
type Tended = { record: Relayer; mined: number }

/**
 * Keeps all transactions of a relayer moving: deletes settled ones, raises the fee of the oldest if it hangs, fills a
 * gap that blocks later nonces, and re-sends unmined ones.
 *
 * @returns null if there is nothing to tend, or if another process changed the record at the same time.
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
  const remaining = withSettled(record, nonces.settled, time)
  const [carried] = await Promise.allSettled([carriedOn(remaining, nonces.mined)])
  const tended = carried.status === 'fulfilled' ? carried.value : null
  const isFewer = inFlight(remaining).length < inFlight(record).length || remaining.slots.length < record.slots.length
  const stored = tended || isFewer ? await save(tended ?? remaining, relayerRecords) : remaining
  // Stored bytes can be sent again, even if deleting the settled ones failed or no higher fee could be signed.
  await sendAll(unmined(stored ?? (tended ? record : remaining), nonces.mined))
  if (carried.status === 'rejected') throw carried.reason
  return stored && { record: stored, mined: nonces.mined }

  /** A transaction that a node refuses does not stop the others. */
  async function sendAll(slots: readonly Slot[]): Promise<void> {
    const sent = await Promise.allSettled(
      slots.map((slot) => sendStored(newest(slot)!.bytes, relayer.id, { chain, relayerRecords })),
    )
    const refused = sent.find(({ status }) => status === 'rejected')
    if (refused?.status === 'rejected') throw refused.reason
  }

  async function carriedOn(record: Relayer, mined: number): Promise<Relayer | null> {
    const hung = stuckNonce(record, mined, now() - patienceMs)
    if (!hung) return null
    const { nonce, slot } = hung
    const last = slot && newest(slot)
    // A delegated key sends one transaction at a time. If no node has this one, the previous one might have just been
    // mined, and a higher fee does not help.
    if (last && slot?.order && record.isDelegated && !(await chain.hasTransaction(last.hash))) return null
    const fee = await feeFor(last)
    if (!fee) return null
    const [order, ...also] = slot ? ordersOf(slot) : []
    const signed = order
      ? await relayers.transaction(relayer.id, nonce, order, fee, also)
      : await relayers.filler(relayer.id, nonce, fee)
    const attempt = { ...signed, ...asText(fee), at: now() }
    return slot ? withAttempt(record, nonce, attempt) : withSlot(record, nonce, null, attempt)
  }

  /**
   * Returns the fee of the next attempt, or null if a higher fee cannot help. A transaction that no node has may cost
   * more than the relayer can pay, so it is sent again at the market's fee.
   */
  async function feeFor(last: ReturnType<typeof newest> | null): Promise<Fee | null> {
    const market = await chain.fee()
    if (!last) return market
    if (!isDear(feeOf(last), market)) return raisedFee(feeOf(last), market)
    return (await chain.hasTransaction(last.hash)) ? null : market
  }
}

/** The time of a block in seconds, or 0 if no order of the record can have expired yet. */
async function timeOf({ slots }: Relayer, block: number, chain: ChainClient): Promise<number> {
  const newest = (await chain.head(Number.MAX_SAFE_INTEGER)).time
  if (slots.every(({ deadline }) => deadline >= newest)) return 0
  return (await chain.blockAt(block))?.time ?? 0
}

const feeOf = ({ feeCap, tip }: { feeCap: string; tip: string }): Fee => ({ feeCap: BigInt(feeCap), tip: BigInt(tip) })

type Used = { orderId: Hash; hash: Hash; relayerId: string }

/**
 * Deletes a relayer's stored bytes once a confirmed block contains an order's transaction: its nonce and all lower
 * nonces are used. If later transactions are still under way, nothing is written. The process that tends a busy record
 * then writes it once for many of them.
 */
export async function settleBy(
  { orderId, hash, relayerId }: Used,
  { relayerRecords }: Pick<RelayerPorts, 'relayerRecords'>,
): Promise<void> {
  const { written, inTurn } = memoryOf(relayerRecords)
  const slotIn = ({ slots }: Relayer): Slot | undefined =>
    slots.find((one) => carries(one, orderId) && one.hashes.some((sent) => sent.hash === hash))
  const isLast = (record: Relayer, slot: Slot): boolean => !inFlight(record).some(({ nonce }) => nonce > slot.nonce)
  // Leaving it to the tending process is always allowed, so the record that this process wrote last is enough for that.
  const last = written.get(relayerId)
  const there = last && slotIn(last)
  if (there && !isLast(last, there)) return
  await inTurn(relayerId, async () => {
    const record = await relayerRecords.load(relayerId)
    const slot = record && slotIn(record)
    if (!record || !slot || !isLast(record, slot)) return
    if (inFlight(record).length > 0) await save(withSettled(record, slot.nonce + 1, 0), relayerRecords)
  })
}

/** Returns every transaction still on record that carried the execution's order. */
export const transactionsOf = ({ facts: { order, transactions = [] } }: Execution, record: Relayer | null) => {
  const slot = record?.slots.find((one) => carries(one, order?.id))
  const seen = new Set(transactions.map(({ hash }) => hash))
  const unseen = (slot?.hashes ?? []).filter(({ hash }) => !seen.has(hash))
  return [...transactions, ...unseen.map((attempt) => transactionOf(attempt, slot!, record!.id))]
}

/**
 * Until when a version of a record needs no work, and when that is next checked. `waitsAt` is the number of mined
 * nonces while transactions still wait for a block; null if none waits. Before the first check of a new version, the
 * executions might already record what a node would report.
 */
type Rest = { version: number; until: number; pollAt: number; waitsAt: number | null; isNew?: boolean }

/** Check interval for a mined transaction until its block is confirmed. A reorganization could undo it. */
const pollMs = 30_000
/** Shortest delay before a transaction is re-sent. The delay grows with the transaction's age, up to the maximum. */
const resendMs = 4_000
const resendMsMax = 30_000
/** Time that another process gets for its own record before this process tends it. */
const leaveMs = 5_000
const leaveConfirmedMs = 20_000

/** Usual time until a block is confirmed. */
const confirmedMs = ({ chainId, confirmations }: ChainClient): number =>
  confirmations * chainOf(chainId).blockSeconds * 1_000

/** Time when the newest transaction under way was signed. The record must have one. */
const lastSentAt = (record: Relayer): number => Math.max(...inFlight(record).map((slot) => newest(slot)!.at))

/**
 * Returns how long a record needs no work. Transactions that wait for a block are re-sent at intervals. Bytes stay
 * until their block is confirmed, and slots until their orders expire. Before then, the chain need not be read. A
 * process that did not write the record waits longer, because its writer tends it.
 */
function restOf({ record, mined }: Tended, chain: ChainClient, isOurs: boolean, at: number): Rest {
  const { version, slots } = record
  if (unmined(record, mined).length > 0) {
    const age = at - lastSentAt(record)
    const until = at + Math.min(Math.max(resendMs, age), resendMsMax)
    return { version, until, pollAt: isOurs ? at + chainOf(chain.chainId).blockSeconds * 500 : until, waitsAt: mined }
  }
  const isMined = slots.some(newest)
  const voidAt = Math.min(...slots.map(({ deadline }) => deadline * 1_000))
  const leave = isOurs ? 0 : leaveConfirmedMs
  const until = (isMined ? at : Math.max(at, voidAt)) + confirmedMs(chain) + leave
  return { version, until, pollAt: isMined && isOurs ? at + pollMs : until, waitsAt: null }
}

/** Whether no execution waits for a slot that is free. */
const mayRest = ({ record, mined }: Tended): boolean =>
  record.slots.length > 0 && (!hasWaiters(record) || unmined(record, mined).length > 0)

/**
 * Returns how long a newly written record needs no work. Its newest transaction was just sent, and is usually mined by
 * then. One request shows that; the rest can wait until its block is confirmed.
 */
function restOfNew(record: Relayer, chain: ChainClient, isOurs: boolean, at: number): Rest | null {
  if (inFlight(record).length === 0) return restOf({ record, mined: 0 }, chain, isOurs, at)
  const pollAt = lastSentAt(record) + (isOurs ? resendMs : leaveMs)
  const until = pollAt + confirmedMs(chain) + (isOurs ? 0 : leaveConfirmedMs)
  return until > at ? { version: record.version, until, pollAt, waitsAt: null, isNew: true } : null
}

/**
 * Makes the function that tends one relayer at each call. It reads the chain only if there may be work: once per half
 * block while a transaction waits for its block, then at intervals until that block is confirmed. A reorganization that
 * undoes the transaction is thus noticed. The process that wrote the record last does this; others step in only when
 * that process is late. Free slots are assigned here as well, in case the process that should have done so was killed.
 */
export function tendRelayer(
  relayer: RelayerAddress,
  ports: RelayerPorts & { wakes: Pick<Wakes, 'wakeNow'>; executions: Pick<Executions, 'load'> },
): () => Promise<void> {
  const { relayerRecords, chain, executions, now } = ports
  let rest: Rest | null = null

  async function isResting(record: Relayer): Promise<boolean> {
    if (rest?.version !== record.version) {
      const fresh = restOfNew(record, chain, isOwn(record, ports), now())
      // Changes to a busy relayer's record do not postpone work that is due while a transaction is under way.
      const isBusy = inFlight(record).length > 0 || hasWaiters(record)
      rest =
        fresh && rest && isBusy
          ? { ...fresh, until: Math.min(rest.until, fresh.until), pollAt: Math.min(rest.pollAt, fresh.pollAt) }
          : fresh
    }
    if (!rest || rest.until <= now()) return false
    if (rest.pollAt > now()) return true
    const isOurs = isOwn(record, ports)
    const said = rest.isNew && !hasWaiters(record) ? await recordedProgressOf(record, executions) : null
    rest.isNew = false
    // The process that sent a transaction tends it until a block contains it.
    if (said === 'MINED' || (said === 'SENT' && !isOurs)) {
      rest.pollAt = Math.min(rest.until, now() + (isOurs ? pollMs : patienceMs))
      return true
    }
    const mined = await chain.minedNonces(relayer.address)
    if (rest.waitsAt === null ? unmined(record, mined).length > 0 : mined > rest.waitsAt) return false
    if (rest.waitsAt !== null) rest.pollAt = now() + chainOf(chain.chainId).blockSeconds * 500
    else rest.pollAt = isOurs ? now() + pollMs : rest.until
    return true
  }

  return async () => {
    const record = await relayerRecords.load(relayer.id)
    if (!record || (record.slots.length === 0 && !hasWaiters(record)) || (await isResting(record))) return
    const tended = await tend(relayer, ports).finally(() => hasWaiters(record) && assignSlots(relayer, ports))
    rest = tended && mayRest(tended) ? restOf(tended, chain, isOwn(tended.record, ports), now()) : null
  }
}
