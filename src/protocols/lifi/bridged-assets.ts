import { type ChainId, type ChainKey, chainKeyOf, chainOf } from '../../domain/chain/chain'
import { type Address, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { pinnedTokens } from '../../domain/money/pinned-tokens'
import { isNative } from '../../domain/money/token'

const pinned = (chainId: ChainId, symbol: string): Address | null =>
  pinnedTokens.find((token) => token.chainId === chainId && token.symbol.toUpperCase() === symbol)?.address ?? null

/** Circle's own USDC and not a bridged one. */
export const usdcOf = (chainId: ChainId): Address => pinned(chainId, 'USDC')!

export const wrappedNativeOf = (chainId: ChainId): Address => pinned(chainId, `W${chainOf(chainId).native.symbol}`)!

/** The token of a Stargate asset on a chain, or null when there is none. Its decimals are the same on all chains. */
export function stargateTokenOf(assetId: number, chainId: ChainId): Address | null {
  if (assetId === 1) return usdcOf(chainId)
  if (assetId === 2) return chainKeyOf(chainId) === 'base' ? null : pinned(chainId, 'USDT')
  return assetId === 13 && chainOf(chainId).native.symbol === 'ETH' ? zeroAddress : null
}

/**
 * The asset that a token represents on any chain, by Stargate's numbers; null when it is unknown. An asset has the same
 * decimals on all these chains, so its amounts compare directly.
 */
export function assetOf(chainId: ChainId, token: Address): number | null {
  const isCoin = isNative(token) || sameAddress(token, wrappedNativeOf(chainId))
  if (isCoin) return chainOf(chainId).native.symbol === 'ETH' ? 13 : null
  return [1, 2].find((id) => sameAddress(stargateTokenOf(id, chainId) ?? zeroAddress, token)) ?? null
}

const endpointIds: Record<ChainKey, number> = {
  base: 30184,
  ethereum: 30101,
  polygon: 30109,
  arbitrum: 30110,
  avalanche: 30106,
}

/** LayerZero's endpoint id of a chain. */
export const endpointIdOf = (chainId: ChainId): number => endpointIds[chainKeyOf(chainId)]
