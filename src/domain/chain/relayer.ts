import type { RelayerTransaction } from '../execution/execution'
import type { Sendable } from '../execution/mint'
import { sumOf } from '../money/amount'
import type { Hash, Hex } from './hex'

/**
 * One relayer key on one chain, with all its unsettled transactions, in one document. The write that assigns a nonce
 * also stores the signed bytes. Every nonce therefore has bytes, and no two transactions share a nonce. The slots are
 * sorted by nonce. The next nonce is computed and never stored: a stored one would keep a node's single wrong response
 * forever.
 */
export type Relayer = {
  id: string
  version: number
  slots: Slot[]
  /**
   * Queue for slots: waiting executions, executions that were assigned a slot and have no nonce yet, and executions
   * invited to share a transaction.
   */
  line?: (SlotRequest & { handedUntil: number | null; calledUntil?: number })[]
  /** Other code acts for the key (EIP-7702). Nodes then accept one of its transactions at a time. */
  isDelegated?: true
}

/** A nonce and its transaction. Each attempt replaces the previous one, and any attempt can be mined. */
export type Slot = {
  nonce: number
  /** Organization of the first order. Absent if the slot fills a gap, and in older records. */
  organizationId?: string
  executionId?: string
  /** Null if the slot only fills a gap. */
  orderId: Hash | null
  /** Null once the order is settled or expired. */
  order: Sendable | null
  /** Other orders in the same transaction. Absent for a transaction with one order, which is the usual case. */
  also?: CarriedOrder[]
  /** Latest deadline of all its orders. */
  deadline: number
  attempts: Attempt[]
  /** Hashes of all attempts, kept as long as the slot. */
  hashes: { hash: Hash; at: number }[]
}

/** A further order of a transaction. It is null once settled or expired. */
type CarriedOrder = { orderId: Hash; organizationId: string; order: Sendable | null }

/** One signed transaction for a nonce. Fees are wei per gas, as decimal strings. */
type Attempt = { hash: Hash; bytes: Hex; feeCap: string; tip: string; at: number }

/** Transactions of one key that nodes keep in their pool, roughly. */
export const unminedMax = 16
/** Returns how many unmined transactions a key may have. */
export const unminedMaxOf = ({ isDelegated }: Pick<Relayer, 'isDelegated'>): number => (isDelegated ? 1 : unminedMax)

/** Returns the record of a key that was never used. */
export const unusedRelayer = (id: string): Relayer => ({ id, version: 0, slots: [] })

/** Returns the record with the current delegation state of its key. */
export const delegatedNow = ({ isDelegated: _, ...relayer }: Relayer, isDelegated: boolean): Relayer =>
  isDelegated ? { ...relayer, isDelegated } : relayer

/**
 * Limits of one document. Bytes stay until a confirmed block contains their nonce. That can take minutes, so many bytes
 * can accumulate.
 */
const storedMax = { slots: 512, characters: 2_000_000 }

export const newest = ({ attempts }: Slot): Attempt | undefined => attempts.at(-1)

/** Whether a slot's transaction carries an order, or carried it before the order was settled or expired. */
export const carries = ({ orderId, also = [] }: Slot, id: Hash | undefined): boolean =>
  id !== undefined && (orderId === id || also.some((other) => other.orderId === id))

/** Returns the orders of a slot's transaction; none if it fills a gap or they have expired. */
export const ordersOf = ({ order, also = [] }: Pick<Slot, 'order' | 'also'>): Sendable[] =>
  [order, ...also.map((other) => other.order)].filter((each) => each !== null)

export const inFlight = ({ slots }: Relayer): Slot[] => slots.filter(newest)

/**
 * Whether a slot's nonce is near enough to the mined nonces to be credible. A higher nonce was assigned after a node's
 * wrong response. It blocks nothing until the nonces below it are used.
 */
const isWithin = (mined: number) => (slot: Slot) => slot.nonce < mined + unminedMax
const isWaiting = (mined: number) => (slot: Slot) => slot.nonce >= mined && isWithin(mined)(slot)

/** Returns the slots whose transactions must be sent again, in nonce order. */
export const unmined = (relayer: Relayer, mined: number): Slot[] =>
  inFlight(relayer).filter(isWaiting(mined)).slice(0, unminedMaxOf(relayer))

/**
 * Returns the lowest nonce that is neither mined nor assigned. A skipped nonce is therefore used next, and no
 * transaction waits behind a gap forever. Returns null while the key has its maximum of unmined transactions, or while
 * its document is full.
 */
