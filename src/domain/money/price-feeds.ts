import { type ChainId, type ChainKey, chainKeys, chains, network } from '../chain/chain'
import type { Address } from '../chain/hex'
import { tokenBySymbol } from './token'

/**
 * Chainlink feed of a price in USD. Its description on chain must be one of `pairs`; otherwise the address is another
 * feed.
 */
export type PriceFeed = { chainId: ChainId; address: Address; pairs: readonly string[]; heartbeatSeconds: number }

type Row = readonly [symbols: string, pairs: string, heartbeatSeconds: number, address: Address]

/** Feeds for the native coins and the tokens of most deposits. Source: Chainlink's address lists. */
const mainnet: Record<ChainKey, readonly Row[]> = {
  base: [
    ['ETH WETH', 'ETH / USD', 1_200, '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70'],
    ['USDC', 'USDC / USD', 86_400, '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B'],
    ['USDT', 'USDT / USD', 86_400, '0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9'],
  ],
  ethereum: [
    ['ETH WETH', 'ETH / USD', 3_600, '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419'],
    ['USDC', 'USDC / USD', 86_400, '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6'],
    ['USDT', 'USDT / USD', 86_400, '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D'],
  ],
  polygon: [
    ['POL WPOL', 'POL / USD,MATIC / USD', 86_400, '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0'],
    ['WETH', 'ETH / USD', 86_400, '0xF9680D99D6C9589e2a93a78A04A279e509205945'],
    ['USDC', 'USDC / USD', 86_400, '0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7'],
    ['USDT', 'USDT / USD', 86_400, '0x0A6513e40db6EB1b165753AD52E80663aeA50545'],
  ],
  arbitrum: [
    ['ETH WETH', 'ETH / USD', 86_400, '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612'],
    ['USDC', 'USDC / USD', 86_400, '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3'],
    ['USDT', 'USDT / USD', 86_400, '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7'],
  ],
  avalanche: [
    ['AVAX WAVAX', 'AVAX / USD', 86_400, '0x0A77230d17318075983913bC2145DB16C7366156'],
    ['WETH.e', 'ETH / USD', 86_400, '0x976B3D034E162d8bD72D6b9C989d545b839003b0'],
    ['USDC', 'USDC / USD', 86_400, '0xF096872672F44d6EBA71458D74fe67F9a77a23B9'],
    ['USDt', 'USDT / USD', 86_400, '0xEBE676ee90Fe1112671f19b6B7459bC678B67e8a'],
  ],
}

/** On the test networks feeds are updated only on request, so any of them can be a day old. */
const testnet: Record<ChainKey, readonly Row[]> = {
  base: [
    ['ETH WETH', 'ETH / USD', 86_400, '0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1'],
    ['USDC', 'USDC / USD', 86_400, '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165'],
  ],
  ethereum: [
    ['ETH WETH', 'ETH / USD', 86_400, '0x694AA1769357215DE4FAC081bf1f309aDC325306'],
    ['USDC', 'USDC / USD', 86_400, '0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E'],
  ],
  polygon: [
    ['POL WPOL', 'POL / USD,MATIC / USD', 86_400, '0x001382149eBa3441043c1c66972b4772963f5D43'],
    ['USDC', 'USDC / USD', 86_400, '0x1b8739bB4CdF0089d07097A9Ae5Bd274b29C6F16'],
  ],
  arbitrum: [
    ['ETH WETH', 'ETH / USD', 86_400, '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165'],
    ['USDC', 'USDC / USD', 86_400, '0x0153002d20B96532C639313c2d54c3dA09109309'],
  ],
  avalanche: [
    ['AVAX WAVAX', 'AVAX / USD', 86_400, '0x5498BB86BC934c8D34FDA08E81D444153d0D06aD'],
    ['USDC', 'USDC / USD', 86_400, '0x97FE42a7E96640D932bbc0e1580c73E705A8EB73'],
  ],
}

const rows = network === 'testnet' ? testnet : mainnet

/** All feeds, with the tokens that each feed prices. */
export const priceFeeds = chainKeys.flatMap((key) =>
  rows[key].map(([symbols, pairs, heartbeatSeconds, address]) => {
    const { id } = chains[key]
    const tokens = symbols.split(' ').map((symbol) => tokenBySymbol(id, symbol).address)
    return { chainId: id, address, pairs: pairs.split(','), heartbeatSeconds, tokens }
  }),
)

const byToken = new Map<string, PriceFeed>(
  priceFeeds.flatMap((feed) => feed.tokens.map((token) => [`${feed.chainId}:${token.toLowerCase()}`, feed] as const)),
)

export const priceFeedOf = (chainId: ChainId, token: Address): PriceFeed | null =>
  byToken.get(`${chainId}:${token.toLowerCase()}`) ?? null
