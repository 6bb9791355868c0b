import type { AbiParameter, AbiParameterToPrimitiveType } from 'viem'
import { toFunctionSelector } from 'viem/utils'
import { type Address, sameAddress, zeroAddress } from '../domain/chain/hex'
import type { Offer } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { isNative } from '../domain/money/token'
import type { RouteRequest } from '../ports/gate'
import {
  type BridgeData,
  bridgeData,
  endpointIdOf,
  lifiDiamond,
  stargateAssetOf,
  stargateTokenOf,
  swapDataList,
  usdcOf,
  wrappedNativeAddressOf,
} from '../protocols/lifi/diamond'
import {
  type Demand,
  decodeStrictly,
  type FunctionRule,
  type GuardName,
  limits,
  type RouteRule,
  undecodable,
  unlisted,
  unusual,
} from './function-rule'
import { swapRules, takingObjection } from './swap-facet'

/** The bridged amount. After fees it is a minimum, because the Diamond reverts if less is left. */
type Bridged = { amount: bigint; isAfterFee: boolean }

type BridgeFacet = {
  /** The name in startBridgeTokensVia… */
  name: string
  /** LI.FI's keys of the facet. */
  tools: readonly string[]
  guard: GuardName
  /** Native coin that the bridge may leave over, in wei. */
  nativeDustWei?: bigint
  /** The facet's own argument, which is the last one. */
  data: AbiParameter
  /**
   * How the facet's own data differ from the demand, or null: in a second receiver, the refund, the minimum, a message
   * or the native fee.
   */
  objection(data: never, bridged: Bridged, demand: Demand): string | null
}

/** Ties the type of a facet's data to its reader. */
const facet = <const Data extends AbiParameter>(
  parts: Omit<BridgeFacet, 'data' | 'objection'> & {
    data: Data
    objection(data: AbiParameterToPrimitiveType<Data>, bridged: Bridged, demand: Demand): string | null
  },
): BridgeFacet => parts as BridgeFacet

/** The rules of both functions of a facet: the plain function, and the function that first takes LI.FI's fee. */
function bridgeRules({ name, data: facetData, objection, ...facet }: BridgeFacet): FunctionRule[] {
  const { guard, nativeDustWei = 0n } = facet
  const selectorOf = (functionName: string, inputs: readonly AbiParameter[]) =>
    toFunctionSelector({ type: 'function', name: functionName, inputs, outputs: [], stateMutability: 'payable' })
  const plain = [bridgeData, facetData] as const
  const afterFee = [bridgeData, swapDataList, facetData] as const
  return [
    {
      kind: 'BRIDGE',
      guard,
      nativeDustWei,
      selector: selectorOf(`startBridgeTokensVia${name}`, plain),
      objection(data, demand) {
        const decoded = decodeStrictly(plain, data)
        if (!decoded) return unusual
        const [bridge, own] = decoded
        const bridged = { amount: bridge.minAmount, isAfterFee: false }
        return bridgeObjection(bridge, bridged, demand) ?? objection(own as never, bridged, demand)
      },
    },
    {
      kind: 'BRIDGE',
      guard,
      nativeDustWei,
      selector: selectorOf(`swapAndStartBridgeTokensVia${name}`, afterFee),
      objection(data, demand) {
        const decoded = decodeStrictly(afterFee, data)
        if (!decoded) return unusual
        const [bridge, swaps, own] = decoded
        const bridged = { amount: bridge.minAmount, isAfterFee: true }
        return (
          bridgeObjection(bridge, bridged, demand) ??
          takingObjection(swaps, demand, { feesOnly: true }) ??
          objection(own as never, bridged, demand)
        )
      },
    },
  ]
}

function bridgeObjection(bridge: BridgeData, { amount, isAfterFee }: Bridged, demand: Demand): string | null {
  if (!sameAddress(bridge.sendingAssetId, demand.token)) return 'sends another token'
  if (!sameAddress(bridge.receiver, demand.recipient)) return 'pays another recipient'
  if (bridge.destinationChainId !== BigInt(demand.toChainId)) return 'goes to another chain'
  if (bridge.hasSourceSwaps !== isAfterFee || bridge.hasDestinationCall)
    return 'contains a swap or a call besides the bridge'
  if (amount > demand.amount || (!isAfterFee && amount !== demand.amount)) return 'sends another amount'
  // The calls before the bridge and their recipients are not read, so together they get at most this share.
  const left = demand.amount * BigInt(10_000 - limits.feeBpsMax)
  return amount * 10_000n < left ? 'takes too high a fee' : null
}

