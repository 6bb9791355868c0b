import { type ChainId, type ChainKey, chainKeys, chains } from '../chain/chain'
import type { Address } from '../chain/hex'
import { tokenNamed } from './pinned-tokens'

type Symbols = readonly string[]

/**
 * Tokens that are one asset: a coin and its wrapped form, and tokens that their issuer redeems one for one. Tokens that
 * a bridge minted for an asset (USDC.e, WETH on Polygon) are not among them: they are worth what that bridge is worth,
 * so they have a price of their own. The issuer of Tether has none on Base.
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

/** Returns the asset of a token and the token's decimals; null for a token that has a price of its own. */
export const assetOf = (chainId: ChainId, token: Address): Asset | null => byToken.get(keyOf(chainId, token)) ?? null

function keyOf(chainId: ChainId, token: Address): string {
  return `${chainId}:${token.toLowerCase()}`
}
