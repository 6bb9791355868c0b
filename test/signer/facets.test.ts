import { describe, expect, test } from 'bun:test'
import { pad } from 'viem'
import { chains } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { stargateTokenOf, usdcOf, wrappedNativeAddressOf } from '../../src/protocols/lifi/diamond'
import { type Demand, limits } from '../../src/signer/function-rule'
import { lifiBridges, lifiRules } from '../../src/signer/route-rules'
import * as calls from '../support/diamond-calldata'
import { addressOf } from '../support/signable'
import { testAll } from '../support/test-all'

const [fromChainId, toChainId] = [chains.base.id, chains.arbitrum.id]
const demand: Demand = {
  account: addressOf('account'),
  fromChainId,
  token: usdcOf(fromChainId),
  amount: 25_000_000n,
  toChainId,
  tokenOut: usdcOf(toChainId),
  recipient: addressOf('recipient'),
  minOut: 24_800_000n,
  nativeFee: 0n,
  time: calls.quoteTime,
}
const stranger = addressOf('a stranger')
const coin = { token: zeroAddress, tokenOut: zeroAddress, amount: 10n ** 18n, minOut: 10n ** 18n - 10n ** 16n }

/** The objection of the called function's reader. Undefined if the function is not listed. */
function objectionTo(data: Hex, asked: Demand = demand): string | null | undefined {
  const rule = lifiRules().find(({ selector }) => data.startsWith(selector))
  return rule?.objection(data, asked)
}

/** The selectors of LI.FI's Diamond on all five chains, written out because its contracts are called by them. */
const selectors: Record<string, string> = {
  '0xa1f1ce43': 'LifiAcrossGuard',
  '0x1794958f': 'LifiAcrossGuard',
  '0x14d53077': 'LifiStargateGuard',
  '0xa6010a66': 'LifiStargateGuard',
  '0xf434d6ca': 'LifiPolymerGuard',
  '0x17917a4e': 'LifiPolymerGuard',
  '0x4666fc80': 'LifiSwapGuard',
  '0x5fd9ae2e': 'LifiSwapGuard',
  '0x733214a3': 'LifiSwapGuard',
  '0x2c57e884': 'LifiSwapGuard',
  '0xaf7060fd': 'LifiSwapGuard',
  '0x736eac0b': 'LifiSwapGuard',
}

test('exactly these functions of the Diamond are listed, each with the guard that checks it on chain', () => {
  expect(Object.fromEntries(lifiRules().map(({ selector, guard }) => [selector, `${guard}`]))).toEqual(selectors)
  expect(lifiBridges).toEqual(['across', 'stargateV2', 'stargateV2Bus', 'polymer', 'polymerStandard'])
})

test('a cached call is judged again for each demand, and any changed byte is read', () => {
  const rules = lifiRules()
  const judged = (data: Hex, asked: Demand) =>
    rules.find(({ selector }) => data.startsWith(selector))?.objection(data, asked)
  const data = calls.acrossCall({ ...demand, fee: 62_500n })
  const unusual: Hex = `${data}00`
  for (const _ of ['first', 'again']) {
    expect(judged(data, demand)).toBeNull()
    expect(judged(data, { ...demand, recipient: stranger })).toBe('pays another recipient')
    expect(judged(calls.acrossCall({ ...demand, fee: 62_500n, recipient: stranger }), demand)).toBe(
      'pays another recipient',
    )
    expect(judged(unusual, demand)).toBe('is encoded in an unusual way')
  }
})

const facets: [string, (terms: calls.BridgeTerms) => Hex][] = [
  ['across', calls.acrossCall],
  ['stargate', calls.stargateCall],
  ['polymer', calls.polymerCall],
]

const bridges = facets.map(([name, call]) => {
  const plain = (change: Partial<calls.BridgeTerms> = {}) => objectionTo(call({ ...demand, ...change }))
  const afterFee = (change: Partial<calls.BridgeTerms> = {}) => plain({ fee: 62_500n, ...change })
  return [name, { call, plain, afterFee }] as const
})

