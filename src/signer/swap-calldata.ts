import { type AbiParameter, decodeAbiParameters, encodeAbiParameters } from 'viem'
import type { Hex } from '../domain/hex'
import type { Demand } from './route-rules'
import { sameAddress } from './same-address'

/** The arguments of LI.FI's generic swaps, LibSwap.SwapData among them. */
const parameters = [
  { name: 'transactionId', type: 'bytes32' },
  { name: 'integrator', type: 'string' },
  { name: 'referrer', type: 'string' },
  { name: 'receiver', type: 'address' },
  { name: 'minAmountOut', type: 'uint256' },
  {
    name: 'swapData',
    type: 'tuple[]',
    components: [
      { name: 'callTo', type: 'address' },
      { name: 'approveTo', type: 'address' },
      { name: 'sendingAssetId', type: 'address' },
      { name: 'receivingAssetId', type: 'address' },
      { name: 'fromAmount', type: 'uint256' },
      { name: 'callData', type: 'bytes' },
      { name: 'requiresDeposit', type: 'bool' },
    ],
  },
] as const satisfies AbiParameter[]

/** Which exchanges are used is LI.FI's to say: token out and minimum are measured by the executor after the call. */
export function swapFacet(data: Hex, demand: Demand): string | null {
  const encoded: Hex = `0x${data.slice(10)}`
  const decoded = decodeAbiParameters(parameters, encoded)
  if (encodeAbiParameters(parameters, decoded) !== encoded) return 'is encoded in an unusual way'
  const [, , , receiver, minAmountOut, swaps] = decoded
  const [first, ...others] = swaps
  if (!first) return 'swaps nothing'
  if (!sameAddress(receiver, demand.recipient)) return 'pays another recipient'
  if (!sameAddress(first.sendingAssetId, demand.token)) return 'sends another token'
  if (first.fromAmount !== demand.amount) return 'sends another amount'
  if (others.some(({ requiresDeposit }) => requiresDeposit)) return 'takes from the account twice'
  if (!sameAddress(swaps.at(-1)!.receivingAssetId, demand.tokenOut)) return 'delivers another token'
  return minAmountOut < demand.minOut ? 'delivers too little' : null
}
