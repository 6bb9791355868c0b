import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeFunctionData, type Hex, pad, recoverAddress } from 'viem'
import { devBridgeAbi } from '../../contracts/artifacts/abi'
import { type ChainId, chainIds, chains } from '../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import type { Order } from '../../src/domain/execution/route'
import { coinByConvention } from '../../src/domain/money/token'
import { draftAccount, orderDigest } from '../../src/protocols/executor/signed-order'
import { usdcOf, wrappedNativeAddressOf } from '../../src/protocols/lifi/diamond'
import { minGasOf, type SigningRefusal } from '../../src/signer/terms'
import { acrossCall, type BridgeTerms, fee, type SwapTerms, stargateCall, swapCall } from '../support/diamond-calldata'
import * as made from '../support/signable'
import { testAll } from '../support/test-all'

const { signable, signerOf, tokens, recipient, addressOf } = made
const deadline = 1_800_000_000
const stranger = addressOf('a stranger')
const signer = signerOf()

/** The reason for a refusal. Null if the order is signed. */
const refusalOf = (execution: Execution, by = signer): Promise<string | null> =>
  by.sign(execution, deadline).then(
    () => null,
    (error) => {
      expect(error.code).toBe('SIGNER_REFUSED')
      return (error.cause as SigningRefusal).message
    },
  )

type Facts = Execution['facts']
const withFacts = (execution: Execution, facts: Partial<Facts>): Execution => ({
  ...execution,
  facts: { ...execution.facts, ...facts },
})
const withRoute = (execution: Execution, route: Partial<NonNullable<Facts['route']>>) =>
  withFacts(execution, { route: { ...execution.facts.route!, ...route } })
const withCall = (execution: Execution, call: Partial<NonNullable<NonNullable<Facts['route']>['call']>>) =>
  withRoute(execution, { call: { ...execution.facts.route!.call!, ...call } })
const withFees = (execution: Execution, fees: Partial<NonNullable<Facts['fees']>>) =>
  withFacts(execution, { fees: { ...execution.facts.fees!, ...fees } })
const withIntent = (execution: Execution, intent: Partial<NonNullable<Facts['intent']>>) =>
  withFacts(execution, { intent: { ...execution.facts.intent!, ...intent } })

const bridge = signable()
const amount = BigInt(bridge.facts.fees!.amountForSwapRaw)
const minOut = BigInt(bridge.facts.route!.amountOutMin)
const asked = {
  account: made.account,
  token: tokens.in,
  amount,
  toChainId: chains.arbitrum.id,
  tokenOut: tokens.out,
  recipient,
  minOut,
}

