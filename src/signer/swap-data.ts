import type { AbiParameter, AbiParameterToPrimitiveType } from 'viem'
import type { Address } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import type { Demand } from './route-rules'
import { sameAddress } from './same-address'

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

/** LI.FI takes its fee by "swaps" from a token to itself. */
const isFeeOf =
  (token: Address) =>
  ({ sendingAssetId, receivingAssetId }: SwapData): boolean =>
    sameAddress(sendingAssetId, token) && sameAddress(receivingAssetId, token)

/**
 * How the amounts that swaps take from the account differ from the demand, or null. With `feesOnly` no swap may
 * exchange anything.
 */
export function takingObjection(
  swaps: readonly SwapData[],
  { token, amount }: Demand,
  { feesOnly = false } = {},
): string | null {
  const deposits = swaps.filter(({ requiresDeposit }) => requiresDeposit)
  if (swaps.length === 0) return 'swaps nothing'
  if (feesOnly && !swaps.every(isFeeOf(token))) return 'swaps on the way'
  if (deposits.some(({ sendingAssetId }) => !sameAddress(sendingAssetId, token))) return 'sends another token'
  const totalRaw = deposits.reduce((sum, { fromAmount }) => sum + fromAmount, 0n)
  // For native coin the value of the call is taken, whatever the data state.
  return (isNative(token) ? totalRaw > amount : totalRaw !== amount) ? 'sends another amount' : null
}
