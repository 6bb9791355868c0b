import { isNear, type PriceOpinion } from './worth'

/** A whole token for more than this is a mistake: USD with 8 decimals. */
const usdMax = 10_000_000n * 10n ** 8n

/** Whether an answer can be the price of a whole token at all, in USD with 8 decimals. */
export const isPlausiblePrice = (usd: bigint): boolean => usd > 0n && usd <= usdMax

/** The first price, by the order of the sources, that a second source confirms; null when no two agree. */
export function confirmedPrice(said: readonly PriceOpinion[]): bigint | null {
  for (const [n, one] of said.entries())
    for (const other of said.slice(n + 1)) if (isNear(one.usd, other.usd)) return one.usd
  return null
}

/** The price to go by: the confirmed one, or that of a single source when there is no other to contradict it. */
export const agreedPrice = (said: readonly PriceOpinion[]): bigint | null =>
  said.length === 1 ? said[0]!.usd : confirmedPrice(said)