describe('signed: an order that matches the record', () => {
  testAll(['BRIDGE', 'SWAP', 'DIRECT'] as const)(
    'an order of every kind moves exactly the whole amount',
    async (kind) => {
      const execution = signable({ kind })
      const order = await signer.sign(execution, deadline)
      const { fees, intent, routeId } = execution.facts

      expect(await recoverAddress({ hash: order.id, signature: order.signature })).toBe(made.signerAddress)
      expect(order).toMatchObject({ routeId: routeId!, kind, deadline, gasLimit: '400000', collector: made.collector })
      expect(order.intent).toMatchObject({ recipient: intent!.targetAddress, tokenOut: intent!.targetTokenAddress })
      expect(BigInt(order.amountIn)).toBe(25_000_000n)
      expect(order.minSpent).toBe(order.amountIn)
      const routed = BigInt(order.amountIn) - BigInt(order.protocolFee) - BigInt(order.gasFee)
      expect(routed).toBe(BigInt(fees!.amountForSwapRaw))
    },
  )

  test('only native coin by Stargate may leave dust behind', async () => {
    const coin = signable({ token: zeroAddress, tokenOut: zeroAddress, totalRaw: 10n ** 18n })
    const { amountIn, amountOutMin } = coin.facts.route!
    const terms = { ...asked, token: zeroAddress, tokenOut: zeroAddress, amount: BigInt(amountIn) }
    const whole = { ...terms, minOut: BigInt(amountOutMin), nativeFee: 7n }
    const byStargate = withCall(coin, { data: stargateCall({ ...whole, facet: { assetId: 13 } }), nativeFee: '7' })
    const order = await signer.sign(byStargate, deadline)
    expect(BigInt(order.amountIn) - BigInt(order.minSpent)).toBe(10n ** 12n)
    const byAcross = withCall(coin, { data: acrossCall({ ...whole, tokenOut: wrappedNativeAddressOf(42161) }) })
    const all = await signer.sign(byAcross, deadline)
    expect(all.minSpent).toBe(all.amountIn)
  })

  test('the signed minimum of gas is the measured use, and never more than the gas limit leaves', () => {
    // The budgets of contracts/test/Gas.t.sol for a later route of each kind.
    const least = { BRIDGE: 166_000, SWAP: 166_000, DIRECT: 100_000, REFUND: 100_000 }
    const wrong: unknown[] = []
    for (const kind of ['BRIDGE', 'SWAP', 'DIRECT', 'REFUND'] as const)
      for (const bytes of [0, 900, 4_000])
        for (const gasLimit of [null, 300_000n, 400_000n, 1_500_000n, 5_000_000n])
          for (const chainId of chainIds) {
            const data = `0x${'f'.repeat(2 * bytes)}` as const
            const floor = minGasOf({ kind, data, chainId }, gasLimit)
            // For the order alone in a transaction, at the highest calldata price of the chains.
            const atStart = (gasLimit ?? 400_000n) - 21_000n - 16n * (1_000n + BigInt(bytes))
            const isMeasured = gasLimit !== null && gasLimit > 1_000_000n && chainId !== chains.arbitrum.id
            const isRight =
              floor > least[kind] &&
              (floor <= atStart || floor < 171_000n) &&
              (!isMeasured || floor * 4n > gasLimit * 3n)
            if (!isRight) wrong.push({ kind, bytes, gasLimit, chainId, floor })
          }
    expect(wrong).toEqual([])
  })

  test('an order’s minimum of gas follows its gas limit, and a draft has the lowest, because gas is estimated with it', async () => {
    const heavy = { ...bridge, facts: { ...bridge.facts, gasLimit: '5000000' } }
    const [light, signed, draft] = await Promise.all([
      signer.sign(bridge, deadline),
      signer.sign(heavy, deadline),
      signer.draft(heavy, deadline),
    ])
    expect(Number(signed.minGas)).toBeGreaterThan(4_000_000)
    expect(Number(light.minGas)).toBeLessThan(400_000)
    expect(draft.minGas).toBe('170000')
  })

  test('a token is never swapped for itself, and the coin never for its own contract', async () => {
    const token = usdcOf(chains.base.id)
    expect(await refusalOf(signable({ kind: 'SWAP', token, tokenOut: token }))).toMatch(/swaps a token for itself/)
    expect(await refusalOf(signable({ kind: 'SWAP', token, tokenOut: made.tokens.out }))).toBeNull()
    const [coin, contract, custom] = [zeroAddress, chains.polygon.native.tokenAddress, coinByConvention as Address]
    const swapOn = ({ id: chainId }: { id: ChainId }, token: Address, tokenOut: Address) =>
      refusalOf(signable({ chainId, kind: 'SWAP', token, tokenOut }))
    for (const [one, other] of [coin, contract, custom].flatMap((each) => [
      [each, coin] as const,
      [coin, each] as const,
    ]))
      expect(await swapOn(chains.polygon, one, other)).toMatch(/swaps a token for itself/)
    expect(await swapOn(chains.base, coin, contract)).toBeNull()
  })

  test('the native coin needs no spender', async () => {
    expect(await refusalOf(signable({ token: zeroAddress }))).toBeNull()
    const call = { spender: signable().facts.route!.call!.spender }
    expect(await refusalOf(withCall(signable({ token: zeroAddress }), call))).toMatch(/spender/)
  })

  test('the same record produces the same order', async () => {
    expect(await signer.sign(bridge, deadline)).toEqual(await signer.sign(structuredClone(bridge), deadline))
  })
})