describe('a call of each bridge', () => {
  const testBridges = testAll(bridges)

  testBridges('is accepted if it meets the demand, with or without a fee of LI.FI', (_name, { plain, afterFee }) => {
    expect(plain()).toBeNull()
    expect(afterFee()).toBeNull()
    expect(afterFee({ fee: 0n })).toBeNull()
  })

  const departures = [
    ['pays another recipient', { recipient: stranger }],
    ['pays another recipient', { bridge: { receiver: stranger } }],
    ['goes to another chain', { bridge: { destinationChainId: 137n } }],
    ['sends another token', { token: stranger }],
    ['delivers too little', { minOut: demand.minOut - 1n }],
    ['contains a swap or a call besides the bridge', { bridge: { hasDestinationCall: true } }],
    ['sends refunds to another account', { account: stranger }],
  ] as const
  testAll(
    departures.flatMap(([reason, change]) =>
      bridges.map(([name, of]) => [`${name} ${reason}`, reason, change, of] as const),
    ),
  )('is refused with the reason if it departs from the demand', (_case, reason, change, { plain, afterFee }) => {
    expect(plain(change)).toBe(reason)
    expect(afterFee(change)).toBe(reason)
  })

  testBridges('refuses a different output token', (_name, { call }) => {
    const asked = { ...demand, tokenOut: stranger }
    expect(objectionTo(call(demand), asked)).toBe('delivers another token')
    expect(objectionTo(call({ ...demand, fee: 5n }), asked)).toBe('delivers another token')
  })

  testBridges('refuses to send another amount, or the amount twice', (_name, { plain, afterFee }) => {
    expect(plain({ amount: demand.amount - 1n })).toBe('sends another amount')
    const token = demand.token
    for (const swaps of [
      [calls.fee(token, demand.amount - 1n)],
      [calls.fee(token, demand.amount), calls.fee(token, 1n)],
      [calls.fee(token, demand.amount, { requiresDeposit: false })],
    ])
      expect(afterFee({ swaps })).toBe('sends another amount')
    expect(afterFee({ swaps: [] })).toBe('swaps nothing')
    expect(afterFee({ swaps: [calls.fee(token, 5n), calls.fee(token, demand.amount - 5n)] })).toBeNull()
  })

  testBridges('refuses a fee swap above the fee cap, for every contract that it calls', (_name, { call }) => {
    const asked = { ...demand, minOut: 24_000_000n }
    const most = (demand.amount * BigInt(limits.feeBpsMax)) / 10_000n
    const polymerFees = { polymerTokenFee: 0n, maxCCTPFee: 0n }
    const taking = (fee: bigint, facet: object = {}) =>
      objectionTo(call({ ...asked, fee, facet: { ...polymerFees, ...facet } }), asked)
    expect([taking(0n), taking(most)]).toEqual([null, null])
    expect([taking(-1n), taking(most + 1n)]).toEqual(['sends another amount', 'takes too high a fee'])
    // Takes all but one unit, with a multiplier that would make up the minimum.
    const outputAmountMultiplier = demand.minOut * 10n ** 18n
    expect(taking(demand.amount - 1n, { outputAmountMultiplier })).toBe('takes too high a fee')
  })

  testBridges('refuses a native fee except the one for Stargate', (name, { call }) => {
    const sending = (nativeFee: bigint) => {
      const asked = { ...demand, nativeFee }
      return [objectionTo(call(asked), asked), objectionTo(call({ ...asked, nativeFee: 0n }), asked)]
    }
    expect(sending(0n)).toEqual([null, null])
    const none = 'needs no native fee'
    expect(sending(7n)).toEqual(name === 'stargate' ? [null, 'pays another native fee'] : [none, none])
  })

  testBridges('refuses every swap before the bridge except a fee swap', (_name, { plain, afterFee }) => {
    const into = calls.fee(demand.token, demand.amount, { receivingAssetId: stranger })
    expect(afterFee({ swaps: [into] })).toBe('contains a swap that is not LI.FI’s fee')
    expect(afterFee({ bridge: { hasSourceSwaps: false } })).toBe('contains a swap or a call besides the bridge')
    expect(plain({ bridge: { hasSourceSwaps: true } })).toBe('contains a swap or a call besides the bridge')
  })

  testBridges('refuses non-canonical encoding', (_name, { call }) => {
    const data = call(demand)
    expect(objectionTo(`${data}00`)).toBe('is encoded in an unusual way')
    // The facet's own data at the end, after a gap. A contract reads the same.
    const word = (value: number) => value.toString(16).padStart(64, '0')
    const [from, selector] = [Number.parseInt(data.slice(10 + 64, 10 + 128), 16), data.slice(0, 10)]
    const args = data.slice(10)
    const gapped = `${args.slice(0, 64)}${word(from + 32)}${args.slice(128, from * 2)}${word(0)}${args.slice(from * 2)}`
    expect(objectionTo(`${selector}${gapped}` as Hex)).toBe('is encoded in an unusual way')
  })
})

