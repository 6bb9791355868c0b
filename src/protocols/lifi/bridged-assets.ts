import { type ChainId, type ChainKey, chainKeyOf, chainOf } from '../../domain/chain/chain'
import { type Address, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { pinnedTokens } from '../../domain/money/pinned-tokens'
import { isNative } from '../../domain/money/token'

const pinned = (chainId: ChainId, symbol: string): Address | null =>
  pinnedTokens.find((token) => token.chainId === chainId && token.symbol.toUpperCase() === symbol)?.address ?? null

/** Circle's own, not a bridged one. */
export const usdcOf = (chainId: ChainId): Address => pinned(chainId, 'USDC')!

export const wrappedNativeOf = (chainId: ChainId): Address => pinned(chainId, `W${chainOf(chainId).native.symbol}`)!

/** What a Stargate asset is on a chain, or null where there is none. Decimals are the same on all of them. */
export function stargateTokenOf(assetId: number, chainId: ChainId): Address | null {
  if (assetId === 1) return usdcOf(chainId)
  if (assetId === 2) return chainKeyOf(chainId) === 'base' ? null : pinned(chainId, 'USDT')
  return assetId === 13 && chainOf(chainId).native.symbol === 'ETH' ? zeroAddress : null
}

/**
 * What a token is whatever the chain, by Stargate's numbers; null where it is not known. One asset has as many decimals
 * on all these chains, so amounts of it compare as they are.
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

/** LayerZero's number of a chain. */
export const endpointIdOf = (chainId: ChainId): number => endpointIds[chainKeyOf(chainId)]