describe('a draft', () => {
  test('is signed only by a key without rights', async () => {
    const { id, signature } = await signer.draft(bridge, deadline)
    expect(await recoverAddress({ hash: id, signature })).toBe(draftAccount.address)
  })

  test('spends the amount that the route leaves for fees, whatever an earlier attempt priced', async () => {
    const { fees: _, ...facts } = signable({ gasFeeRaw: 0n }).facts
    const unpriced = { ...signable({ gasFeeRaw: 0n }), facts }
    const order = await signer.draft(unpriced, deadline)
    expect([order.amountIn, order.protocolFee, order.gasFee]).toEqual(['25000000', '250000', '0'])
    const stale = withFees(signable({ gasFeeRaw: 0n }), { gasFeeRaw: '77', amountForSwapRaw: '5' })
    expect((await signer.draft(stale, deadline)).amountIn).toBe('25000000')
  })

  test('is made for users without an account', async () => {
    const nobody = signerOf({ accounts: { load: async () => null } })
    expect((await nobody.draft(bridge, deadline)).account).toBe(made.account)
    expect(await refusalOf(bridge, nobody)).toMatch(/no such account/)
  })

  test('is refused for a call that departs from the demand', async () => {
    const altered = withCall(bridge, { data: acrossCall({ ...asked, recipient: stranger }) })
    expect(await signer.draft(altered, deadline).catch(({ code }) => code)).toBe('SIGNER_REFUSED')
  })
})

const bridgeWith = (change: Partial<BridgeTerms>) => withCall(bridge, { data: acrossCall({ ...asked, ...change }) })
const swap = signable({ kind: 'SWAP' })
const swapWith = (change: Partial<SwapTerms>) => withCall(swap, { data: swapCall({ ...asked, ...change }) })
const direct = signable({ kind: 'DIRECT' })
const otherUser = signerOf({ accounts: { load: async () => ({ organizationId: 'org', userId: 'other' }) as never } })

testAll([
  ['pays another recipient', bridgeWith({ recipient: stranger })],
  ['goes to another chain', bridgeWith({ toChainId: chains.polygon.id })],
  ['sends another token', bridgeWith({ token: stranger })],
  ['sends another amount', bridgeWith({ amount: amount + 1n })],
  ['contains a swap or a call besides the bridge', bridgeWith({ bridge: { hasSourceSwaps: true } })],
  ['contains a swap or a call besides the bridge', bridgeWith({ bridge: { hasDestinationCall: true } })],
  ['delivers another token', bridgeWith({ tokenOut: stranger })],
  ['delivers too little', bridgeWith({ minOut: minOut - 1n })],
  ['pays another recipient', swapWith({ recipient: stranger })],
  ['sends another token', swapWith({ token: stranger })],
  ['sends another amount', swapWith({ amount: amount - 1n })],
  ['delivers another token', swapWith({ tokenOut: stranger })],
  ['delivers too little', swapWith({ minOut: minOut - 1n })],
  ['sends another amount', swapWith({ swaps: [fee(tokens.in, amount), fee(tokens.in, 5n)] })],
  ['sends another token', swapWith({ swaps: [fee(tokens.in, amount), fee(stranger, 5n)] })],
  ['swaps nothing', swapWith({ swaps: [] })],
  ['is encoded in an unusual way', withCall(bridge, { data: `${bridge.facts.route!.call!.data}00` })],
  ['cannot be decoded', withCall(bridge, { data: bridge.facts.route!.call!.data.slice(0, 200) as Hex })],
  ['not on the allow-list', withCall(bridge, { target: stranger })],
  ['not on the allow-list', withCall(bridge, { data: `0xdeadbeef${bridge.facts.route!.call!.data.slice(10)}` })],
  ['not on the allow-list', withCall(swap, { data: bridge.facts.route!.call!.data })],
  ['spender', withCall(bridge, { spender: stranger })],
  ['native fee is too high', withCall(bridge, { nativeFee: String(10n ** 17n) })],
  ['needs no native fee', withCall(bridge, { nativeFee: '1' })],
  ['needs no native fee', withCall(swap, { nativeFee: '1' })],
  ['takes too high a fee', bridgeWith({ fee: amount - 1n, facet: { outputAmountMultiplier: minOut * 10n ** 18n } })],
  ['cannot be filled in time', bridgeWith({ time: deadline - 9_300 })],
  ['for another amount', withRoute(bridge, { amountIn: String(amount - 1n) })],
  ['minimum output is not valid', withRoute(bridge, { amountOutMin: '0' })],
  ['minimum output is not valid', withRoute(bridge, { amountOutExpected: '1' })],
  ['has no call', withRoute(bridge, { call: null })],
  ['has no call', withRoute(direct, { call: bridge.facts.route!.call })],
  ['another kind', withRoute(bridge, { kind: 'SWAP' })],
  ['another kind', withRoute(swap, { kind: 'BRIDGE' })],
  ['same token', withRoute(swap, { kind: 'DIRECT', call: null })],
  ['pays the whole amount', withRoute(direct, { amountOutMin: '1' })],
  ['do not follow the fee rules', withFees(bridge, { protocolFeeEffective: '250001' })],
  ['do not follow the fee rules', withFees(bridge, { totalReceivedRaw: '26000000' })],
  ['do not follow the fee rules', withFees(bridge, { gasFeeRaw: '2000' })],
  ['sponsored', withFees(bridge, { gasFeeSkipReason: 'SPONSORED' })],
  ['should be skipped', withFees(bridge, { gasFeeSkipReason: 'ESTIMATION_FAILED' })],
  ['Nothing is left', signable({ totalRaw: 500n, gasFeeRaw: 495n })],
  ['does not cover', withFacts(bridge, { balance: { totalReceivedRaw: '24999989', block: 9 } })],
  ['routeId', withFacts(bridge, { routeId: `0x${'7'.repeat(64)}` })],
  ['routeId', withIntent(bridge, { targetAddress: stranger })],
  ['routeId', { ...bridge, userId: 'user', id: `${bridge.id}:r1` }],
  ['account', { ...bridge, deposit: { ...bridge.deposit, account: stranger } }],
] as const)(
  'refused: an order that departs from the record in any field, with the reason',
  async (reason, execution) => {
    expect(await refusalOf(execution)).toMatch(reason)
  },
)

