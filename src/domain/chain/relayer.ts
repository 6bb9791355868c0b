import type { Order } from '../execution/order'
import type { Hash, Hex } from './hex'

/**
 * One relayer key on one chain, with every transaction of it that is not settled, in one document. The write that gives
 * a nonce stores the signed bytes with it: no nonce without bytes, no two transactions for one nonce. The slots are
 * sorted by their nonces. Which nonce comes next is not stored: one wrong answer would be believed for ever.
 */
export type Relayer = { id: string; version: number; slots: Slot[] }

/** A nonce and what fills it. Each attempt replaces the one before; any of them may be mined. */
export type Slot = {
  nonce: number
  /** Whose order it is; unknown where it fills a gap, or was stored before this was. */
  organizationId?: string
  /** Null where it only fills a gap. */
  orderId: Hash | null
  /** Null once it is settled or void. */
  order: Order | null
  deadline: number
  attempts: Attempt[]
  /** Of every attempt, for as long as the slot is remembered. */
  hashes: { hash: Hash; at: number }[]
}

/** Fees are wei per gas, decimal strings. */
export type Attempt = { hash: Hash; bytes: Hex; feeCap: string; tip: string; at: number }

/** Nodes keep about so many of one key that are not mined. */
export const unminedMax = 16
/** Bytes are kept until a block that stays has them: where that takes minutes these are many, in one document. */
const keptMax = { slots: 512, characters: 2_000_000 }

export const newest = ({ attempts }: Slot): Attempt | undefined => attempts.at(-1)
export const inFlight = ({ slots }: Relayer): Slot[] => slots.filter(newest)

/** What is above was given by a wrong answer: nothing waits for it until the nonces below it are given. */
const isWithin = (mined: number) => (slot: Slot) => slot.nonce < mined + unminedMax
const isWaiting = (mined: number) => (slot: Slot) => slot.nonce >= mined && isWithin(mined)(slot)

/** What is to be sent again: in the order of the nonces. */
export const unmined = (sender: Relayer, mined: number): Slot[] => inFlight(sender).filter(isWaiting(mined))

/**
 * The lowest nonce that is neither mined nor held: what a wrong answer left out is given next, and nothing waits behind
 * a gap for ever. Null while the key has as many on their way as it may.
 */
export function nextNonce(sender: Relayer, mined: number): number | null {
  const held = new Set(sender.slots.map(({ nonce }) => nonce))
  let nonce = mined
  while (held.has(nonce)) nonce += 1
  const kept = inFlight(sender).filter(isWithin(mined))
  const hasRoom = kept.length < keptMax.slots && sizeOf(kept) < keptMax.characters
  return nonce < mined + unminedMax && hasRoom ? nonce : null
}

/** Who asks for a place, and how many times as many as it leaves free it may hold. */
export type Tenant = { organizationId: string; share: number }

/**
 * Whether a tenant may take one more of a key's places. Something is always left for whoever comes next, however many
 * come at once: one alone holds most of them, and each that comes makes the share of all others smaller. Who holds none
 * may have any that is free.
 */
export function mayTake(waiting: readonly Slot[], { organizationId, share }: Tenant): boolean {
  const own = waiting.filter((slot) => slot.organizationId === organizationId).length
  const free = unminedMax - waiting.length
  return own === 0 ? free > 0 : own + 1 <= share * (free - 1)
}

/** Those that are not mined, gaps that are filled among them. */
export const waitingIn = ({ slots }: Relayer, mined: number): Slot[] => slots.filter(isWaiting(mined))

const sizeOf = (slots: Slot[]): number =>
  slots
    .flatMap(({ attempts, order }) => [...attempts.map(({ bytes }) => bytes), order?.data ?? ''])
    .reduce((sum, { length }) => sum + length, 0)

/**
 * The nonce that nothing can overtake, when it has waited since `before` or longer: with the slot that holds it, or
 * with none where others wait behind a gap.
 */
export function hanging(sender: Relayer, mined: number, before: number): { nonce: number; slot: Slot | null } | null {
  const waiting = sender.slots.filter(isWaiting(mined))
  const slot = waiting.find(({ nonce }) => nonce === mined) ?? null
  const lastAts = (slot ? [slot] : waiting).map(({ hashes }) => hashes.at(-1)?.at ?? 0)
  return lastAts.length > 0 && Math.min(...lastAts) < before ? { nonce: mined, slot } : null
}

export const withSlot = (
  sender: Relayer,
  nonce: number,
  order: Order | null,
  attempt: Attempt,
  organizationId?: string,
): Relayer => ({
  ...sender,
  slots: [
    ...sender.slots,
    {
      nonce,
      ...(organizationId !== undefined && { organizationId }),
      orderId: order?.id ?? null,
      order,
      deadline: order?.deadline ?? 0,
      attempts: [attempt],
      hashes: [seen(attempt)],
    },
  ].sort((a, b) => a.nonce - b.nonce),
})

/** What was dearer is not kept: no node had it, or it would not have been replaced. */
export const withAttempt = (sender: Relayer, nonce: number, attempt: Attempt): Relayer => ({
  ...sender,
  slots: sender.slots.map((slot) =>
    slot.nonce === nonce
      ? {
          ...slot,
          attempts: [...slot.attempts.filter(({ feeCap }) => BigInt(feeCap) < BigInt(attempt.feeCap)), attempt],
          hashes: [...slot.hashes, seen(attempt)],
        }
      : slot,
  ),
})

const seen = ({ hash, at }: Attempt) => ({ hash, at })

/**
 * Bytes are kept until a block that stays has their nonce. That the order had a slot is kept until the order is void:
 * a worker that slept all the while must not give it a second one. Its hashes stay as long: they may be asked for.
 * A void order can move nothing any more: whatever replaces it is an empty transfer.
 *
 * @param settledNonces how many nonces that block counts. @param time that block's own, in seconds.
 */
export const settled = (sender: Relayer, settledNonces: number, time: number): Relayer => ({
  ...sender,
  slots: sender.slots.flatMap((slot) => {
    const isVoid = slot.deadline < time
    if (slot.nonce >= settledNonces) return isVoid ? [{ ...slot, order: null }] : [slot]
    return isVoid ? [] : [{ ...slot, order: null, attempts: [] }]
  }),
})

export type Fee = { feeCap: bigint; tip: bigint }

/** So much above the market that more cannot help: the chain stands still, or it is not the fee. */
export const isDear = (last: Fee, market: Fee): boolean => last.feeCap > 10n * market.feeCap

/** Nodes want 10 % more for a replacement, of the cap and of the tip alike: 12.5 % is given. */
export const bumped = (last: Fee, market: Fee): Fee => ({
  feeCap: larger(eighthMore(last.feeCap), market.feeCap),
  tip: larger(eighthMore(last.tip), market.tip),
})

const eighthMore = (wei: bigint): bigint => wei + wei / 8n + 1n
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
