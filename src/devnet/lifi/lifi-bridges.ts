import { type Hex, pad, zeroAddress } from 'viem'
import { chainOf, chains } from '../../domain/chain/chain'
import { endpointIdOf } from '../../protocols/lifi/diamond'
import { devnetWrappedNativeOf, type PricedToken } from '../chains/tokens'
import { bridgeCall } from './lifi-calls'
import type { LifiBridge } from './quote-request'

const whole = 10n ** 18n
const none: Hex = `0x${'0'.repeat(64)}`
const isOnAvalanche = (...tokens: PricedToken[]): boolean =>
  tokens.some(({ chainId }) => chainId === chains.avalanche.id)
const areUsdc = (from: PricedToken, to: PricedToken): boolean => from.symbol === 'USDC' && to.symbol === 'USDC'
const areEther = (...tokens: PricedToken[]): boolean =>
  tokens.every(({ address, chainId }) => address === zeroAddress && chainOf(chainId).native.symbol === 'ETH')

/**
 * Carries every token except the wrapped coin, which Across pays out to wallets as the coin itself. USDC to or from
 * Avalanche, where Across is not deployed, is left to the other bridges.
 */
const across: LifiBridge = {
  key: 'across',
  name: 'AcrossV4',
  nativeFeeWei: 0n,
  carries: (from, to) =>
    to.address !== devnetWrappedNativeOf(to.chainId).address && !(areUsdc(from, to) && isOnAvalanche(from, to)),
  offer(request, transactionId, costs) {
    const { net, fee, output, deadline } = costs
    const { toToken } = request
    const received = toToken.address === zeroAddress ? devnetWrappedNativeOf(toToken.chainId) : toToken
    // After a fee the Diamond multiplies the rest to get the output.
    const multiplier = (output * whole + net - 1n) / net
    const data = bridgeCall(['AcrossV4', 'across'], request, transactionId, costs, {
      receiverAddress: pad(request.toAddress),
      refundAddress: pad(request.fromAddress),
      sendingAssetId: pad(request.fromToken.address),
      receivingAssetId: pad(received.address),
      outputAmount: output,
      outputAmountMultiplier: multiplier,
      exclusiveRelayer: none,
      quoteTimestamp: costs.now,
      fillDeadline: deadline,
      exclusivityParameter: 0,
      message: '0x',
    })
    return { output: fee === 0n ? output : (net * multiplier) / whole, data }
  },
}

/** Takes a messaging fee in native coin, and carries amounts of the coin itself rounded down to six decimals. */
const stargate = (key: string, name: string, oftCmd: Hex, nativeFeeWei: bigint): LifiBridge => ({
  key,
  name,
  nativeFeeWei,
  carries: (from, to) => areUsdc(from, to) || areEther(from, to),
  offer(request, transactionId, costs) {
    const native = request.fromToken.address === zeroAddress
    const sendParams = {
      dstEid: endpointIdOf(request.toChain),
      to: pad(request.toAddress),
      amountLD: costs.net,
      minAmountLD: costs.minimum,
      extraOptions: '0x',
      composeMsg: '0x',
      oftCmd,
    }
    const fee = { nativeFee: nativeFeeWei, lzTokenFee: 0n }
    const facetData = { assetId: native ? 13 : 1, sendParams, fee, refundAddress: request.fromAddress }
    const output = native ? costs.net - (costs.net % 10n ** 12n) : costs.net
    return { output, data: bridgeCall(['Stargate', key], request, transactionId, costs, facetData) }
  },
})

const polymer: LifiBridge = {
  key: 'polymerStandard',
  name: 'Polymer (Standard)',
  nativeFeeWei: 0n,
  carries: areUsdc,
  offer(request, transactionId, costs) {
    const facetData = {
      polymerTokenFee: 0n,
      maxCCTPFee: 0n,
      nonEVMReceiver: none,
      solanaReceiverATA: none,
      minFinalityThreshold: 2000,
      refundRecipient: request.fromAddress,
      hookData: '0x',
    }
    const data = bridgeCall(['PolymerCCTP', polymer.key], request, transactionId, costs, facetData)
    return { output: costs.net, data }
  },
}

/** The bridges, which share one pool of money. The first allowed bridge that carries the tokens is quoted. */
export const lifiBridges: readonly LifiBridge[] = [
  across,
  stargate('stargateV2', 'Stargate V2 (Fast mode)', '0x', 2n * 10n ** 13n),
  stargate('stargateV2Bus', 'Stargate V2 (Bus mode)', '0x00', 10n ** 13n),
  polymer,
]

/** Whether the `allowBridges` and `denyBridges` of a request admit the bridge, by LI.FI's rules. */
export function isAllowed({ key }: LifiBridge, allowed: string | null, denied: string | null): boolean {
  const names = (list: string | null) => (list ?? '').split(',').filter((name) => name !== '')
  const isIn = (list: string[]) => list.includes(key) || list.includes('all')
  const allow = names(allowed)
  return (allow.length === 0 || isIn(allow) || allow.includes('default')) && !isIn(names(denied))
}
