import type { Sendable } from '../execution/mint'
import type { Sent } from '../execution/minting'
import { sumOf } from '../money/amount'
import type { Hash, Hex } from './hex'

/**
 * One relayer key on one chain, with all of its transactions that are not settled, in one document. The write that
 * assigns a nonce stores the signed bytes with it, so there is no nonce without bytes, and no two transactions share
 * one nonce. The slots are sorted by nonce. The next nonce is computed and never stored, because one wrong answer of a
 * node would otherwise be believed for ever.
 */
export type Relayer = {
  id: string
  version: number
  slots: Slot[]
  /** Who waits for a slot, was handed one and has no nonce yet, or was called to go along with those that were. */
  line?: (SlotRequest & { handedUntil: number | null; calledUntil?: number })[]
  /** Other code acts for the key (EIP-7702), and then nodes take one transaction of it at a time. */
  isDelegated?: true
}

/** A nonce and the transaction that uses it. Each attempt replaces the one before, and any of them may be mined. */
export type Slot = {
  nonce: number
  /** Whose order it is, the first of several. Absent where the slot fills a gap, and in older records. */
  organizationId?: string
  executionId?: string
  /** Null when the slot only fills a gap. */
  orderId: Hash | null
  /** Null once the order is settled or void. */
  order: Sendable | null
  /** The other orders that the same transaction carries. Absent where it carries one, as most do. */
  also?: Carried[]
  /** The latest of the deadlines of all its orders. */
  deadline: number
  attempts: Attempt[]
  /** The hashes of all attempts, kept for as long as the slot is. */
  hashes: { hash: Hash; at: number }[]
}

/** An order beside the first of its transaction. It is null once it is settled or void. */
type Carried = { orderId: Hash; organizationId: string; order: Sendable | null }

/** One signed transaction for a nonce. Fees are wei per gas, as decimal strings. */
type Attempt = { hash: Hash; bytes: Hex; feeCap: string; tip: string; at: number }

/** How many transactions of one key nodes keep in their pool, roughly. */
export const unminedMax = 16
/** How many transactions of a key may be on their way at once. */
export const unminedMaxOf = ({ isDelegated }: Pick<Relayer, 'isDelegated'>): number => (isDelegated ? 1 : unminedMax)

/** Returns the record with what is known now of its key. */
export const delegatedNow = ({ isDelegated: _, ...relayer }: Relayer, isDelegated: boolean): Relayer =>
  isDelegated ? { ...relayer, isDelegated } : relayer

/**
 * Limits of one document. Bytes are kept until a confirmed block contains their nonce, which can take minutes and so
 * add up to many.
 */
const keptMax = { slots: 512, characters: 2_000_000 }

export const newest = ({ attempts }: Slot): Attempt | undefined => attempts.at(-1)

/** Whether the transaction of a slot carries an order, or did until that was settled or void. */
export const carries = ({ orderId, also = [] }: Slot, id: Hash | undefined): boolean =>
  id !== undefined && (orderId === id || also.some((other) => other.orderId === id))

/** The orders that the transaction of a slot carries; none where it fills a gap, or where they are void. */
export const ordersOf = ({ order, also = [] }: Pick<Slot, 'order' | 'also'>): Sendable[] =>
  [order, ...also.map((other) => other.order)].filter((each) => each !== null)

export const inFlight = ({ slots }: Relayer): Slot[] => slots.filter(newest)

/**
 * Whether the slot is close enough to the mined nonces to be believed. A nonce above that was assigned on a wrong
 * answer of a node, and nothing waits for it until the nonces below it are used.
 */
const isWithin = (mined: number) => (slot: Slot) => slot.nonce < mined + unminedMax
const isWaiting = (mined: number) => (slot: Slot) => slot.nonce >= mined && isWithin(mined)(slot)

/** Returns the slots that have to be sent again, in the order of their nonces. */
export const unmined = (relayer: Relayer, mined: number): Slot[] =>
  inFlight(relayer).filter(isWaiting(mined)).slice(0, unminedMaxOf(relayer))

/**
 * Returns the lowest nonce that is neither mined nor taken. A nonce that a wrong answer skipped is therefore used next,
 * and nothing waits behind a gap for ever. Returns null while the key has as many transactions on their way as it may.
 */
export function nextNonce(relayer: Relayer, mined: number): number | null {
  const held = new Set(relayer.slots.map(({ nonce }) => nonce))
  let nonce = mined
  while (held.has(nonce)) nonce += 1
  const kept = inFlight(relayer).filter(isWithin(mined))
  const hasRoom = kept.length < keptMax.slots && sizeOf(kept) < keptMax.characters
  return nonce < mined + unminedMaxOf(relayer) && hasRoom ? nonce : null
}

/**
 * An execution that asks for a slot of a relayer, and since when. Its organization may hold at most `share` times as
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
 * Whether an organization may take one more slot of a relayer. Some slots always stay free for whoever comes next: an
 * organization that is alone may hold most of them, and each newcomer makes the share of all others smaller. An
 * organization that holds none may take any free slot.
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

/** Returns the slots that are not mined yet, including those that fill gaps. */
export const waitingIn = ({ slots }: Relayer, mined: number): Slot[] => slots.filter(isWaiting(mined))

