import { expect, test } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import { type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { tokenBySymbol } from '../../src/domain/money/token'
import { type Burn, depositForBurn, tokenMessenger, wordOf } from '../../src/protocols/cctp/burn'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import { deployedRules, rulesFor } from '../../src/signer/all-rules'
import { cctpRules } from '../../src/signer/cctp-burn'
import type { Demand } from '../../src/signer/function-rule'
import { addressOf } from '../support/signable'

const [fromChainId, toChainId] = [chains.base.id, chains.arbitrum.id]
const stranger = addressOf('a stranger')
const demand: Demand = {
  account: addressOf('account'),
  fromChainId,
  token: usdcOf(fromChainId),
  amount: 25_000_000n,
  toChainId,
  tokenOut: usdcOf(toChainId),
  recipient: addressOf('recipient'),
  minOut: 24_997_500n,
  nativeFee: 0n,
  time: 1_800_000_000,
}
const burn: Burn = {
  amount: demand.amount,
  destinationDomain: 3,
  mintRecipient: wordOf(demand.recipient),
  burnToken: demand.token,
  destinationCaller: `0x${'0'.repeat(64)}`,
  maxFee: 2_500n,
  minFinalityThreshold: 1_000,
}
const [rule] = cctpRules()
const objectionTo = (data: Hex, asked: Demand = demand) => rule!.objection(data, asked)

test('exactly one function of one contract is listed, with the guard that checks it on chain', () => {
  expect(cctpRules()).toHaveLength(1)
  expect(rule).toMatchObject({
    kind: 'BRIDGE',
    target: tokenMessenger,
    selector: '0x8e0250ee',
    guard: 'CctpBurnGuard',
  })
})

test('burns are signed only if CCTP is configured, while the contracts always admit them', () => {
  const base = { relayUrl: null, relaySolver: stranger }
  const targets = (rules: readonly { target: string }[]) => rules.map(({ target }) => target)
  expect(targets(rulesFor({ ...base, cctpUrl: null }))).not.toContain(tokenMessenger)
  expect(targets(rulesFor({ ...base, cctpUrl: 'https://circle.example' }))).toContain(tokenMessenger)
  expect(targets(deployedRules(stranger))).toContain(tokenMessenger)
})

test('a fast or standard burn to the recipient is allowed if its fee leaves the minimum', () => {
  for (const part of [{}, { maxFee: 0n }, { minFinalityThreshold: 2_000 }])
    expect(objectionTo(depositForBurn({ ...burn, ...part }))).toBeNull()
})

test('a burn with any other deviation is refused', () => {
  const others: [Partial<Burn>, string][] = [
    [{ amount: burn.amount - 1n }, 'sends another amount'],
    [{ destinationDomain: 0 }, 'goes to another chain'],
    [{ mintRecipient: wordOf(stranger) }, 'pays another recipient'],
    [{ mintRecipient: `0x01${burn.mintRecipient.slice(4)}` }, 'pays another recipient'],
    [{ burnToken: stranger }, 'sends another token'],
    [{ destinationCaller: wordOf(demand.account) }, 'lets only one caller deliver it'],
    [{ maxFee: 2_501n }, 'delivers too little'],
    [{ minFinalityThreshold: 500 }, 'is attested at an unknown finality'],
  ]
  for (const [part, objection] of others) expect(objectionTo(depositForBurn({ ...burn, ...part }))).toBe(objection)
  expect(objectionTo(`${depositForBurn(burn)}00`)).toBe('is encoded in an unusual way')
})

test('a burn that fits one demand is refused for another', () => {
  const data = depositForBurn(burn)
  const others: [Partial<Demand>, string][] = [
    [{ nativeFee: 1n }, 'needs no native fee'],
    [{ token: zeroAddress }, 'sends another token'],
    [{ fromChainId: chains.ethereum.id }, 'sends another token'],
    [{ amount: demand.amount + 1n }, 'sends another amount'],
    [{ toChainId: chains.avalanche.id }, 'goes to another chain'],
    [{ tokenOut: zeroAddress }, 'delivers another token'],
    [{ recipient: stranger }, 'pays another recipient'],
    [{ minOut: demand.minOut + 1n }, 'delivers too little'],
    [{ minOut: demand.amount + 1n }, 'delivers too little'],
  ]
  for (const [part, objection] of others) expect(objectionTo(data, { ...demand, ...part })).toBe(objection)
})

test('bridged USDC is refused as source and as target', () => {
  const bridged = tokenBySymbol(chains.polygon.id, 'USDC.e').address
  const fromPolygon = { ...demand, fromChainId: chains.polygon.id, token: bridged }
  expect(objectionTo(depositForBurn({ ...burn, burnToken: bridged }), fromPolygon)).toBe('sends another token')
  const toPolygon = { ...demand, toChainId: chains.polygon.id, tokenOut: bridged }
  expect(objectionTo(depositForBurn({ ...burn, destinationDomain: 7 }), toPolygon)).toBe('delivers another token')
})

test('a burn cannot stay on its own chain', () => {
  const here = { ...demand, toChainId: fromChainId, tokenOut: demand.token }
  expect(objectionTo(depositForBurn({ ...burn, destinationDomain: 6 }), here)).toBe('goes to another chain')
})
