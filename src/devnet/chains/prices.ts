import { parseUnits } from 'viem'
import type { PricedToken } from './tokens'

type Priced = Pick<PricedToken, 'decimals' | 'priceUsd'>

const price = (token: Priced): bigint => parseUnits(token.priceUsd, 8)

/** So much of one token in another, by their prices, rounded down. */
export const convert = (amount: bigint, from: Priced, to: Priced): bigint =>
  (amount * price(from) * 10n ** BigInt(to.decimals)) / (price(to) * 10n ** BigInt(from.decimals))

/** For people to read. */
export function usd(amount: bigint, token: Priced): string {
  const cents = (amount * price(token)) / 10n ** BigInt(token.decimals) / 10n ** 4n
  return `${cents / 10_000n}.${(cents % 10_000n).toString().padStart(4, '0')}`
}