const sizeOf = (slots: Slot[]): number =>
  slots
    .flatMap((slot) => [...slot.attempts.map(({ bytes }) => bytes), ...ordersOf(slot).map(({ data }) => data)])
    .reduce((sum, { length }) => sum + length, 0)

/**
 * Returns the lowest nonce that is not mined, if it has been waiting since before `before` (milliseconds since 1970).
 * Its slot is null when others wait behind a gap.
 */
export function hanging(relayer: Relayer, mined: number, before: number): { nonce: number; slot: Slot | null } | null {
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
 * Adds an attempt and drops earlier attempts with higher fees: no node had them, or they would not have been replaced.
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

/** A transaction of a slot as the executions remember it whose orders it carries. */
export const sentAs = ({ hash, at }: { hash: Hash; at: number }, { nonce, also }: Slot, sender: string): Sent => ({
  hash,
  at,
  nonce,
  sender,
  ...(also && { orders: also.length + 1 }),
})

const seen = ({ hash, at }: Attempt) => ({ hash, at })

/**
 * Removes what no longer has to be kept. Bytes are kept until a confirmed block contains their nonce. The slot itself
 * is kept until its order is void, so that a worker that slept in the meantime cannot give the order a second one; its
 * hashes stay as long, because they may be asked for. A void order can move no money, so an empty transfer replaces it.
 *
 * @param settledNonces The number of nonces that are used at the confirmed block.
 * @param time The time of that block, in seconds since 1970.
 */
export const settled = (relayer: Relayer, settledNonces: number, time: number): Relayer => ({
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
 * Whether the last fee is so far above the market that raising it cannot help. The chain stands still, or something
 * other than the fee is wrong.
 */
export const isDear = (last: Fee, market: Fee): boolean => last.feeCap > 10n * market.feeCap

/** Returns the fee of a replacement. Nodes ask for 10 % more, of the cap and of the tip alike; we offer 12.5 %. */
export const bumped = (last: Fee, market: Fee): Fee => ({
  feeCap: larger(eighthMore(last.feeCap), market.feeCap),
  tip: larger(eighthMore(last.tip), market.tip),
})

const eighthMore = (wei: bigint): bigint => wei + wei / 8n + 1n
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The most gas that a transaction may use and the native coin that it carries, in wei, as decimal strings. */
type Asking = { gasLimit: string; nativeFee: string }

/** What an order usually needs, for one that is not known yet. */
export const usualOrder: Asking = { gasLimit: '600000', nativeFee: '0' }
/** An empty transfer, which fills a gap or replaces a void order. */
const filler: Asking = { gasLimit: '21000', nativeFee: '0' }

/** What a transaction of several orders takes before the first, and what the contract asks for besides each. */
const [sharedGas, eachGas] = [60_000n, 20_000n]

/**
 * Returns what a transaction asks for that carries these orders: of several what the contract demands, and their gas
 * once more for their bytes, which are paid before the first of them begins. Gas that is not used costs nothing.
 */
export function askingOf(orders: readonly Sendable[]): Asking {
  const nativeFee = String(sumOf(orders.map((order) => BigInt(order.nativeFee))))
  if (orders.length === 1) return { gasLimit: orders[0]!.gasLimit, nativeFee }
  const each = orders.map(({ gasLimit }) => 2n * BigInt(gasLimit) + BigInt(gasLimit) / 63n + eachGas)
  return { gasLimit: String(sharedGas + sumOf(each)), nativeFee }
}

/** The most that a transaction may cost, in wei. */
const costMaxWei = ({ gasLimit, nativeFee }: Asking, feeWei: bigint): bigint =>
  feeWei * BigInt(gasLimit) + BigInt(nativeFee)

/** What a slot may cost, in wei. A node still charges the fee that was signed, even when the price has fallen since. */
const slotMaxWei = (slot: Slot, feeCap: bigint): bigint => {
  const signed = BigInt(newest(slot)?.feeCap ?? 0)
  const orders = ordersOf(slot)
  return costMaxWei(orders.length > 0 ? askingOf(orders) : filler, signed > 2n * feeCap ? signed : 2n * feeCap)
}

/**
 * Returns what a relayer should hold to send one order more, in wei. Whoever signs, sends or watches uses this sum.
 * Transactions on their way are counted at up to twice the current price, because their fees may be raised until they
 * are mined. What is mined has already left the balance.
 *
 * @param mined The number of nonces of the key that are mined.
 * @param feeCap The current fee, in wei per gas.
 */
export const relayerNeed = (relayer: Relayer | null, mined: number, feeCap: bigint, order: Asking): bigint => {
  const waiting = relayer ? inFlight(relayer).filter(({ nonce }) => nonce >= mined) : []
  return costMaxWei(order, 2n * feeCap) + sumOf(waiting.map((slot) => slotMaxWei(slot, feeCap)))
}
