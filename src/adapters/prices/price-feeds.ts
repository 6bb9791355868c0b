import { type ChainId, perChain } from '../../domain/chain/chain'
import { priceFeedOf } from '../../domain/money/price-feeds'
import type { PriceSource } from '../../ports/prices'
import type { Telemetry } from '../../ports/telemetry'
import { feedPrice } from '../evm/feeds/feed-price'
import { nodes } from '../evm/rpc/nodes'

type Settings = { rpcUrls: (chainId: ChainId) => readonly string[]; timeoutMs?: number; telemetry: Telemetry }

/** Chainlink's feeds, read on the token's own chain, independent of any routing provider. */
export function priceFeeds({ rpcUrls, timeoutMs = 3_000, telemetry }: Settings): PriceSource {
  const readers = perChain((chainId) =>
    feedPrice(nodes({ chainId, rpcUrls: rpcUrls(chainId), timeoutMs, isAnswer: () => false, telemetry })),
  )
  return {
    name: 'chainlink',
    async priceUsd(chainId, token) {
      const feed = priceFeedOf(chainId, token)
      return feed && readers[chainId](feed)
    },
  }
}
