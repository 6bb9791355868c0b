import { expect, test } from 'bun:test'
import { getAddress } from 'viem'
import type { Execution } from '../../src/domain/execution/execution'
import {
  contradictionsIn,
  misformedIn,
  type ReceiptMessage,
  receiptDigest,
  receiptFields,
  receiptOf,
} from '../../src/domain/execution/receipt'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const at = Date.UTC(2026, 10, 21, 10)
const recipient = getAddress(addressOf(0xabcdef))
const target = getAddress(addressOf(0xbeef))
const facts = {
  intent: { version: 3, targetChainId: 42161, targetTokenAddress: target, targetAddress: recipient },
  routeId: hashOf(0x12),
  route: { provider: 'lifi' },
  fees: {
    ...{ totalReceivedRaw: '1000', protocolFeeEffective: '5', protocolFeeForgiven: '2' },
    ...{ gasFeeRaw: '6', amountForSwapRaw: '989' },
  },
  spent: { hash: hashOf(0x5e), block: 7, amountRaw: '1000', at },
  delivery: { hash: hashOf(0xde), chainId: 42161, token: target, amountRaw: '980', block: 9 },
} as unknown as Execution['facts']
const endedAs = (changed: Partial<Execution> = {}): Execution =>
  executionOf(
    1,
    { state: 'SUCCESS', status: 'SUCCESS', createdAt: at + 1, completedAt: at + 2, facts, ...changed },
    { detectedAt: at },
  )
const receipt = (changed: Partial<ReceiptMessage> = {}): ReceiptMessage => ({ ...receiptOf(endedAs())!, ...changed })

test('the digest of a receipt is the one that earlier releases signed', () => {
  expect(receiptDigest(receipt())).toBe('0xa3521c5dbd08d5a59916b2c6a5a7a39c278f4ac612fde5dadc72b9545e9be194')
  expect(receiptFields).toEqual(['domain', 'types', 'primaryType', 'message', 'digest', 'signer', 'signature'])
})

test('a part that is not known is empty, and a receipt of a failure names its cause', () => {
  const cause = { code: 'NO_ROUTE', category: 'VALIDATION', message: '', at } as const
  const failed = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', facts: {}, createdAt: null } as const
  const none = { intent: [], fees: [], route: [], spent: [], delivered: [] }
  expect(receiptOf(endedAs({ ...failed, cause }))).toMatchObject({ causeCode: 'NO_ROUTE', ...none })
  const unnamed = receiptOf(endedAs(failed))!
  expect([unnamed.causeCode, unnamed.createdAt, unnamed.detectedAt]).toEqual([
    ...['', new Date(at + 2).toISOString(), new Date(at).toISOString()],
  ])
  expect(receiptOf(endedAs({ cause }))!.causeCode).toBe('')
  const { intent: _, ...withoutIntent } = facts
  expect(receiptOf(endedAs({ facts: withoutIntent }))).toMatchObject({ intent: [], delivered: [], spent: [{}] })
  const { spent: __, route: ___, ...kept } = facts
  expect(receiptOf(endedAs({ facts: kept }))).toMatchObject({
    ...{ fees: [{ collected: false }], spent: [], route: [{ provider: '' }] },
  })
  expect(receiptOf(endedAs({ completedAt: null }))).toBeNull()
  expect(receiptOf(endedAs({ status: 'FAILED' }))).toBeNull()
  expect(receiptOf(endedAs({ status: null }))).toBeNull()
})

test('a receipt of every kind has its form', () => {
  expect(misformedIn(receipt())).toBeNull()
  const bare = { intent: [], fees: [], route: [], spent: [], delivered: [] } as const
  expect(misformedIn(receipt(bare as never))).toBeNull()
})