describe('across', () => {
  const across = (facet: object, terms: Partial<calls.BridgeTerms> = {}) =>
    objectionTo(calls.acrossCall({ ...demand, ...terms, facet }))

  test('refuses a different receiver, refund address, token or message', () => {
    expect(across({ receiverAddress: pad(stranger) })).toBe('pays another recipient')
    expect(across({ receiverAddress: `0x01${pad(demand.recipient).slice(4)}` })).toBe('pays another recipient')
    expect(across({ refundAddress: pad(stranger) })).toBe('sends refunds to another account')
    expect(across({ refundAddress: pad(demand.recipient) })).toBe('sends refunds to another account')
    expect(across({ sendingAssetId: pad(stranger) })).toBe('sends another token')
    expect(across({ receivingAssetId: pad(stranger) })).toBe('delivers another token')
    expect(across({ message: '0x00' })).toBe('carries a message')
  })

  test('refuses a multiplier that yields less than the minimum after a fee', () => {
    const fee = 62_500n
    const least = (demand.minOut * 10n ** 18n) / (demand.amount - fee) + 1n
    expect(across({ outputAmount: 0n, outputAmountMultiplier: least }, { fee })).toBeNull()
    expect(across({ outputAmountMultiplier: least - 2n }, { fee })).toBe('delivers too little')
    expect(across({ outputAmountMultiplier: 0n })).toBeNull()
    expect(across({ outputAmount: demand.minOut - 1n })).toBe('delivers too little')
  })

  test('refuses to promise more of the same asset than it receives', () => {
    const fee = 62_500n
    const promising = (minOut: bigint, terms: Partial<calls.BridgeTerms> = {}, change: Partial<Demand> = {}) => {
      const asked = { ...demand, ...change, minOut }
      return objectionTo(calls.acrossCall({ ...asked, ...terms }), asked)
    }
    expect([promising(demand.amount), promising(demand.amount + 1n)]).toEqual([null, 'bridges too little'])
    const net = demand.amount - fee
    expect([promising(net, { fee }), promising(net + 1n, { fee })]).toEqual([null, 'bridges too little'])
    // Between different assets, prices decide.
    expect(promising(demand.amount * 9n, {}, { tokenOut: stranger })).toBeNull()
    const wrapped = { tokenOut: wrappedNativeAddressOf(toChainId) }
    expect(promising(coin.amount + 1n, wrapped, coin)).toBe('bridges too little')
    expect(promising(coin.amount + 1n, wrapped, { ...coin, token: wrappedNativeAddressOf(fromChainId) })).toMatch(
      'too little',
    )
    const matic = { ...coin, fromChainId: chains.polygon.id }
    expect(promising(coin.amount + 1n, wrapped, matic)).toBeNull()
  })

  test('refuses an order that cannot be filled now, within a day, and by any relayer after 15 minutes', () => {
    const time = demand.time
    const open = [
      [time + 1, 0],
      [time + 86_400, 0],
      [time + 9_300, 900],
      [time + 9_300, time + 900],
      [time + 9_300, time - 5],
    ] as const
    const shut = [
      [time, 0],
      [time - 1, 0],
      [time + 86_401, 0],
      [time + 9_300, 901],
      [time + 9_300, time + 901],
      [time + 500, 500],
      [time - 1, time - 2],
    ] as const
    const says = ([fillDeadline, exclusivityParameter]: readonly [number, number]) =>
      across({ fillDeadline, exclusivityParameter })
    expect(open.map(says)).toEqual(open.map(() => null))
    expect(shut.map(says)).toEqual(shut.map(() => 'cannot be filled in time'))
  })

  test('names the wrapped coin for native output, and never delivers the wrapped coin itself', () => {
    const asked = { ...demand, ...coin }
    const wrapped = wrappedNativeAddressOf(toChainId)
    const native = (tokenOut: Address, of: Demand) => objectionTo(calls.acrossCall({ ...of, tokenOut }), of)
    expect(native(wrapped, asked)).toBeNull()
    expect(native(zeroAddress, asked)).toBe('delivers another token')
    expect(native(wrapped, { ...asked, tokenOut: wrapped })).toBe('delivers another token')
  })

  test('refuses a swap of more native coin than is sent', () => {
    const asked = { ...demand, ...coin }
    const terms = { ...asked, tokenOut: wrappedNativeAddressOf(toChainId), fee: 5n }
    const taking = (amount: bigint) =>
      objectionTo(calls.acrossCall({ ...terms, swaps: [calls.fee(zeroAddress, amount)] }), asked)
    expect([taking(5n), taking(asked.amount), taking(asked.amount + 1n)]).toEqual([null, null, 'sends another amount'])
  })
})

