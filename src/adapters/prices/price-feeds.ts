import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, perChain } from '../../domain/chain/chain'
import { priceFeedOf } from '../../domain/money/price-feeds'
import type { PriceSource } from '../../ports/prices'
import type { Telemetry } from '../../ports/telemetry'
import { cachedCall } from '../evm/cached-call'
import { feedPrice } from '../evm/feeds/feed-price'
import { nodes } from '../evm/rpc/nodes'

type Settings = {
  rpcUrls: (chainId: ChainId) => readonly string[]
  timeoutMs?: number
  /** For so long everybody in this process who asks for a feed's price shares one reading of it. */
  sharedMs?: number
  telemetry: Telemetry
}

const feedsMax = 1_000

/** Chainlink's feeds, read on the token's own chain, independent of any routing provider. */
export function priceFeeds({ rpcUrls, timeoutMs = 3_000, sharedMs = 10_000, telemetry }: Settings): PriceSource {
  const readers = perChain((chainId) =>
    feedPrice(nodes({ chainId, rpcUrls: rpcUrls(chainId), timeoutMs, isAnswer: () => false, telemetry })),
  )
  const looks = new BoundedMap<string, () => Promise<bigint | null>>(feedsMax)
  return {
    name: 'chainlink',
    async priceUsd(chainId, token) {
      const feed = priceFeedOf(chainId, token)
      if (!feed) return null
      const key = `${chainId}:${feed.address}`
      const look = looks.get(key) ?? cachedCall(() => readers[chainId](feed), sharedMs)
      looks.set(key, look)
      return look()
    },
  }
}
