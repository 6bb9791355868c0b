import type { TokenList } from '../domain/money/token'
import type { Prices } from '../ports/prices'
import type { WorthOf } from '../ports/usage'

/** The price of a token as the providers state it, or null when it is unknown. */
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