/** Whether a 32-byte word is this address. */
const isWordOf = (word: string, address: string): boolean =>
  word.toLowerCase() === `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`

const whole = 10n ** 18n
const yearSeconds = 365 * 86_400

const acrossV4 = facet({
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
    // For wrapped native coin, Across pays wallets the native coin itself, which does not deliver the wrapped token.
    const wrapped = wrappedNativeAddressOf(toChainId)
    const output = isNative(tokenOut) ? wrapped : tokenOut
    if (sameAddress(tokenOut, wrapped) || !isWordOf(data.receivingAssetId, output)) return 'delivers another token'
    const out = isAfterFee ? (amount * data.outputAmountMultiplier) / whole : data.outputAmount
    if (out < minOut) return 'delivers too little'
    if (data.message !== '0x') return 'carries a message'
    // No filler delivers an output worth more than the bridged amount, and a refund returns at most that amount.
    const asset = stargateAssetOf(fromChainId, token)
    if (asset !== null && asset === stargateAssetOf(toChainId, tokenOut) && amount < minOut) return 'bridges too little'
    return isFillable(data.fillDeadline, data.exclusivityParameter, demand.time) ? null : 'cannot be filled in time'
  },
})

/** The SpokePool reads an exclusivity of at most a year as an offset, and a larger one as a timestamp. */
function isFillable(deadline: number, exclusivity: number, time: number): boolean {
  const free = exclusivity > yearSeconds ? exclusivity : time + exclusivity
  const isSoonFree = free <= time + limits.exclusivityMax && deadline > free
  return isSoonFree && deadline > time && deadline <= time + limits.fillWindowMax
}

const stargateV2 = facet({
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
    // This minimum has the decimals of the source token, which equal those of the destination token.
    if (sendParams.minAmountLD < demand.minOut) return 'delivers too little'
    // Options could send native coin to any address, so none are allowed. An empty `oftCmd` selects immediate delivery.
    // A single byte selects Stargate's batched delivery, the bus.
    const isPlain = sendParams.extraOptions === '0x' && sendParams.composeMsg === '0x' && sendParams.oftCmd.length <= 4
    return isPlain ? null : 'carries a message'
  },
})

/** Circle's USDC, burned on one chain and minted on the other to the receiver that every facet names. */
const polymerCctp = facet({
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

/**
 * The list of bridges. A facet belongs here only if its calldata contains everything that decides where the money goes:
 * every receiver, the chain, the token, the minimum output, and the recipient of a refund.
 */
const facets: readonly BridgeFacet[] = [acrossV4, stargateV2, polymerCctp]

/** The bridges that LI.FI may use, by its names: those with readable calldata. */
export const lifiBridges: readonly string[] = facets.flatMap(({ tools }) => tools)

/**
 * The allowed calls; any other call is refused. The executor enforces its own rules on chain, with guards that check
 * the same, and both must agree.
 */
export const lifiRules = (target: Address = lifiDiamond): RouteRule[] =>
  [...facets.flatMap(bridgeRules), ...swapRules].map((rule) => ({ ...rule, target }))

/**
 * How an offered route differs from the request, in a sentence; null if it does not differ. The signer repeats this
 * check. Here a false route is only dropped from the candidates; at the signer it would end the execution.
 */
export const routeObjection =
  (rules: readonly RouteRule[], { now }: { now: () => number }) =>
  ({ kind, call, amountIn, amountOutMin }: Offer, request: RouteRequest): string | null => {
    if (call === null) return 'It has no call.'
    if (amountOf(amountIn) !== request.amountIn) return 'It is for another amount.'
    const data = call.data.toLowerCase() as typeof call.data
    const rule = rules.find(
      (each) => each.kind === kind && sameAddress(each.target, call.target) && data.startsWith(each.selector),
    )
    if (!rule) return `Its call ${data.slice(0, 10)} of ${call.target} ${unlisted}.`
    const spender = isNative(request.fromToken) ? zeroAddress : rule.target
    if (!sameAddress(call.spender, spender)) return 'It requires an approval for another spender.'
    const { account, fromChainId, fromToken: token, amountIn: amount, toChainId, toToken: tokenOut } = request
    const requested = { account, fromChainId, token, amount, toChainId, tokenOut, recipient: request.recipient }
    const time = Math.floor(now() / 1000)
    const demand = { ...requested, minOut: amountOf(amountOutMin), nativeFee: amountOf(call.nativeFee), time }
    try {
      const objection = rule.objection(data, demand)
      return objection && `Its call ${objection}.`
    } catch {
      return `Its call ${undecodable}.`
    }
  }