const deposit = receipt().deposit
testAll<[path: string, changed: object]>([
  ['message.executionId', { executionId: 7 }],
  ['message.extra', { extra: 1 }],
  ['message.deposit', { deposit: null }],
  ['message.deposit', { deposit: [] }],
  ['message.deposit', { deposit: 'text' }],
  ['message.deposit.chainId', { deposit: { ...deposit, chainId: -1 } }],
  ['message.deposit.chainId', { deposit: { ...deposit, chainId: 1.5 } }],
  ['message.deposit.chainId', { deposit: { ...deposit, chainId: '1' } }],
  ['message.deposit.account', { deposit: { ...deposit, account: deposit.account.toLowerCase() } }],
  ['message.deposit.account', { deposit: { ...deposit, account: '0x1' } }],
  ['message.deposit.token', { deposit: { ...deposit, token: 5 } }],
  ...['01', '', '-1', '1 ', ' 1', '1'.repeat(79), 5].map((amount): [string, object] => [
    ...(['message.deposit.amount', { deposit: { ...deposit, amount } }] as const),
  ]),
  ['message.deposit.txHash', { deposit: { ...deposit, txHash: hashOf(1) } }],
  ['message.deposit.txHash', { deposit: { ...deposit, txHash: [hashOf(1), hashOf(2)] } }],
  ...[`${hashOf(1)}0`, `x${hashOf(1)}`, hashOf(0xa).toUpperCase(), 1].map((hash): [string, object] => [
    ...(['message.deposit.txHash[0]', { deposit: { ...deposit, txHash: [hash] } }] as const),
  ]),
  ['message.fees[0].collected', { fees: [{ ...receipt().fees[0], collected: 'yes' }] }],
  ...['-0', '-01', '--1', 'a-1', '-1a', `-${'1'.repeat(78)}`, -1].map((routed): [string, object] => [
    ...(['message.fees[0].routed', { fees: [{ ...receipt().fees[0], routed }] }] as const),
  ]),
])('the first field without its form is named', (path, changed) => {
  expect(misformedIn({ ...receipt(), ...changed })).toBe(path)
})

test('the smallest and the largest values have their form', () => {
  const values = { ...deposit, chainId: 0, amount: '9'.repeat(78), txHash: [], logIndex: [] }
  expect(misformedIn({ ...receipt(), deposit: values })).toBeNull()
  for (const routed of ['0', '-1', `-${'9'.repeat(77)}`])
    expect(misformedIn({ ...receipt(), fees: [{ ...receipt().fees[0], routed }] })).toBeNull()
})

const [fees, spent, delivered] = [receipt().fees[0]!, receipt().spent[0]!, receipt().delivered[0]!]
const other = getAddress(addressOf(0xbad))
testAll<[sentence: RegExp, changed: Partial<ReceiptMessage>]>([
  [/fees do not add up/, { fees: [{ ...fees, gasFee: '7' }] }],
  [/collected exactly when/, { fees: [{ ...fees, collected: false }] }],
  [/spent token or chain/, { spent: [{ ...spent, chainId: 1 }] }],
  [/spent token or chain/, { spent: [{ ...spent, token: other }] }],
  [/never left the account/, { spent: [], fees: [] }],
  [/another recipient/, { delivered: [{ ...delivered, recipient: other }] }],
  [/has no delivery/, { delivered: [], intent: [] }],
  [/another token, or on another chain/, { delivered: [{ ...delivered, token: other }] }],
  [/another token, or on another chain/, { delivered: [{ ...delivered, chainId: 1 }] }],
])('a part that contradicts another is named, alone', (sentence, changed) => {
  const [told, ...more] = contradictionsIn(receipt(changed))
  expect([told, more]).toEqual([expect.stringMatching(sentence), []])
})

test('a sound receipt contradicts nothing, nor does one whose parts are not known', () => {
  expect(contradictionsIn(receipt())).toEqual([])
  const failed = { status: 'DEAD_LETTER', delivered: [] } as const
  expect(contradictionsIn(receipt({ ...failed, delivered: [] }))).toEqual([])
  expect(contradictionsIn(receipt({ ...failed, delivered: [], spent: [], fees: [], intent: [] }))).toEqual([])
  const partial = [{ ...delivered, token: other }] as [typeof delivered]
  expect(contradictionsIn(receipt({ status: 'DEAD_LETTER', delivered: partial }))).toEqual([])
})
