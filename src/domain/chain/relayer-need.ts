import { sumOf } from '../money/amount'
import { inFlight, newest, type Relayer, type Slot } from './relayer'

/** The most gas that a transaction may use and the native coin that it carries, in wei, as decimal strings. */
type Asking = { gasLimit: string; nativeFee: string }

/** What an order usually needs, for one that is not known yet. */
export const usualOrder: Asking = { gasLimit: '600000', nativeFee: '0' }
/** An empty transfer, which fills a gap or replaces a void order. */
const filler: Asking = { gasLimit: '21000', nativeFee: '0' }

/** The most that a transaction may cost, in wei. */
const costMaxWei = ({ gasLimit, nativeFee }: Asking, feeWei: bigint): bigint =>
  feeWei * BigInt(gasLimit) + BigInt(nativeFee)

/** What a slot may cost, in wei. A node still charges the fee that was signed, even when the price has fallen since. */
const slotMaxWei = (slot: Slot, feeCap: bigint): bigint => {
  const signed = BigInt(newest(slot)?.feeCap ?? 0)
  return costMaxWei(slot.order ?? filler, signed > 2n * feeCap ? signed : 2n * feeCap)
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
