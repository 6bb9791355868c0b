import { sumOf } from '../money/amount'
import { inFlight, newest, type Relayer, type Slot } from './relayer'

/** What a transaction may use, and what it carries. Wei as decimal strings. */
type Asking = { gasLimit: string; nativeFee: string }

/** Of an order that is not known yet. */
export const usualOrder: Asking = { gasLimit: '600000', nativeFee: '0' }
/** What fills a gap, or takes the place of what is void. */
const filler: Asking = { gasLimit: '21000', nativeFee: '0' }

/** Twice the price of today: fees may be raised until it is mined. */
const costMaxWei = ({ gasLimit, nativeFee }: Asking, feeWei: bigint): bigint =>
  feeWei * BigInt(gasLimit) + BigInt(nativeFee)

/** Nodes take it for what it was signed for, though the price has fallen since. */
const slotMaxWei = (slot: Slot, feeCap: bigint): bigint => {
  const signed = BigInt(newest(slot)?.feeCap ?? 0)
  return costMaxWei(slot.order ?? filler, signed > 2n * feeCap ? signed : 2n * feeCap)
}

/**
 * What a relayer should hold to send one order more, in wei: THE sum, for whoever signs, sends or watches. What it has
 * on the way is spoken for; what is mined has left its balance.
 *
 * @param mined how many of its nonces are mined. @param feeCap wei per gas, of today.
 */
export const relayerNeed = (sender: Relayer | null, mined: number, feeCap: bigint, order: Asking): bigint => {
  const waiting = sender ? inFlight(sender).filter(({ nonce }) => nonce >= mined) : []
  return costMaxWei(order, 2n * feeCap) + sumOf(waiting.map((slot) => slotMaxWei(slot, feeCap)))
}
