import { sameAddress, zeroAddress } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import { assetOf, endpointIdOf, stargateTokenOf, usdcOf, wrappedNativeOf } from '../protocols/lifi/bridged-assets'
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

export const stargateV2 = facet({
  name: 'Stargate',
  tools: ['stargateV2', 'stargateV2Bus'],
  guard: 'LifiStargateGuard',
  // Its messages use six decimals, and any remainder comes back to the account in the same transaction.
  nativeDustWei: 10n ** 12n,
  data: {
    name: 'stargateData',
    type: 'tuple',
    components: [
      { name: 'assetId', type: 'uint16' },
      {
        name: 'sendParams',
        type: 'tuple',
        components: [
          { name: 'dstEid', type: 'uint32' },
          { name: 'to', type: 'bytes32' },
          { name: 'amountLD', type: 'uint256' },
          { name: 'minAmountLD', type: 'uint256' },
          { name: 'extraOptions', type: 'bytes' },
          { name: 'composeMsg', type: 'bytes' },
          { name: 'oftCmd', type: 'bytes' },
        ],
      },
      {
        name: 'fee',
        type: 'tuple',
        components: [
          { name: 'nativeFee', type: 'uint256' },
          { name: 'lzTokenFee', type: 'uint256' },
        ],
      },
      { name: 'refundAddress', type: 'address' },
    ],
  },
  objection({ assetId, sendParams, fee, refundAddress }, _bridged, demand) {
    const [sent, delivered] = [demand.fromChainId, demand.toChainId].map((id) => stargateTokenOf(assetId, id))
    if (!sent || !sameAddress(sent, demand.token)) return 'sends another token'
    if (!delivered || !sameAddress(delivered, demand.tokenOut)) return 'delivers another token'
    if (fee.nativeFee !== demand.nativeFee) return 'pays another native fee'
    if (fee.lzTokenFee !== 0n) return 'pays in another token'
    if (!sameAddress(refundAddress, demand.account)) return 'sends refunds to another account'
    if (sendParams.dstEid !== endpointIdOf(demand.toChainId)) return 'goes to another chain'
    if (!isWordOf(sendParams.to, demand.recipient)) return 'pays another recipient'
    // In the decimals of the source, which equal those of the destination.
    if (sendParams.minAmountLD < demand.minOut) return 'delivers too little'
    // Options may send native coin to anybody. An empty command is immediate delivery, and one byte is the bus.
    const isPlain = sendParams.extraOptions === '0x' && sendParams.composeMsg === '0x' && sendParams.oftCmd.length <= 4
    return isPlain ? null : 'carries a message'
  },
})

/** Circle's USDC, burnt on one chain and minted on the other to the receiver that every facet names. */
export const polymerCctp = facet({
  name: 'PolymerCCTP',
  tools: ['polymer', 'polymerStandard'],
  guard: 'LifiPolymerGuard',
  data: {
    name: 'polymerData',
    type: 'tuple',
    components: [
      { name: 'polymerTokenFee', type: 'uint256' },
      { name: 'maxCCTPFee', type: 'uint256' },
      { name: 'nonEVMReceiver', type: 'bytes32' },
      { name: 'solanaReceiverATA', type: 'bytes32' },
      { name: 'minFinalityThreshold', type: 'uint32' },
      { name: 'refundRecipient', type: 'address' },
      { name: 'hookData', type: 'bytes' },
    ],
  },
  objection(data, { amount, isAfterFee }, demand) {
    const { account, fromChainId, token, toChainId, tokenOut, minOut } = demand
    if (demand.nativeFee !== 0n) return 'needs no native fee'
    if (!sameAddress(tokenOut, usdcOf(toChainId))) return 'delivers another token'
    if (!sameAddress(token, usdcOf(fromChainId))) return 'sends another token'
    const isRefunded = sameAddress(data.refundRecipient, account)
    if (!isRefunded && (isAfterFee || data.refundRecipient !== zeroAddress)) return 'sends refunds to another account'
    if (amount - data.polymerTokenFee - data.maxCCTPFee < minOut) return 'delivers too little'
    if (BigInt(data.nonEVMReceiver) !== 0n || BigInt(data.solanaReceiverATA) !== 0n) return 'pays another recipient'
    return data.hookData === '0x' ? null : 'carries a message'
  },
})