test('a deposit that lost a few units to rounding is signed for its balance', async () => {
  const short = signable({ totalRaw: 24_999_990n })
  const order = await signer.sign({ ...short, deposit: { ...short.deposit, amountRaw: '25000000' } }, deadline)
  expect(order).toMatchObject({ amountIn: '24999990' })
})

test('refused: the account of another user', async () => {
  expect(await refusalOf(bridge, otherUser)).toMatch(/another user/)
})

testAll([
  zeroAddress,
  tokens.in,
  tokens.out,
  made.account,
  made.executor,
  made.executors.recoveryExecutor,
  made.registry,
  made.collector,
])('refused: money to the zero address, a token or our contracts', async (target) => {
  const altered = withIntent(bridge, { targetAddress: target })
  const { routeId: _, ...facts } = altered.facts
  const failure = await signer.draft({ ...altered, facts }, deadline).catch((error) => error)
  expect(failure.cause.message).toMatch(/must not receive money/)
})

describe('a refund by the RecoveryExecutor', () => {
  const refund = made.refundRecord()
  const digestFor = (order: Order, executor: Address) => orderDigest(order, { chainId: order.chainId, executor })

  test('is signed for the whole amount, without a fee, to the refund address, for that contract only', async () => {
    const order = await signer.sign(refund, deadline)
    const { amountIn } = order
    expect(order).toMatchObject({ kind: 'REFUND', minSpent: amountIn, protocolFee: '0', gasFee: '0', data: '0x' })
    expect(order.intent).toMatchObject({ recipient: made.refundAddress, tokenOut: order.token, minOut: amountIn })
    expect(order.id).toBe(digestFor(order, made.executors.recoveryExecutor))
    expect(order.id).not.toBe(digestFor(order, made.executor))
  })

  test('has a draft with the same terms except the gas minimum, which is estimated at its contract', async () => {
    const { signature: _, id: _id, minGas: _least, ...draft } = await signer.draft(refund, deadline)
    expect(await signer.sign(refund, deadline)).toMatchObject(draft)
  })

  testAll([
    ['not a refund that an operator requested', { ...made.refundRecord({ sealedAs: {} }), redriveOf: null }],
    ['do not follow the fee rules', made.refundRecord({ sealedAs: {}, protocolFeeBps: 1 })],
    ['not a refund that an operator requested', made.refundRecord({ targetAddress: stranger, sealedAs: {} })],
    ['not a refund that an operator requested', made.refundRecord({ refundAddress: null, sealedAs: {} })],
    ['not a refund that an operator requested', made.refundRecord({ targetTokenAddress: stranger, sealedAs: {} })],
    ['not a refund that an operator requested', made.refundRecord({ targetChainId: chains.polygon.id, sealedAs: {} })],
    [
      'not a refund that an operator requested',
      withRoute(signable({ kind: 'DIRECT', gasFeeRaw: 0n }), { kind: 'REFUND' }),
    ],
    ['has no call', withRoute(refund, { call: bridge.facts.route!.call })],
    ['pays the whole amount', withRoute(refund, { amountOutMin: '1' })],
    ['for another amount', withRoute(refund, { amountIn: '1' })],
    ['sponsored', withFees(refund, { gasFeeSkipReason: 'NONE' })],
    ['routeId', { ...refund, id: `${refund.id}0` }],
  ] as const)(
    'refused: a refund that departs from the operator’s request, with the reason',
    async (reason, execution) => {
      expect(await refusalOf(execution)).toMatch(reason)
    },
  )

  test('refused: a refund without a RecoveryExecutor', async () => {
    expect(await refusalOf(refund, signerOf({ recoveryExecutor: null }))).toMatch('There is no RecoveryExecutor')
  })

  test('refused: a gas fee on a refund, which the contract would reject', async () => {
    const fees = { gasFeeRaw: '5', amountForSwapRaw: '24999995' }
    const charged = withRoute(withFees(refund, fees), { amountIn: '24999995', amountOutMin: '24999995' })
    expect(await refusalOf(charged)).toMatch(/should be skipped/)
  })
})

