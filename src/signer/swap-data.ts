import { type Address, sameAddress } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import type { SwapData } from '../protocols/lifi/facet-data'
import type { Demand } from './function-rule'

/** "Swaps" from a token to itself are how LI.FI takes its fee. */
const isFeeOf =
  (token: Address) =>
  ({ sendingAssetId, receivingAssetId }: SwapData): boolean =>
    sameAddress(sendingAssetId, token) && sameAddress(receivingAssetId, token)

/** What swaps take from the account otherwise than demanded, or null. With `feesOnly` nothing is exchanged. */
export function takingObjection(
  swaps: readonly SwapData[],
  { token, amount }: Demand,
  { feesOnly = false } = {},
): string | null {
  const deposits = swaps.filter(({ requiresDeposit }) => requiresDeposit)
  if (swaps.length === 0) return 'swaps nothing'
  if (feesOnly && !swaps.every(isFeeOf(token))) return 'swaps on the way'
  if (deposits.some(({ sendingAssetId }) => !sameAddress(sendingAssetId, token))) return 'sends another token'
  const taken = deposits.reduce((sum, { fromAmount }) => sum + fromAmount, 0n)
  // Of the native coin it is the value of the call that is taken, whatever is written here.
  return (isNative(token) ? taken > amount : taken !== amount) ? 'sends another amount' : null
}
