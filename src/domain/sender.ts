import type { Hash, Hex } from './hex'
import type { Order } from './order'

/**
 * One relayer key on one chain, with every transaction of it that is not settled, in one document. The write that gives
 * a nonce stores the signed bytes with it: no nonce without bytes, no two transactions for one nonce.
 */
export type Sender = { id: string; version: number; nextNonce: number; slots: Slot[] }

/** A nonce and what fills it. Each attempt replaces the one before at a higher fee; any of them may be mined. */
export type Slot = {
  nonce: number
  orderId: Hash
  /** Null once it is settled or void. */
  order: Order | null
  deadline: number
  attempts: Attempt[]
  /** Of every attempt, for as long as the slot is remembered. */
  hashes: { hash: Hash; at: number }[]
}

/** Fees are wei per gas, decimal strings. */
export type Attempt = { hash: Hash; bytes: Hex; feeCap: string; tip: string; at: number }

export const newest = ({ attempts }: Slot): Attempt | undefined => attempts.at(-1)
export const inFlight = ({ slots }: Sender): Slot[] => slots.filter(newest)

export const withSlot = (sender: Sender, order: Order, attempt: Attempt): Sender => ({
  ...sender,
  nextNonce: sender.nextNonce + 1,
  slots: [
    ...sender.slots,
    {
      nonce: sender.nextNonce,
      orderId: order.id,
      order,
      deadline: order.deadline,
      attempts: [attempt],
      hashes: [seen(attempt)],
    },
  ],
})

export const withAttempt = (sender: Sender, nonce: number, attempt: Attempt): Sender => ({
  ...sender,
  slots: sender.slots.map((slot) =>
    slot.nonce === nonce
      ? { ...slot, attempts: [...slot.attempts, attempt], hashes: [...slot.hashes, seen(attempt)] }
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
export const settled = (sender: Sender, settledNonces: number, time: number): Sender => ({
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