export function nextNonce(relayer: Relayer, mined: number): number | null {
  const held = new Set(relayer.slots.map(({ nonce }) => nonce))
  let nonce = mined
  while (held.has(nonce)) nonce += 1
  const stored = inFlight(relayer).filter(isWithin(mined))
  const hasRoom = stored.length < storedMax.slots && sizeOf(stored) < storedMax.characters
  return nonce < mined + unminedMaxOf(relayer) && hasRoom ? nonce : null
}

/**
 * Request of an execution for a slot of a relayer, and its start. Its organization may hold at most `share` times as
 * many slots as it leaves free.
 */
export type SlotRequest = {
  executionId: string
  bucket: number
  since: number
  organizationId: string
  share: number
}

/**
 * Whether an organization may take another slot of a relayer. Some slots always stay free for newcomers. A single
 * organization may hold most slots, and each newcomer reduces the share of all others. An organization without slots
 * may take any free slot.
 */
export function mayTake(
  waiting: readonly Pick<Slot, 'organizationId'>[],
  { organizationId, share }: Pick<SlotRequest, 'organizationId' | 'share'>,
  most = unminedMax,
): boolean {
  const own = waiting.filter((slot) => slot.organizationId === organizationId).length
  const free = most - waiting.length
  return own === 0 ? free > 0 : own + 1 <= share * (free - 1)
}

/** Returns the slots that are not mined yet, including gap fillers. */
export const waitingIn = ({ slots }: Relayer, mined: number): Slot[] => slots.filter(isWaiting(mined))

const sizeOf = (slots: Slot[]): number =>
  slots
    .flatMap((slot) => [...slot.attempts.map(({ bytes }) => bytes), ...ordersOf(slot).map(({ data }) => data)])
    .reduce((sum, { length }) => sum + length, 0)

/**
 * Returns the lowest unmined nonce if it has waited since before `before` (milliseconds since 1970). Its slot is null
 * if other slots wait behind a gap.
 */
export function stuckNonce(
  relayer: Relayer,
  mined: number,
  before: number,
): { nonce: number; slot: Slot | null } | null {
  const waiting = relayer.slots.filter(isWaiting(mined))
  const slot = waiting.find(({ nonce }) => nonce === mined) ?? null
  const lastAts = (slot ? [slot] : waiting).map(({ hashes }) => hashes.at(-1)?.at ?? 0)
  return lastAts.length > 0 && Math.min(...lastAts) < before ? { nonce: mined, slot } : null
}

export const withSlot = (
  relayer: Relayer,
  nonce: number,
  order: Sendable | null,
  attempt: Attempt,
  organizationId?: string,
  also: readonly { order: Sendable; organizationId: string }[] = [],
  executionId?: string,
): Relayer => ({
  ...relayer,
  slots: [
    ...relayer.slots,
    {
      nonce,
      ...(organizationId !== undefined && { organizationId }),
      ...(executionId !== undefined && { executionId }),
      orderId: order?.id ?? null,
      order,
      ...(also.length > 0 && { also: also.map((other) => ({ orderId: other.order.id, ...other })) }),
      deadline: Math.max(order?.deadline ?? 0, ...also.map((other) => other.order.deadline)),
      attempts: [attempt],
      hashes: [seen(attempt)],
    },
  ].sort((a, b) => a.nonce - b.nonce),
})

/**
 * Adds an attempt and drops earlier attempts with higher fees. No node had those, or they would not have been replaced.
 */
export const withAttempt = (relayer: Relayer, nonce: number, attempt: Attempt): Relayer => ({
  ...relayer,
  slots: relayer.slots.map((slot) =>
    slot.nonce === nonce
      ? {
          ...slot,
          attempts: [...slot.attempts.filter(({ feeCap }) => BigInt(feeCap) < BigInt(attempt.feeCap)), attempt],
          hashes: [...slot.hashes, seen(attempt)],
        }
      : slot,
  ),
})

/** Returns a slot's transaction in the form that the executions of its orders store. */
export const transactionOf = (
  { hash, at }: { hash: Hash; at: number },
  { nonce, also }: Slot,
  sender: string,
): RelayerTransaction => ({
  hash,
  at,
  nonce,
  sender,
  ...(also && { orders: also.length + 1 }),
})

const seen = ({ hash, at }: Attempt) => ({ hash, at })

