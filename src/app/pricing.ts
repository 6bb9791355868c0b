import { appraiser, tokenDecimals } from '../adapters/prices/appraiser'
import { priceFeeds } from '../adapters/prices/price-feeds'
import { prices } from '../adapters/prices/prices'
import { type ChainId, type ChainKey, chainKeyOf } from '../domain/chain/chain'
import { hasPrices } from '../domain/execution/provider'
import type { PriceBook } from '../domain/money/price-book'
import type { TokenList } from '../domain/money/token'
import type { Chains } from '../ports/chain-client'
import type { Telemetry } from '../ports/observing'
import type { PriceSource } from '../ports/prices'
import type { Records } from '../ports/records'

type Parts = {
  /** The routing providers. Most are price sources too. */
  providers: readonly PriceSource[]
  /** Relay's price API is used even if Relay routes nothing, because a single source confirms nothing. */
  relayPrices: PriceSource
  secrets: { rpcUrls: Record<ChainKey, readonly string[]> }
  tokens: TokenList
  chains: Chains
  priceBooks: Records<PriceBook>
  now: () => number
  telemetry: Telemetry
}

/**
 * Builds the prices and the appraisal for the steps, and a second, independent set for the signer. The signer trusts
 * neither the steps nor the store.
 */
export function pricing({ secrets, providers, relayPrices, tokens, chains, priceBooks, now, telemetry }: Parts) {
  const others = [relayPrices, priceFeeds({ rpcUrls: (id) => secrets.rpcUrls[chainKeyOf(id)], telemetry })]
  const priced = providers.filter(({ name }) => hasPrices(name))
  const sources = [...priced, ...others.filter(({ name }) => !priced.some((provider) => provider.name === name))]
  const decimalsOf = tokenDecimals(tokens, chains)
  const shared = prices(sources, { now, books: priceBooks })
  return {
    prices: shared,
    isPriced: shared.isPriced,
    appraiser: appraiser(shared, decimalsOf),
    signerWorth: {
      appraiser: appraiser(prices(sources, { now }), tokenDecimals(tokens, chains)),
      fee: (id: ChainId) => chains[id].fee(),
    },
  }
}
