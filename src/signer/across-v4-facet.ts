import { sameAddress } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import { assetOf, wrappedNativeOf } from '../protocols/lifi/bridged-assets'
import { facet, isWordOf } from './bridge-facet'
import { limits } from './function-rule'

const whole = 10n ** 18n
const yearSeconds = 365 * 86_400

export const acrossV4 = facet({
  name: 'AcrossV4',
  tools: ['across'],
  guard: 'LifiAcrossGuard',
  data: {
    name: 'acrossData',
    type: 'tuple',
    components: [
      { name: 'receiverAddress', type: 'bytes32' },
      { name: 'refundAddress', type: 'bytes32' },
      { name: 'sendingAssetId', type: 'bytes32' },
      { name: 'receivingAssetId', type: 'bytes32' },
      { name: 'outputAmount', type: 'uint256' },
      { name: 'outputAmountMultiplier', type: 'uint128' },
      { name: 'exclusiveRelayer', type: 'bytes32' },
      { name: 'quoteTimestamp', type: 'uint32' },
      { name: 'fillDeadline', type: 'uint32' },
      { name: 'exclusivityParameter', type: 'uint32' },
      { name: 'message', type: 'bytes' },
    ],
  },
  objection(data, { amount, isAfterFee }, demand) {
    const { account, fromChainId, token, toChainId, tokenOut, recipient, minOut } = demand
    if (demand.nativeFee !== 0n) return 'needs no native fee'
    if (!isWordOf(data.receiverAddress, recipient)) return 'pays another recipient'
    if (!isWordOf(data.refundAddress, account)) return 'sends refunds to another account'
    if (!isNative(token) && !isWordOf(data.sendingAssetId, token)) return 'sends another token'
    // For wrapped native coin Across pays wallets the native coin itself, which is no delivery of the wrapped one.
    const wrapped = wrappedNativeOf(toChainId)
    const output = isNative(tokenOut) ? wrapped : tokenOut
    if (sameAddress(tokenOut, wrapped) || !isWordOf(data.receivingAssetId, output)) return 'delivers another token'
    const out = isAfterFee ? (amount * data.outputAmountMultiplier) / whole : data.outputAmount
    if (out < minOut) return 'delivers too little'
    if (data.message !== '0x') return 'carries a message'
    // A filler receives the bridged amount and fills nothing for less than the output, and a refund would be no more
    // than that amount.
    const asset = assetOf(fromChainId, token)
    if (asset !== null && asset === assetOf(toChainId, tokenOut) && amount < minOut) return 'bridges too little'
    return isFillable(data.fillDeadline, data.exclusivityParameter, demand.time) ? null : 'cannot be filled in time'
  },
})

/** The SpokePool reads an exclusivity of at most a year as an offset, and a larger one as a timestamp. */
function isFillable(deadline: number, exclusivity: number, time: number): boolean {
  const free = exclusivity > yearSeconds ? exclusivity : time + exclusivity
  const isSoonFree = free <= time + limits.exclusivityMax && deadline > free
  return isSoonFree && deadline > time && deadline <= time + limits.fillWindowMax
}
