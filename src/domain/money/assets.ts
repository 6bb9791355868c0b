import { type ChainId, type ChainKey, chainKeys, chains } from '../chain/chain'
import type { Address } from '../chain/hex'
import { tokenNamed } from './pinned-tokens'

type Symbols = readonly string[]

/**
 * Tokens that are one asset: a coin and its wrapped form, and what an issuer itself redeems one for one. What a bridge
 * has made of an asset (USDC.e, WETH on Polygon) is not among them: it is worth what that bridge is worth, so it has a
 * price. Base has no Tether of the issuer's own.
 */
const assets: Record<string, Partial<Record<ChainKey, Symbols>>> = {
  'USD Coin': Object.fromEntries(chainKeys.map((key) => [key, ['USDC']])),
  Tether: { ethereum: ['USDT'], polygon: ['USDT'], arbitrum: ['USDT'], avalanche: ['USDt'] },
  Ether: { base: ['ETH', 'WETH'], ethereum: ['ETH', 'WETH'], arbitrum: ['ETH', 'WETH'] },
  POL: { polygon: ['POL', 'WPOL'] },
  AVAX: { avalanche: ['AVAX', 'WAVAX'] },
}

export type Asset = { name: string; decimals: number }

const byToken = new Map<string, Asset>(
  Object.entries(assets).flatMap(([name, where]) =>
    Object.entries(where).flatMap(([key, symbols]) =>
      symbols!.map((symbol) => {
        const { chainId, address, decimals } = tokenNamed(chains[key as ChainKey].id, symbol)
        return [keyOf(chainId, address), { name, decimals }] as const
      }),
    ),
  ),
)

/** Which asset a token is, and in what units; null for all that has a price of its own. */
export const assetOf = (chainId: ChainId, token: Address): Asset | null => byToken.get(keyOf(chainId, token)) ?? null

function keyOf(chainId: ChainId, token: Address): string {
  return `${chainId}:${token.toLowerCase()}`
}
