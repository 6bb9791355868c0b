import { encodeAbiParameters, encodeFunctionData, pad } from 'viem'
import { type ChainId, chainIds, chains } from '../../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../../src/domain/chain/hex'
import { stargateTokenOf, usdcOf, wrappedNativeAddressOf } from '../../../src/protocols/lifi/diamond'
import { type Demand, limits } from '../../../src/signer/function-rule'
import * as calls from '../diamond-calldata'
import { addressOf } from '../signable'
import type { Dice } from '../simulation/loop'

/** A call, and the demand that it must meet. */
export type RouteCase = { data: Hex; demand: Demand }

export const fromChainId = chains.base.id
export const recipient = addressOf('recipient')
export const strangers = [addressOf('a stranger'), addressOf('another stranger')] as const
const swapTarget = addressOf('a token')

const forwarder = [
  {
    type: 'function',
    name: 'forwardERC20Fees',
    stateMutability: 'nonpayable',
    outputs: [],
    inputs: [
      { name: 'token', type: 'address' },
      {
        name: 'distributions',
        type: 'tuple[]',
        components: [
          { name: 'recipient', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
  },
  {
    type: 'function',
    name: 'forwardNativeFees',
    stateMutability: 'payable',
    outputs: [],
    inputs: [
      {
        name: 'distributions',
        type: 'tuple[]',
        components: [
          { name: 'recipient', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
    ],
  },
] as const

/** Calls of every allowed function: valid calls, calls with one or more false values, and broken bytes. */
export function routeCases(dice: Dice, { account, bridge, time }: { account: Address; bridge: Address; time: number }) {
  const pick = <Value>(...values: readonly Value[]): Value => values[dice.below(values.length)]!
  const big = (most: bigint): bigint => (most <= 0n ? 0n : (most * BigInt(dice.below(1_000_001))) / 1_000_000n)

  /** Returns a number near another, or far from it. */
  const otherThan = (value: bigint): bigint =>
    pick(0n, 1n, value + 1n, value > 0n ? value - 1n : 2n, value / 2n, value * 2n, 10n ** 30n, 2n ** 255n, big(value))
  const who = (): Address => pick<Address>(strangers[0], strangers[1], account, recipient, bridge, zeroAddress)
  const token = (): Address => pick(usdcOf(fromChainId), zeroAddress, swapTarget, strangers[0])
  const chain = (): bigint => BigInt(pick<number>(...chainIds, 56, 0))
  const bytes = (): Hex => pick<Hex>('0x', '0x00', '0x0000', '0x0003', '0x1122334455')

  /** Fees that LI.FI's forwarder pays out, honest or not, in one or more swaps. */
  function fees(demand: Demand, fee: bigint): object[] {
    const paying = (from: bigint, amount: bigint, to: Address) => {
      const distributions = [{ recipient: to, amount }]
      const callData =
        demand.token === zeroAddress
          ? encodeFunctionData({ abi: forwarder, functionName: 'forwardNativeFees', args: [distributions] })
          : encodeFunctionData({
              abi: forwarder,
              functionName: 'forwardERC20Fees',
              args: [demand.token, distributions],
            })
      return calls.fee(demand.token, from, { callTo: bridge, approveTo: bridge, callData })
    }
    const part = big(demand.amount)
    if (dice.chance(0.2)) return [paying(part, fee, strangers[0]), paying(demand.amount - part, 0n, strangers[1])]
    return [paying(demand.amount, fee, pick<Address>(strangers[0], strangers[0], recipient))]
  }

  function lieInSwaps(swaps: object[], demand: Demand): object[] {
    const [first, ...rest] = swaps as Record<string, unknown>[]
    const change = pick<object>(
      { callTo: who() },
      { sendingAssetId: token() },
      { receivingAssetId: token() },
      { fromAmount: otherThan(demand.amount) },
      { requiresDeposit: false },
      { callData: bytes() },
    )
    return !first || dice.chance(0.15) ? [] : [{ ...first, ...change }, ...rest]
  }

  const lieInBridge = (demand: Demand, minAmount: bigint): object =>
    pick<object>(
      { receiver: who() },
      { sendingAssetId: token() },
      { minAmount: otherThan(minAmount) },
      { destinationChainId: chain() },
      { hasSourceSwaps: dice.chance(0.5) },
      { hasDestinationCall: true },
      { referrer: who(), integrator: 'thief' },
      { minAmount: demand.amount },
    )

  const word = (): Hex => pick<Hex>(pad(who()), pad('0x01'), `0x01${pad(recipient).slice(4)}`)

  const lieInFacet: Record<string, (demand: Demand) => object> = {
    acrossCall: ({ minOut }) =>
      pick<object>(
        { receiverAddress: word() },
        { refundAddress: word() },
        { sendingAssetId: pad(token()) },
        { receivingAssetId: pad(token()) },
        { outputAmount: otherThan(minOut) },
        { outputAmountMultiplier: pick(0n, 1n, 10n ** 18n, 2n ** 100n, minOut * 10n ** 18n) },
        { exclusiveRelayer: word(), exclusivityParameter: pick(0, 1, limits.exclusivityMax + 1, 2 ** 32 - 1) },
        { fillDeadline: pick(0, time - 1, time + limits.fillWindowMax + 100, 2 ** 32 - 1) },
        { message: bytes() },
      ),
    stargateCall: ({ minOut, nativeFee }) =>
      pick<object>(
        { assetId: pick(0, 1, 2, 13, 14) },
        { fee: { nativeFee: otherThan(nativeFee), lzTokenFee: 0n } },
        { fee: { nativeFee, lzTokenFee: 1n } },
        { refundAddress: who() },
        { sendParams: { to: word() } },
        { sendParams: { dstEid: pick(0, 30101, 30184, 30109, 30110, 30106, 40000) } },
        { sendParams: { minAmountLD: otherThan(minOut) } },
        { sendParams: { amountLD: otherThan(minOut) } },
        { sendParams: { extraOptions: bytes() } },
        { sendParams: { composeMsg: bytes() } },
        { sendParams: { oftCmd: bytes() } },
      ),
    polymerCall: ({ minOut }) =>
      pick<object>(
        { polymerTokenFee: otherThan(minOut) },
        { maxCCTPFee: otherThan(minOut) },
        { nonEVMReceiver: word() },
        { solanaReceiverATA: word() },
        { refundRecipient: who() },
        { hookData: bytes() },
      ),
  }

  function bridged(isCoin: boolean): RouteCase {
    const name = isCoin ? 'acrossCall' : pick('acrossCall' as const, 'stargateCall' as const, 'polymerCall' as const)
    const targets = chainIds.filter((id) => id !== fromChainId && (!isCoin || stargateTokenOf(13, id) !== null))
    const toChainId = pick<ChainId>(...targets)
    const amount = isCoin ? 10n ** 15n + big(10n ** 18n) : 1_000n + big(10n ** BigInt(4 + dice.below(7)))
    const minOut = amount - big(pick(0n, amount / 100n, amount / 10n, amount))
    const demand: Demand = {
      account,
      fromChainId,
      token: isCoin ? zeroAddress : usdcOf(fromChainId),
      amount,
      toChainId,
      tokenOut: isCoin ? zeroAddress : usdcOf(toChainId),
      recipient,
      minOut: minOut || 1n,
      nativeFee: name === 'stargateCall' ? big(10n ** 15n) : 0n,
      time,
    }
    const lies = pick(0, 1, 1, 1, 2, 3)
    const isAfterFee = dice.chance(0.6)
    const mostFee = pick(amount / 400n, (amount * BigInt(limits.feeBpsMax)) / 10_000n, amount - 1n, amount)
    const fee = isAfterFee ? pick(amount / 400n, big(mostFee), mostFee) : undefined
    let terms: calls.BridgeTerms = { ...demand, ...(fee !== undefined && { fee, swaps: fees(demand, fee) }) }
    if (name === 'acrossCall' && isCoin)
      terms = { ...terms, facet: { receivingAssetId: pad(wrappedNativeAddressOf(toChainId)) } }
    if (name === 'polymerCall' && (fee ?? 0n) + 1n + demand.minOut > amount)
      terms = { ...terms, facet: { polymerTokenFee: 0n, maxCCTPFee: 0n } }
    for (let n = 0; n < lies; n++) {
      const kind = pick('bridge', 'facet', 'facet', 'swaps')
      if (kind === 'bridge')
        terms = { ...terms, bridge: { ...terms.bridge, ...lieInBridge(demand, amount - (fee ?? 0n)) } }
      else if (kind === 'facet') terms = { ...terms, facet: { ...terms.facet, ...lieInFacet[name]!(demand) } }
      else if (terms.swaps) terms = { ...terms, swaps: lieInSwaps([...(terms.swaps as object[])], demand) }
    }
    const asked = dice.chance(0.08) ? { ...demand, nativeFee: otherThan(demand.nativeFee) % 10n ** 18n } : demand
    return { data: calls[name](terms), demand: asked }
  }

  function swapped(): RouteCase {
    const amount = 1_000n + big(10n ** 10n)
    const minOut = 1n + big(amount)
    const isSingle = dice.chance(0.3)
    const demand: Demand = {
      account,
      fromChainId,
      token: usdcOf(fromChainId),
      amount,
      toChainId: fromChainId,
      tokenOut: swapTarget,
      recipient,
      minOut,
      nativeFee: 0n,
      time,
    }
    const terms = { ...demand, name: `swapTokens${isSingle ? 'Single' : 'Multiple'}V3ERC20ToERC20` as never }
    if (dice.chance(0.3)) return { data: calls.swapCall(terms), demand }
    const paid = encodeAbiParameters([{ type: 'uint256' }], [otherThan(minOut)])
    const exchange = calls.fee(demand.token, amount, {
      receivingAssetId: swapTarget,
      callData: `0x11223344${paid.slice(2)}`,
    })
    if (isSingle) {
      const change = pick<object>(
        { recipient: who() },
        { minOut: otherThan(minOut) },
        { tokenOut: token() },
        { amount: otherThan(amount) },
      )
      return { data: calls.swapCall({ ...terms, ...change }), demand }
    }
    const fee = big(pick(amount / 400n, amount))
    const last = { ...exchange, fromAmount: amount - fee, requiresDeposit: false }
    const swaps = [...fees(demand, fee), last]
    const told = dice.chance(0.5) ? lieInSwaps(swaps, demand) : swaps
    const change = pick<object>({}, {}, { recipient: who() }, { minOut: otherThan(minOut) })
    return { data: calls.swapCall({ ...terms, ...change, swaps: told.length > 0 ? told : swaps }), demand }
  }

  /** Breaks a call as no encoder would: a flipped bit, a moved word, missing bytes, extra bytes. */
  function broken({ data, demand }: RouteCase): RouteCase {
    const raw = Buffer.from(data.slice(2), 'hex')
    const words = Math.floor((raw.length - 4) / 32)
    const at = 4 + 32 * dice.below(words)
    switch (dice.below(6)) {
      case 0:
        raw[dice.below(raw.length)]! ^= 1 << dice.below(8)
        break
      case 1:
        raw[at]! ^= 0x80
        break
      case 2:
        raw.copy(raw, at, 4 + 32 * dice.below(words), raw.length)
        break
      case 3:
        raw.writeUInt32BE(32 * dice.below(words + 2), at + 28)
        break
      case 4:
        return { data: `0x${raw.subarray(0, raw.length - 1 - dice.below(64)).toString('hex')}`, demand }
      default:
        return { data: `0x${Buffer.concat([raw, Buffer.alloc(32, dice.below(256))]).toString('hex')}`, demand }
    }
    return { data: `0x${raw.toString('hex')}`, demand }
  }

  return (): RouteCase => {
    const one = dice.chance(0.2) ? swapped() : bridged(dice.chance(0.25))
    return dice.chance(0.2) ? broken(one) : one
  }
}
