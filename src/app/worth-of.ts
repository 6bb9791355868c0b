import type { TokenList } from '../domain/money/token'
import type { WorthOf } from '../ports/limits'
import type { Prices } from '../ports/prices'

/** Returns a token's price according to the providers, or null if it is unknown. */
export const worthOf =
  (prices: Prices, tokens: TokenList): WorthOf =>
  async (chainId, address) => {
    const token = tokens.find(chainId, address)
    if (!token) return null
    return prices.usd(chainId, address).then(
      (usd) => ({ usd, decimals: token.decimals }),
      () => null,
    )
  }
