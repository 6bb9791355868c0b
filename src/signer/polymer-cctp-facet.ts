import { sameAddress, zeroAddress } from '../domain/chain/hex'
import { usdcOf } from '../protocols/lifi/bridged-assets'
import { facet } from './bridge-facet'

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
