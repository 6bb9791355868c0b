import type { AbiParameter, AbiParameterToPrimitiveType } from 'viem'
import { type ChainId, chainOf } from '../../domain/chain/chain'
import { type Address, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { isNative, tokenOfAsset, wrappedNativeOf } from '../../domain/money/token'

/** LI.FI's Diamond has one address on all five chains. */
export const lifiDiamond: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'

/** LI.FI's ILiFi.BridgeData, the first argument of its bridge facets. */
export const bridgeData = {
  name: 'bridgeData',
  type: 'tuple',
  components: [
    { name: 'transactionId', type: 'bytes32' },
    { name: 'bridge', type: 'string' },
    { name: 'integrator', type: 'string' },
    { name: 'referrer', type: 'address' },
    { name: 'sendingAssetId', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'minAmount', type: 'uint256' },
    { name: 'destinationChainId', type: 'uint256' },
    { name: 'hasSourceSwaps', type: 'bool' },
    { name: 'hasDestinationCall', type: 'bool' },
  ],
} as const satisfies AbiParameter

export type BridgeData = AbiParameterToPrimitiveType<typeof bridgeData>

/** LI.FI's LibSwap.SwapData. */
export const swapData = {
  name: 'swapData',
  type: 'tuple',
  components: [
    { name: 'callTo', type: 'address' },
    { name: 'approveTo', type: 'address' },
    { name: 'sendingAssetId', type: 'address' },
    { name: 'receivingAssetId', type: 'address' },
    { name: 'fromAmount', type: 'uint256' },
    { name: 'callData', type: 'bytes' },
    { name: 'requiresDeposit', type: 'bool' },
  ],
} as const satisfies AbiParameter

export const swapDataList = { ...swapData, type: 'tuple[]' } as const satisfies AbiParameter

export type SwapData = AbiParameterToPrimitiveType<typeof swapData>

/** Circle's own USDC, as opposed to a bridged USDC. */
export const usdcOf = (chainId: ChainId): Address => tokenOfAsset(chainId, 'USD Coin')!.address

export const wrappedNativeAddressOf = (chainId: ChainId): Address => wrappedNativeOf(chainId).address

/** The token of a Stargate asset on a chain, or null if there is none. Its decimals are the same on all chains. */
export function stargateTokenOf(assetId: number, chainId: ChainId): Address | null {
  if (assetId === 1) return usdcOf(chainId)
  if (assetId === 2) return tokenOfAsset(chainId, 'Tether')?.address ?? null
  return assetId === 13 && chainOf(chainId).native.symbol === 'ETH' ? zeroAddress : null
}

/**
 * The asset that a token represents on any chain, by Stargate's numbers; null if it is unknown. An asset has the same
 * decimals on all these chains, so its amounts compare directly.
 */
export function stargateAssetOf(chainId: ChainId, token: Address): number | null {
  const isCoin = isNative(token) || sameAddress(token, wrappedNativeAddressOf(chainId))
  if (isCoin) return chainOf(chainId).native.symbol === 'ETH' ? 13 : null
  return [1, 2].find((id) => sameAddress(stargateTokenOf(id, chainId) ?? zeroAddress, token)) ?? null
}

/** LayerZero's endpoint id of a chain. */
export const endpointIdOf = (chainId: ChainId): number => chainOf(chainId).layerZeroEndpointId