/**
 * Removes data that is no longer needed. Bytes stay until a confirmed block contains their nonce. The slot stays until
 * its order expires. Otherwise a worker that stalled could give the order a second slot. Its hashes stay as long,
 * because they can still be queried. An expired order can move no money, so an empty transfer replaces it.
 *
 * @param settledNonces Number of nonces used at the confirmed block.
 * @param time Time of that block, in seconds since 1970.
 */
export const withSettled = (relayer: Relayer, settledNonces: number, time: number): Relayer => ({
  ...relayer,
  slots: relayer.slots.flatMap((slot) => {
    const isVoid = slot.deadline < time
    if (slot.nonce >= settledNonces) return isVoid ? [withoutOrders(slot)] : [slot]
    return isVoid ? [] : [{ ...withoutOrders(slot), attempts: [] }]
  }),
})

const withoutOrders = (slot: Slot): Slot => ({
  ...slot,
  order: null,
  ...(slot.also && { also: slot.also.map((other) => ({ ...other, order: null })) }),
})

export type Fee = { feeCap: bigint; tip: bigint }
export const asText = ({ feeCap, tip }: Fee) => ({ feeCap: String(feeCap), tip: String(tip) })

/**
 * Whether the last fee is so far above the market that raising it cannot help. The chain is stalled, or another fault
 * holds the transaction back.
 */
export const isDear = (last: Fee, market: Fee): boolean => last.feeCap > 10n * market.feeCap

/** Returns the fee of a replacement. Nodes require 10 % more, for both the cap and the tip; we offer 12.5 %. */
export const raisedFee = (last: Fee, market: Fee): Fee => ({
  feeCap: larger(eighthMore(last.feeCap), market.feeCap),
  tip: larger(eighthMore(last.tip), market.tip),
})

const eighthMore = (wei: bigint): bigint => wei + wei / 8n + 1n
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Gas limit of a transaction and the native coin that it carries, in wei, as decimal strings. */
type GasNeed = { gasLimit: string; nativeFee: string }

/** Usual needs of an order that does not exist yet. */
export const usualOrder: GasNeed = { gasLimit: '600000', nativeFee: '0' }
/** An empty transfer, which fills a gap or replaces an expired order. */
const filler: GasNeed = { gasLimit: '21000', nativeFee: '0' }

/** Gas of a batch before its first order, and the contract's extra requirement per order. */
const [sharedGas, eachGas] = [60_000n, 20_000n]

/**
 * Returns the needs of a transaction with these orders. A batch gets the gas that the contract requires, plus the
 * orders' gas again for their bytes, which are paid before the first order begins. Unused gas costs nothing.
 */
export function gasNeedOf(orders: readonly Sendable[]): GasNeed {
  const nativeFee = String(sumOf(orders.map((order) => BigInt(order.nativeFee))))
  if (orders.length === 1) return { gasLimit: orders[0]!.gasLimit, nativeFee }
  const each = orders.map(({ gasLimit }) => 2n * BigInt(gasLimit) + BigInt(gasLimit) / 63n + eachGas)
  return { gasLimit: String(sharedGas + sumOf(each)), nativeFee }
}

/** Returns the highest cost of a transaction, in wei. */
const costMaxWei = ({ gasLimit, nativeFee }: GasNeed, feeWei: bigint): bigint =>
  feeWei * BigInt(gasLimit) + BigInt(nativeFee)

/** Returns the highest cost of a slot, in wei. A node still charges the signed fee after the price has fallen. */
const slotMaxWei = (slot: Slot, feeCap: bigint): bigint => {
  const signed = BigInt(newest(slot)?.feeCap ?? 0)
  const orders = ordersOf(slot)
  return costMaxWei(orders.length > 0 ? gasNeedOf(orders) : filler, signed > 2n * feeCap ? signed : 2n * feeCap)
}

/**
 * Returns the balance that a relayer needs to send one more order, in wei. Signing, sending and monitoring all use this
 * sum. Unmined transactions count at up to twice the current price, because their fees can be raised until they are
 * mined. The cost of a mined transaction has already left the balance.
 *
 * @param mined Number of the key's mined nonces.
 * @param feeCap The current fee, in wei per gas.
 */
export const relayerNeed = (relayer: Relayer | null, mined: number, feeCap: bigint, order: GasNeed): bigint => {
  const waiting = relayer ? inFlight(relayer).filter(({ nonce }) => nonce >= mined) : []
  return costMaxWei(order, 2n * feeCap) + sumOf(waiting.map((slot) => slotMaxWei(slot, feeCap)))
}
