import type { AbiParameter, AbiParameterToPrimitiveType } from 'viem'
import type { Address } from '../../domain/chain/hex'

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
