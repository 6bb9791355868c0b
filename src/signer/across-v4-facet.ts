import { isNative } from '../domain/token'
import { facet, isWordOf } from './bridge-facet'
import { wrappedNativeOf } from './bridged-assets'
import { sameAddress } from './same-address'

const whole = 10n ** 18n

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
  objection(data, { amount, isAfterFee }, { account, token, toChainId, tokenOut, recipient, minOut }) {
    if (!isWordOf(data.receiverAddress, recipient)) return 'pays another recipient'
    if (!isWordOf(data.refundAddress, account)) return 'sends refunds to another account'
    if (!isNative(token) && !isWordOf(data.sendingAssetId, token)) return 'sends another token'
    // Of the wrapped coin wallets are given the coin itself: it is no delivery of the wrapped one.
    const wrapped = wrappedNativeOf(toChainId)
    const output = isNative(tokenOut) ? wrapped : tokenOut
    if (sameAddress(tokenOut, wrapped) || !isWordOf(data.receivingAssetId, output)) return 'delivers another token'
    const out = isAfterFee ? (amount * data.outputAmountMultiplier) / whole : data.outputAmount
    if (out < minOut) return 'delivers too little'
    return data.message === '0x' ? null : 'carries a message'
  },
})
