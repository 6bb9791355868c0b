import { feedPrices } from '../../adapters/evm/feeds/feed-price'
import { rpcError } from '../../adapters/evm/rpc/error'
import { nodes } from '../../adapters/evm/rpc/nodes'
import { tokenMetadata } from '../../adapters/evm/token-metadata'
import { noTelemetry } from '../../adapters/no-telemetry'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { priceFeeds } from '../../domain/money/price-feeds'
import { isNative, type TokenList } from '../../domain/money/token'
import type { Loaded } from '../process/base'
import { type Area, about, codeOf, type Finding } from './finding'
import type { RecordedResponses } from './recorded-responses'

const timeoutMs = 10_000

/** Checks the price feeds and the listed tokens of each chain. */
export function pricesOf({ secrets }: Loaded, tokens: TokenList, kept: RecordedResponses): Area {
  async function ofChain(key: ChainKey): Promise<Finding[]> {
    const { id, name } = chains[key]
    const settings = { chainId: id, rpcUrls: secrets.rpcUrls[key], timeoutMs, isAnswer: () => false }
    const ask = kept.ofNode(`${name}, prices`, nodes({ ...settings, telemetry: noTelemetry }))
    const pricesOf = feedPrices(ask, id)
    const metadata = tokenMetadata(ask)

    const ofFeed = async (feed: (typeof priceFeeds)[number]): Promise<Finding> => {
      const { good, bad, unknown } = about('price-feed', `${name}, ${feed.pairs[0]}`)
      return pricesOf([feed]).then(
        ([price = null]) =>
          price === null
            ? bad(
                'The feed has no fresh price, or it is another feed.',
                'Compare its address with Chainlink’s list; without it, one source fewer confirms the value of an order.',
              )
            : good('The feed has a fresh price.'),
        (error) => unknown(`The feed could not be read (${codeOf(rpcError(error))}).`, 'Run the doctor again.'),
      )
    }
    const ofToken = async ({ address, symbol, decimals }: (typeof tokens.all)[number]): Promise<Finding> => {
      const { good, bad, unknown } = about('token', `${name}, ${symbol}`)
      return metadata(address).then(
        (said) =>
          said?.decimals === decimals
            ? good(`The token has ${decimals} decimals, as listed.`)
            : bad(
                said
                  ? `The token has ${said.decimals} decimals, not ${decimals}.`
                  : 'There is no token at its address.',
                'Correct it in TOKEN_LIST; a pinned token that differs is a reason to stop.',
              ),
        (error) => unknown(`The token could not be read (${codeOf(rpcError(error))}).`, 'Run the doctor again.'),
      )
    }
    const feeds = priceFeeds.filter(({ chainId }) => chainId === id)
    const listed = tokens.all.filter(({ chainId, address }) => chainId === id && !isNative(address))
    return Promise.all([...feeds.map(ofFeed), ...listed.map(ofToken)])
  }

  return { name: 'Prices and tokens', examine: async () => (await Promise.all(chainKeys.map(ofChain))).flat() }
}
