import { parseUnits } from 'viem'
import type { PricedToken } from './tokens'

type Priced = Pick<PricedToken, 'decimals' | 'priceUsd'>

const price = (token: Priced): bigint => parseUnits(token.priceUsd, 8)

/** Converts an amount of one token to another by their prices. The result is rounded down. */
export const convert = (amount: bigint, from: Priced, to: Priced): bigint =>
  (amount * price(from) * 10n ** BigInt(to.decimals)) / (price(to) * 10n ** BigInt(from.decimals))

/** The value of an amount in US dollars with four decimals, rounded down. */
export function usd(amount: bigint, token: Priced): string {
  const tenThousandths = (amount * price(token)) / 10n ** BigInt(token.decimals) / 10n ** 4n
  return `${tenThousandths / 10_000n}.${(tenThousandths % 10_000n).toString().padStart(4, '0')}`
}
