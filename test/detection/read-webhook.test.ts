import { expect, test } from 'bun:test'
import { signatureOf, signedFor } from '../../src/adapters/alchemy/signature'
import { readWebhook } from '../../src/detection/webhooks/pointers'
import { chains } from '../../src/domain/chain/chain'
import { testAll } from '../support/test-all'

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const [base, polygon] = [chains.base.id, chains.polygon.id]

const token = (n: number) => ({
  blockNum: '0x1a2b3c',
  hash: hash(n),
  fromAddress: '0x50',
  toAddress: '0xbe',
  value: 25.5,
  asset: 'USDC',
  category: 'token',
  erc721TokenId: null,
  erc1155Metadata: null,
  typeTraceAddress: null,
  rawContract: { rawValue: '0x01851960', address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 },
  log: { logIndex: '0x6e', removed: false },
})
const body = (network: string, activity: unknown[]) => ({
  webhookId: 'wh_k1',
  id: 'whevt_a1b2',
  createdAt: '2026-11-20T10:00:00.123456789Z',
  type: 'ADDRESS_ACTIVITY',
  event: { network, activity },
})

test('a transfer that only leaves our account gets no pointer, and every other transfer does', () => {
  const [ours, other, theirs] = ['0xa1', '0xa2', '0xbe']
  const between = (n: number, fromAddress: unknown, toAddress: unknown) => ({ ...token(n), fromAddress, toAddress })
  const activity = [
    between(1, ours, theirs),
    between(2, theirs, ours),
    between(3, ours, other),
    between(4, ours, null),
    between(5, undefined, theirs),
    between(6, ours, theirs), // the same transaction also brings us something
    between(6, theirs, other),
  ]
  const read = readWebhook(body('BASE_MAINNET', activity), 7, (address) => address === ours || address === other)
  const hashes = read.kind === 'POINTERS' ? read.pointers.map(({ txHash }) => txHash as string) : []
  expect(hashes).toEqual([2, 3, 4, 5, 6].map(hash))
})

test('a delivery is read as one pointer for each transaction, and its other fields are ignored', () => {
  const internal = { hash: hash(2), category: 'internal', value: 0.33, rawContract: { rawValue: '0x', address: null } }
  const read = readWebhook(body('BASE_MAINNET', [token(1), token(1), internal]), 7)
  expect(read).toEqual({
    kind: 'POINTERS',
    chainId: base,
    pointers: [
      { chainId: base, txHash: hash(1) as `0x${string}`, seenAt: 7 },
      { chainId: base, txHash: hash(2) as `0x${string}`, seenAt: 7 },
    ],
  })
})

test('a delivery older than a day is ignored', () => {
  const sent = body('BASE_MAINNET', [token(1)])
  const after = (hours: number) => readWebhook(sent, Date.parse('2026-11-20T10:00:00Z') + hours * 3_600_000).kind
  expect([after(0), after(24), after(26)]).toEqual(['POINTERS', 'POINTERS', 'UNKNOWN'])
})

testAll(['MATIC_MAINNET', 'MATICMAINNET'])('Polygon is recognized by both its names', (network) => {
  expect(readWebhook(body(network, [token(1)]), 7)).toMatchObject({ kind: 'POINTERS', chainId: polygon })
})

test('collectibles are not deposits, and an unknown network is ignored', () => {
  const collectible = { ...token(1), category: 'erc721' }
  expect(readWebhook(body('BASE_MAINNET', [collectible]), 7)).toMatchObject({ pointers: [] })
  expect(readWebhook(body('OPT_MAINNET', [token(1)]), 7)).toEqual({ kind: 'UNKNOWN' })
  expect(readWebhook({ type: 'MINED_TRANSACTION', event: {} }, 7)).toEqual({ kind: 'UNKNOWN' })
})

test('an item without a transaction or unreadable does not affect the other pointers', () => {
  const { hash: _, ...nowhere } = token(1)
  const odd = [nowhere, { ...token(1), hash: null }, { ...token(1), hash: '0x12' }, 'text', null]
  const pointed = { ...nowhere, log: { ...nowhere.log, transactionHash: hash(3) } }
  const read = readWebhook(body('BASE_MAINNET', [...odd, token(2), pointed]), 7)
  expect(read).toMatchObject({ pointers: [{ txHash: hash(2) }, { txHash: hash(3) }] })
  expect(readWebhook(body('BASE_MAINNET', [nowhere]), 7)).toMatchObject({ kind: 'POINTERS', pointers: [] })
})

test('a note on the sender’s own limits is a notice', () => {
  const event = { error: 'Monthly capacity limit exceeded' }
  expect(readWebhook({ type: 'ADDRESS_ACTIVITY', event }, 7)).toMatchObject({ kind: 'NOTICE' })
})

testAll([
  ['nothing', null],
  ['a text', 'hello'],
  ['a list', []],
  ['no activity', body('BASE_MAINNET', 'no' as never)],
  ['a malformed hash', body('BASE_MAINNET', [{ ...token(1), hash: '0x12' }])],
  ['a hash that is a number', body('BASE_MAINNET', [{ ...token(1), hash: 5 }])],
  ['an endless network', body('B'.repeat(100_000), [token(1)])],
  [
    'more than one delivery holds',
    body(
      'BASE_MAINNET',
      Array.from({ length: 10_001 }, () => token(1)),
    ),
  ],
])('malformed bodies are reported as malformed', (_what, said) => {
  expect(readWebhook(said, 7)).toEqual({ kind: 'MALFORMED' })
})

const bytes = new TextEncoder().encode('{"value":1.0}')

test('a chain accepts only signatures by its own webhook’s key, including the old key during a change', () => {
  const keys = { [base]: ['whsec_old', 'whsec_new'], [polygon]: ['whsec_polygon'] }
  expect(signedFor(bytes, signatureOf(bytes, 'whsec_old'), keys)).toEqual([base])
  expect(signedFor(bytes, signatureOf(bytes, 'whsec_new').toUpperCase(), keys)).toEqual([base])
  expect(signedFor(bytes, signatureOf(bytes, 'whsec_polygon'), keys)).toEqual([polygon])
  expect(signedFor(bytes, signatureOf(bytes, 'whsec_other'), keys)).toEqual([])
})

testAll([null, undefined, '', 'abc', '0'.repeat(63), 'z'.repeat(64), '0'.repeat(65)])(
  'a signature in another format is a forgery instead of an error',
  (signature) => expect(signedFor(bytes, signature, { [base]: ['whsec_old'] })).toEqual([]),
)

test('the signature covers the exact bytes of the body, and an empty key signs nothing', () => {
  const keys = { [base]: ['whsec_old'] }
  const same = new TextEncoder().encode('{"value":1}')
  expect(signedFor(same, signatureOf(bytes, 'whsec_old'), keys)).toEqual([])
  expect(signedFor(bytes, signatureOf(bytes, ''), { [base]: [''] })).toEqual([])
})
