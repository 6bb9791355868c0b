import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, perChain } from '../../domain/chain/chain'
import { zeroAddress } from '../../domain/chain/hex'
import { type PriceFeed, priceFeedOf } from '../../domain/money/price-feeds'
import type { Telemetry } from '../../ports/observing'
import type { PriceSource } from '../../ports/prices'
import { feedPrices } from '../evm/feeds/feed-price'
import { nodes } from '../evm/rpc/nodes'

type Settings = {
  rpcUrls: (chainId: ChainId) => readonly string[]
  timeoutMs?: number
  /** How long all callers in this process share one reading of a feed, in milliseconds. */
  sharedMs?: number
  telemetry: Telemetry
}

const feedsMax = 1_000

type FeedRead = { price: Promise<bigint | null>; until: number }

/**
 * Chainlink's feeds, read on the token's own chain, independent of any routing provider. One call reads the token's
 * feed and the feed of the chain's coin, because a caller that needs a token's price needs the coin's price for gas
 * too.
 */
export function priceFeeds({ rpcUrls, timeoutMs = 3_000, sharedMs = 10_000, telemetry }: Settings): PriceSource {
  const readers = perChain((chainId) =>
    feedPrices(nodes({ chainId, rpcUrls: rpcUrls(chainId), timeoutMs, isAnswer: () => false, telemetry }), chainId),
  )
  const feedReads = new BoundedMap<string, FeedRead>(feedsMax)
  const keyOf = ({ chainId, address }: PriceFeed) => `${chainId}:${address}`
  const isCached = (feed: PriceFeed): boolean =>
    (feedReads.get(keyOf(feed))?.until ?? Number.NEGATIVE_INFINITY) > performance.now()

  function read(chainId: ChainId, feeds: readonly PriceFeed[]): void {
    const all = readers[chainId](feeds)
    for (const [n, feed] of feeds.entries()) {
      const entry = { price: all.then((prices) => prices[n]!), until: Number.POSITIVE_INFINITY }
      feedReads.set(keyOf(feed), entry)
      entry.price.then(
        () => {
          entry.until = performance.now() + sharedMs
        },
        () => {
          entry.until = 0
        },
      )
    }
  }

  return {
    name: 'chainlink',
    async priceUsd(chainId, token) {
      const feed = priceFeedOf(chainId, token)
      if (!feed) return null
      const ofCoin = priceFeedOf(chainId, zeroAddress)
      if (!isCached(feed)) read(chainId, ofCoin && ofCoin !== feed && !isCached(ofCoin) ? [feed, ofCoin] : [feed])
      return feedReads.get(keyOf(feed))!.price
    },
  }
}