describe('stargate', () => {
  const stargate = (facet: object, asked: Demand = demand) =>
    objectionTo(calls.stargateCall({ ...asked, facet }), asked)

  test('refuses a different receiver, chain or refund address, and any message', () => {
    expect(stargate({ sendParams: { to: pad(stranger) } })).toBe('pays another recipient')
    expect(stargate({ sendParams: { dstEid: 30109 } })).toBe('goes to another chain')
    expect(stargate({ refundAddress: stranger })).toBe('sends refunds to another account')
    expect(stargate({ sendParams: { minAmountLD: demand.minOut - 1n } })).toBe('delivers too little')
    expect(stargate({ fee: { nativeFee: 0n, lzTokenFee: 1n } })).toBe('pays in another token')
    for (const sendParams of [{ extraOptions: '0x0003' }, { composeMsg: '0x00' }, { oftCmd: '0x0000' }])
      expect(stargate({ sendParams })).toBe('carries a message')
    expect(stargate({ sendParams: { oftCmd: '0x00' } })).toBeNull()
  })

  test('refuses a token other than that of its asset id, since the call names no token', () => {
    expect(stargate({ assetId: 2 })).toBe('sends another token')
    expect(stargate({ assetId: 3 })).toBe('sends another token')
    const usdt = { ...demand, fromChainId: chains.polygon.id, token: stargateTokenOf(2, chains.polygon.id)! }
    expect(stargate({ assetId: 2 }, usdt)).toBe('delivers another token')
    expect(stargate({ assetId: 2 }, { ...usdt, tokenOut: stargateTokenOf(2, toChainId)! })).toBeNull()
    expect(stargate({ assetId: 13 }, { ...demand, ...coin })).toBeNull()
    const polygon = { ...demand, ...coin, toChainId: chains.polygon.id }
    expect(stargate({ assetId: 13 }, polygon)).toBe('delivers another token')
    expect(stargateTokenOf(2, chains.base.id)).toBeNull()
  })
})

describe('polymer', () => {
  const polymer = (facet: object, change: Partial<Demand> & { fee?: bigint } = {}) => {
    const { fee, ...other } = change
    const asked = { ...demand, ...other }
    return objectionTo(calls.polymerCall({ ...asked, ...(fee !== undefined && { fee }), facet }), asked)
  }

  test("refuses every token but Circle's own USDC", () => {
    const bridged = '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'
    expect(polymer({}, { tokenOut: bridged })).toBe('delivers another token')
    expect(polymer({}, { token: bridged })).toBe('sends another token')
  })

  test('refuses a non-EVM receiver, a hook and a different refund address', () => {
    expect(polymer({ nonEVMReceiver: pad(stranger) })).toBe('pays another recipient')
    expect(polymer({ solanaReceiverATA: pad(stranger) })).toBe('pays another recipient')
    expect(polymer({ hookData: '0x00' })).toBe('carries a message')
    expect(polymer({ refundRecipient: stranger })).toBe('sends refunds to another account')
    expect(polymer({ refundRecipient: zeroAddress })).toBeNull()
    expect(polymer({ refundRecipient: zeroAddress }, { fee: 5n })).toBe('sends refunds to another account')
  })

  test('refuses fees that together leave less than the minimum', () => {
    const spare = demand.amount - demand.minOut
    expect(polymer({ polymerTokenFee: spare, maxCCTPFee: 0n })).toBeNull()
    expect(polymer({ polymerTokenFee: spare, maxCCTPFee: 1n })).toBe('delivers too little')
    expect(polymer({ polymerTokenFee: 2n ** 256n - 1n })).toBe('delivers too little')
  })
})

testAll([
  ['swapTokensMultipleV3ERC20ToERC20', demand],
  ['swapTokensSingleV3ERC20ToERC20', demand],
  ['swapTokensMultipleV3ERC20ToNative', { ...demand, tokenOut: zeroAddress }],
  ['swapTokensMultipleV3NativeToERC20', { ...demand, ...coin, tokenOut: demand.tokenOut }],
] as const)('swaps: each function meets the demand or is refused with the reason', (name, wanted) => {
  const asked = { ...wanted, toChainId: wanted.fromChainId }
  const swap = (change: Partial<calls.SwapTerms> = {}) =>
    objectionTo(calls.swapCall({ name, ...asked, ...change }), asked)
  expect(swap()).toBeNull()
  expect(swap({ recipient: stranger })).toBe('pays another recipient')
  expect(swap({ amount: asked.amount + 6n })).toBe('sends another amount')
  expect(swap({ token: stranger })).toBe('sends another token')
  expect(swap({ tokenOut: stranger })).toBe('delivers another token')
  expect(swap({ minOut: asked.minOut - 1n })).toBe('delivers too little')
  const data = calls.swapCall({ name, ...asked })
  expect(objectionTo(data, { ...asked, nativeFee: 1n })).toBe('needs no native fee')
  expect(objectionTo(data, { ...asked, toChainId })).toBe('goes to another chain')
})
