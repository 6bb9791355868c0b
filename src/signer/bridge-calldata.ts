import { type AbiParameter, decodeAbiParameters, encodeAbiParameters, toFunctionSelector } from 'viem'
import type { Hex } from '../domain/hex'
import type { Demand } from './route-rules'
import { sameAddress } from './same-address'

/** LI.FI's ILiFi.BridgeData, the first argument of its bridge facets. */
const bridgeData = {
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

const devBridgeData = {
  type: 'tuple',
  components: [
    { name: 'outputToken', type: 'address' },
    { name: 'outputAmount', type: 'uint256' },
    { name: 'minOutputAmount', type: 'uint256' },
    { name: 'fillDeadline', type: 'uint64' },
  ],
} as const satisfies AbiParameter

const parameters = [bridgeData, devBridgeData] as const

const common = '(bytes32,string,string,address,address,address,uint256,uint256,bool,bool)'

/** A facet all of whose arguments are read: what is to come out on the other side too. */
export const bridgeFacet = {
  selector: toFunctionSelector(`startBridgeTokensViaDevBridge(${common},(address,uint256,uint256,uint64))`),
  objection(data: Hex, demand: Demand): string | null {
    const encoded: Hex = `0x${data.slice(10)}`
    const [bridge, output] = decodeAbiParameters(parameters, encoded)
    // One meaning only: what a contract might read in another order or from another place is refused.
    if (encodeAbiParameters(parameters, [bridge, output]) !== encoded) return 'is encoded in an unusual way'
    if (!sameAddress(bridge.receiver, demand.recipient)) return 'pays another recipient'
    if (bridge.destinationChainId !== BigInt(demand.toChainId)) return 'goes to another chain'
    if (!sameAddress(bridge.sendingAssetId, demand.token)) return 'sends another token'
    if (bridge.minAmount !== demand.amount) return 'sends another amount'
    if (bridge.hasSourceSwaps || bridge.hasDestinationCall) return 'swaps or calls on the way'
    if (!sameAddress(output.outputToken, demand.tokenOut)) return 'delivers another token'
    if (output.minOutputAmount < demand.minOut || output.outputAmount < demand.minOut) return 'delivers too little'
    return null
  },
}
