import { type Address, sameAddress } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import type { SwapData } from '../protocols/lifi/facet-data'
import type { Demand } from './function-rule'

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
