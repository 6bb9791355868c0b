import { type ChainId, perChain } from '../../domain/chain/chain'
import { priceFeedOf } from '../../domain/money/price-feeds'
import type { PriceSource } from '../../ports/prices'
import { feedPrice } from '../evm/feeds/feed-price'
import { nodes } from '../evm/rpc/nodes'

type Settings = { rpcUrls: (chainId: ChainId) => readonly string[]; timeoutMs?: number }

/** Chainlink's feeds, read on the token's own chain, independent of any routing provider. */
export function priceFeeds({ rpcUrls, timeoutMs = 3_000 }: Settings): PriceSource {
  const readers = perChain((chainId) =>
    feedPrice(nodes({ chainId, rpcUrls: rpcUrls(chainId), timeoutMs, isAnswer: () => false })),
  )
  return {
    name: 'chainlink',
    async priceUsd(chainId, token) {
      const feed = priceFeedOf(chainId, token)
      return feed && readers[chainId](feed)
    },
  }
}
