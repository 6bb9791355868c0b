import { type ChainId, type ChainKey, chainOf, chains } from '../chain/chain'
import type { Address } from '../chain/hex'
import { nativeToken, type Token } from './token'

type Row = readonly [symbol: string, name: string, decimals: number, address: Address]

/**
 * Tokens that are part of the code. Source: Uniswap's default list, Across's constants and Aave's address book, which
 * agree.
 */
const rows: Record<ChainKey, readonly Row[]> = {
  base: [
    ['USDC', 'USD Coin', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    ['USDbC', 'USD Base Coin', 6, '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA'],
    ['USDT', 'Tether USD', 6, '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'],
    ['WETH', 'Wrapped Ether', 18, '0x4200000000000000000000000000000000000006'],
  ],
  ethereum: [
    ['USDC', 'USD Coin', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
    ['USDT', 'Tether USD', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['WETH', 'Wrapped Ether', 18, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
  ],
  polygon: [
    ['USDC', 'USD Coin', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
    ['USDC.e', 'Bridged USD Coin', 6, '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'],
    ['USDT', 'Tether USD', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
    ['WPOL', 'Wrapped POL', 18, '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270'],
    ['WETH', 'Wrapped Ether', 18, '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'],
  ],
  arbitrum: [
    ['USDC', 'USD Coin', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
    ['USDC.e', 'Bridged USD Coin', 6, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'],
    ['USDT', 'Tether USD', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
    ['WETH', 'Wrapped Ether', 18, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'],
  ],
  avalanche: [
    ['USDC', 'USD Coin', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'],
    ['USDt', 'Tether USD', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'],
    ['WAVAX', 'Wrapped AVAX', 18, '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7'],
    ['WETH.e', 'Wrapped Ether', 18, '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB'],
  ],
}

export const pinnedTokens: readonly Token[] = Object.entries(rows).flatMap(([key, ofChain]) =>
  ofChain.map(([symbol, name, decimals, address]) => ({
    chainId: chains[key as ChainKey].id,
    symbol,
    name,
    decimals,
    address,
  })),
)

/** Returns the token with this symbol on this chain, including the chain's native coin. */
export const tokenNamed = (chainId: ChainId, symbol: string): Token =>
  symbol === chainOf(chainId).native.symbol
    ? nativeToken(chainId)
    : pinnedTokens.find((token) => token.chainId === chainId && token.symbol === symbol)!
