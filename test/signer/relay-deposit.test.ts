import { expect, test } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import { type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { tokenBySymbol, wrappedNativeOf } from '../../src/domain/money/token'
import { tokenMessenger } from '../../src/protocols/cctp/burn'
import { lifiDiamond, stargateTokenOf, usdcOf } from '../../src/protocols/lifi/diamond'
import { type RelayTerms, relayDeposit, relayDepository } from '../../src/protocols/relay/relay-order'
import { deployedRules, rulesFor } from '../../src/signer/all-rules'
import { type Demand, limits } from '../../src/signer/function-rule'
import { relayRules } from '../../src/signer/relay-deposit'
import { addressOf } from '../support/signable'
import { testAll } from '../support/test-all'

const [fromChainId, toChainId] = [chains.base.id, chains.arbitrum.id]
const [solver, stranger] = [addressOf('solver'), addressOf('a stranger')]
const time = 1_800_000_000
const demand: Demand = {
  ...{ account: addressOf('account'), fromChainId, token: usdcOf(fromChainId), amount: 25_000_000n },
  ...{ toChainId, tokenOut: usdcOf(toChainId), recipient: addressOf('recipient') },
  ...{ minOut: 24_900_000n, nativeFee: 0n, time },
}
const refund = {
  ...{ isDestination: false, currency: demand.token, minimumAmount: 0n },
  ...{ deadline: time + 60, extraData: `0x${'7'.repeat(64)}` as Hex },
}
const there = { ...refund, isDestination: true, currency: demand.tokenOut }
const terms: RelayTerms = {
  ...{ salt: `0x${'5'.repeat(64)}`, expectedAmount: 24_950_000n, minimumAmount: demand.minOut },
  ...{ deadline: time + 60, extraData: `0x${'6'.repeat(64)}`, refunds: [refund, there] },
}
const [erc20, native] = relayRules(solver)
const objectionTo = (changed: Partial<RelayTerms> = {}, asked: Partial<Demand> = {}) =>
  erc20!.objection(relayDeposit({ ...demand, solver }, { ...terms, ...changed }), { ...demand, ...asked })

test('two functions of the depository are listed, one for tokens and one for native coin', () => {
  expect([erc20, native].map((rule) => [rule!.kind, rule!.target, rule!.guard, rule!.selector])).toEqual([
    ['BRIDGE', relayDepository, 'RelayDepositGuard', '0xe8017952'],
    ['BRIDGE', relayDepository, 'RelayDepositGuard', '0x49290c1c'],
  ])
  expect(relayRules(solver)).toHaveLength(2)
})

test('a deposit of the demanded order is allowed, in a token and in native coin', () => {
  expect(objectionTo()).toBeNull()
  const coin = { ...demand, token: zeroAddress }
  const data = relayDeposit({ ...coin, solver }, { ...terms, refunds: [{ ...refund, currency: zeroAddress }] })
  expect(native!.objection(data, coin)).toBeNull()
})

test('each function takes only its own money, and no native fee', () => {
  const data = relayDeposit({ ...demand, solver }, terms)
  expect(native!.objection(data, demand)).toBe('sends another token')
  expect(erc20!.objection(data, { ...demand, token: zeroAddress })).toBe('sends another token')
  expect(objectionTo({}, { nativeFee: 1n })).toBe('needs no native fee')
})

test('the order must follow the call, and its id must be that of the demand', () => {
  const data = relayDeposit({ ...demand, solver }, terms)
  expect(erc20!.objection(data.slice(0, -2) as Hex, demand)).toBe('does not contain its order')
  const changes: Partial<Demand>[] = [
    { account: stranger },
    { recipient: stranger },
    { amount: demand.amount + 1n },
    { tokenOut: tokenBySymbol(toChainId, 'WETH').address },
  ]
  for (const change of changes) {
    const refunds = [refund, { ...there, currency: zeroAddress }]
    expect([change, objectionTo({ refunds }, change)]).toEqual([change, 'has another order than the intent'])
  }
})

testAll<[string, Partial<RelayTerms>, string | null]>([
  ['its minimum is one unit short', { minimumAmount: demand.minOut - 1n }, 'delivers too little'],
  ['it expects its minimum', { expectedAmount: demand.minOut }, null],
  ['it expects less', { expectedAmount: demand.minOut - 1n }, 'expects less than its minimum'],
  ['it ends now', { deadline: time }, 'is open for too long or too short'],
  ['it ends in a second', { deadline: time + 1 }, null],
  ['it is open for as long as allowed', { deadline: time + limits.relayWindowMax }, null],
  ['it is open for a second more', { deadline: time + limits.relayWindowMax + 1 }, 'is open for too long or too short'],
  ['a refund ends now', { refunds: [refund, { ...there, deadline: time }] }, 'is open for too long or too short'],
  [
    'a refund is open for too long',
    { refunds: [{ ...refund, deadline: time + limits.relayWindowMax + 1 }] },
    'is open for too long or too short',
  ],
  ['it has four refunds', { refunds: [refund, there, there, there] }, null],
  ['it has five', { refunds: [refund, there, there, there, there] }, 'sends too many refunds'],
  ['it has none', { refunds: [] }, 'sends refunds to another account'],
  ['it refunds only on the destination', { refunds: [there] }, 'sends refunds to another account'],
  ['it refunds only on the source', { refunds: [refund] }, null],
  [
    'one of its refunds is in another token',
    { refunds: [refund, { ...there, currency: stranger }] },
    'refunds another token',
  ],
  [
    'it refunds the output token on the source',
    { refunds: [{ ...refund, currency: demand.tokenOut }] },
    'refunds another token',
  ],
])('an order is held to the demand and to the limits', (_what, changed, objection) => {
  expect(objectionTo(changed)).toBe(objection)
})

test('a refund on the destination is in the coin, its wrapped form, the output token or a token of the bridge', () => {
  const tether = stargateTokenOf(2, toChainId)!
  const output = tokenBySymbol(toChainId, 'WETH').address
  const wanted = { ...demand, tokenOut: output }
  const objection = (currency: Hex) =>
    erc20!.objection(
      relayDeposit({ ...wanted, solver }, { ...terms, refunds: [refund, { ...there, currency }] }),
      wanted,
    )
  for (const currency of [zeroAddress, wrappedNativeOf(toChainId).address, output, usdcOf(toChainId), tether])
    expect([currency, objection(currency)]).toEqual([currency, null])
  for (const currency of [stranger, demand.token]) expect(objection(currency)).toBe('refunds another token')
})

test('Relay’s deposits are signed only if Relay is configured, while the contracts always admit them', () => {
  const base = { relaySolver: solver, cctpUrl: null }
  const targets = (rules: readonly { target: string }[]) => [...new Set(rules.map(({ target }) => target))].toSorted()
  expect(targets(rulesFor({ ...base, relayUrl: null }))).toEqual([lifiDiamond])
  expect(targets(rulesFor({ ...base, relayUrl: 'https://relay.example' }))).toEqual(
    [lifiDiamond, relayDepository].toSorted(),
  )
  expect(targets(deployedRules(solver))).toEqual([lifiDiamond, relayDepository, tokenMessenger].toSorted())
})
