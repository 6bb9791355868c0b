import type { AbiParameter } from 'viem'
import { toFunctionSelector } from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../domain/chain/hex'
import { isNative, isSameToken } from '../domain/money/token'
import { type SwapData, swapData, swapDataList } from '../protocols/lifi/diamond'
import { type Demand, decodeStrictly, type FunctionRule, type Reader, unusual } from './function-rule'

const head = [
  { name: 'transactionId', type: 'bytes32' },
  { name: 'integrator', type: 'string' },
  { name: 'referrer', type: 'string' },
  { name: 'receiver', type: 'address' },
  { name: 'minAmountOut', type: 'uint256' },
] as const satisfies AbiParameter[]
const single = [...head, swapData] as const
const multiple = [...head, swapDataList] as const

/** LI.FI chooses the exchanges. After the call, the executor verifies that the minimum of the output token arrived. */
function objection(receiver: Hex, minAmountOut: bigint, swaps: readonly SwapData[], demand: Demand): string | null {
  if (demand.nativeFee !== 0n) return 'needs no native fee'
  if (demand.toChainId !== demand.fromChainId) return 'goes to another chain'
  // A direct payment would pay the token in full, but a swap could keep everything above the minimum.
  if (isSameToken(demand.fromChainId, demand.token, demand.tokenOut)) return 'swaps a token for itself'
  if (!sameAddress(receiver, demand.recipient)) return 'pays another recipient'
  if (minAmountOut < demand.minOut) return 'delivers too little'
  const taking = takingObjection(swaps, demand)
  if (taking) return taking
  return sameAddress(swaps.at(-1)!.receivingAssetId, demand.tokenOut) ? null : 'delivers another token'
}

/** A single swap always takes its amount, even if its data do not state it. */
function singleObjection(data: Hex, demand: Demand): string | null {
  const decoded = decodeStrictly(single, data)
  if (!decoded) return unusual
  const [, , , receiver, minAmountOut, swap] = decoded
  const other = objection(receiver, minAmountOut, [{ ...swap, requiresDeposit: true }], demand)
  return other ?? (swap.fromAmount === demand.amount ? null : 'sends another amount')
}

function multipleObjection(data: Hex, demand: Demand): string | null {
  const decoded = decodeStrictly(multiple, data)
  if (!decoded) return unusual
  const [, , , receiver, minAmountOut, swaps] = decoded
  return objection(receiver, minAmountOut, swaps, demand)
}

const rule = (name: string, inputs: readonly AbiParameter[], reader: Reader): FunctionRule => ({
  kind: 'SWAP',
  guard: 'LifiSwapGuard',
  objection: reader,
  selector: toFunctionSelector({ type: 'function', name, inputs, outputs: [], stateMutability: 'payable' }),
})

/** LI.FI's GenericSwapFacetV3. */
export const swapRules: readonly FunctionRule[] = ['ERC20ToERC20', 'ERC20ToNative', 'NativeToERC20'].flatMap((pair) => [
  rule(`swapTokensSingleV3${pair}`, single, singleObjection),
  rule(`swapTokensMultipleV3${pair}`, multiple, multipleObjection),
])

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
  if (feesOnly && !swaps.every(isFeeOf(token))) return 'contains a swap that is not LI.FI’s fee'
  if (deposits.some(({ sendingAssetId }) => !sameAddress(sendingAssetId, token))) return 'sends another token'
  const totalRaw = deposits.reduce((sum, { fromAmount }) => sum + fromAmount, 0n)
  // For native coin the value of the call is taken, regardless of the data.
  return (isNative(token) ? totalRaw > amount : totalRaw !== amount) ? 'sends another amount' : null
}
