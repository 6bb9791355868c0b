import { relay } from '../adapters/aggregators/relay'
import { appraiser, tokenDecimals } from '../adapters/prices/appraiser'
import { priceFeeds } from '../adapters/prices/price-feeds'
import { prices } from '../adapters/prices/prices'
import { type ChainId, type ChainKey, chainKeyOf } from '../domain/chain/chain'
import type { TokenList } from '../domain/money/token'
import type { Chains } from '../ports/chain-client'
import type { PriceSource } from '../ports/prices'

type Parts = {
  /** Who routes is asked for prices too. */
  providers: readonly PriceSource[]
  /** Relay is asked for prices where it routes nothing as well: one source alone confirms nobody. */
  config: { relayPricesUrl: string }
  secrets: { relayApiKey: string | null; rpcUrls: Record<ChainKey, readonly string[]> }
  tokens: TokenList
  chains: Chains
  now: () => number
}

/** What things are worth: to the steps, and once more to the signer, who believes nothing that the steps were told. */
export function pricing({ config, secrets, providers, tokens, chains, now }: Parts) {
  const others = [
    relay({ url: config.relayPricesUrl, apiKey: secrets.relayApiKey }),
    priceFeeds({ rpcUrls: (id) => secrets.rpcUrls[chainKeyOf(id)] }),
  ]
  const sources = [...providers, ...others.filter(({ name }) => !providers.some((provider) => provider.name === name))]
  const decimalsOf = tokenDecimals(tokens, chains)
  const known = prices(sources, { now })
  return {
    prices: known,
    isPriced: known.isPriced,
    appraiser: appraiser(known, decimalsOf),
    signerWorth: {
      appraiser: appraiser(prices(sources, { now }), tokenDecimals(tokens, chains)),
      fee: (id: ChainId) => chains[id].fee(),
    },
  }
}