const word = (address: Address) => pad(address.toLowerCase() as Address)
const twentyBytes = fc.uint8Array({ minLength: 20, maxLength: 20 })
const anyAddress = twentyBytes.map((bytes) => addressOf(bytes.join()))
const anyAmount = fc.bigInt({ min: 1n, max: 2n ** 128n })
const alteration = fc.oneof(
  anyAddress.map((to) => ({ recipient: to })),
  anyAddress.map((token) => ({ token })),
  anyAddress.map((tokenOut) => ({ tokenOut })),
  anyAmount.filter((other) => other !== amount).map((other) => ({ amount: other })),
  fc
    .integer({ min: 0, max: 2 ** 31 })
    .filter((id) => id !== asked.toChainId)
    .map((toChainId) => ({ toChainId })),
  fc.constant({ bridge: { hasSourceSwaps: true } }),
  fc.constant({ bridge: { hasDestinationCall: true } }),
)

test('property: no call that departs from the demand is ever signed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(alteration, { minLength: 1, maxLength: 3 }), async (changes) => {
      expect(await refusalOf(bridgeWith(Object.assign({}, ...changes)))).not.toBeNull()
    }),
    { numRuns: 300 },
  )
})

test('property: no other target, selector or spender is ever signed', async () => {
  const { data } = bridge.facts.route!.call!
  const calls = fc.oneof(
    anyAddress.map((target) => ({ target })),
    anyAddress.map((spender) => ({ spender })),
    fc
      .uint8Array({ minLength: 4, maxLength: 4 })
      .map((bytes) => Buffer.from(bytes).toString('hex'))
      .filter((selector) => !data.startsWith(`0x${selector}`))
      .map((selector) => ({ data: `0x${selector}${data.slice(10)}` as Hex })),
  )
  await fc.assert(
    fc.asyncProperty(calls, async (call) => expect(await refusalOf(withCall(bridge, call))).not.toBeNull()),
    { numRuns: 300 },
  )
})

test('property: a signed call meets the demand whatever bytes were altered', async () => {
  const { data } = bridge.facts.route!.call!
  const bytes = fc.array(fc.tuple(fc.nat((data.length - 2) / 2 - 1), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  })
  let signed = 0
  await fc.assert(
    fc.asyncProperty(bytes, async (changes) => {
      const altered = Buffer.from(data.slice(2), 'hex')
      for (const [at, by] of changes) altered[at]! ^= by
      const execution = withCall(bridge, { data: `0x${altered.toString('hex')}` })
      if ((await refusalOf(execution)) !== null) return
      signed++
      const { args } = decodeFunctionData({ abi: devBridgeAbi, data: execution.facts.route!.call!.data })
      const [given, output] = args as unknown as [Record<string, unknown>, Record<string, unknown>]
      expect(given).toMatchObject({ receiver: recipient, sendingAssetId: tokens.in, minAmount: amount })
      expect(given).toMatchObject({ destinationChainId: BigInt(asked.toChainId), hasSourceSwaps: false })
      expect(given['hasDestinationCall']).toBe(false)
      expect(output).toMatchObject({
        receiverAddress: word(recipient),
        refundAddress: word(made.account),
        message: '0x',
      })
      expect(output['receivingAssetId']).toBe(word(tokens.out))
      expect(output['outputAmount'] as bigint).toBeGreaterThanOrEqual(minOut)
    }),
    { numRuns: 500 },
  )
  expect(signed).toBeGreaterThan(0)
})
