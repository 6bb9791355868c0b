import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'
import { type AssetName, assetNameOf, tokenOfAsset } from './pinned-tokens'

export type Asset = { name: AssetName; decimals: number }

/** Returns the asset of a token and the token's decimals; null for a token that has a price of its own. */
export function assetOf(chainId: ChainId, token: Address): Asset | null {
  const name = assetNameOf(chainId, token)
  return name && { name, decimals: tokenOfAsset(chainId, name)!.decimals }
}
