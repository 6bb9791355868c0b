import { sameAddress } from '../domain/chain/hex'
import { endpointIdOf, stargateTokenOf } from '../protocols/lifi/bridged-assets'
import { facet, isWordOf } from './bridge-facet'

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
