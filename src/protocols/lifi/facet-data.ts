import type { AbiParameter, AbiParameterToPrimitiveType } from 'viem'

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
