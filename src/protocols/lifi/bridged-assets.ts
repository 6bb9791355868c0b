import { type ChainId, chainOf } from '../../domain/chain/chain'
import { type Address, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { isNative, tokenOfAsset, wrappedNativeOf } from '../../domain/money/token'

/** Circle's own USDC and not a bridged one. */
export const usdcOf = (chainId: ChainId): Address => tokenOfAsset(chainId, 'USD Coin')!.address

export const wrappedNativeAddressOf = (chainId: ChainId): Address => wrappedNativeOf(chainId).address

/** The token of a Stargate asset on a chain, or null when there is none. Its decimals are the same on all chains. */
export function stargateTokenOf(assetId: number, chainId: ChainId): Address | null {
  if (assetId === 1) return usdcOf(chainId)
  if (assetId === 2) return tokenOfAsset(chainId, 'Tether')?.address ?? null
  return assetId === 13 && chainOf(chainId).native.symbol === 'ETH' ? zeroAddress : null
}

/**
 * The asset that a token represents on any chain, by Stargate's numbers; null when it is unknown. An asset has the same
 * decimals on all these chains, so its amounts compare directly.
 */
export function stargateAssetOf(chainId: ChainId, token: Address): number | null {
  const isCoin = isNative(token) || sameAddress(token, wrappedNativeAddressOf(chainId))
  if (isCoin) return chainOf(chainId).native.symbol === 'ETH' ? 13 : null
  return [1, 2].find((id) => sameAddress(stargateTokenOf(id, chainId) ?? zeroAddress, token)) ?? null
}

/** LayerZero's endpoint id of a chain. */
export const endpointIdOf = (chainId: ChainId): number => chainOf(chainId).layerZeroEndpointId
