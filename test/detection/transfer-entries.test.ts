import { expect, test } from 'bun:test'
import { transferEntries } from '../../src/detection/webhooks/transfer-entries'
import { zeroAddress } from '../../src/domain/chain/hex'
import { hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const account = '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115'
const isListed = (_chain: number, token: string) => token.toLowerCase() === usdc

const entry = (n: number, change: object = {}) => ({
  blockNum: '0x1a2b3c',
  hash: hashOf(n),
  fromAddress: '0x50',
  toAddress: account.toLowerCase(),
  value: 25.5,
  asset: 'USDC',
  category: 'token',
  rawContract: { rawValue: '0x01851960', address: usdc, decimals: 6 },
  log: { logIndex: '0x6e', removed: false },
  ...change,
})
/** As JSON: undefined fields are missing. */
const read = <Body>(said: Body): Body => JSON.parse(JSON.stringify(said))
const body = (activity: unknown[], network = 'BASE_MAINNET') => ({
  webhookId: 'wh_secret',
  id: 'whevt_a1b2',
  createdAt: '2026-11-20T10:00:00.123Z',
  type: 'ADDRESS_ACTIVITY',
  event: { network, activity },
})

test('each transfer has its own unchanged entry under its deposit’s id, without the sender of the webhook', () => {
  const said = transferEntries(body([entry(1), entry(2)]), 7, isListed)
  expect(said.map(({ text: _, ...rest }) => rest)).toEqual(
    [1, 2].map((n) => ({
      id: `8453:${hashOf(n)}:110`,
      chainId: 8453,
      account,
      token: usdc,
      block: 0x1a2b3c,
      at: 7,
    })),
  )
  expect(JSON.parse(said[0]!.text!)).toEqual({
    type: 'ADDRESS_ACTIVITY',
    createdAt: '2026-11-20T10:00:00.123Z',
    event: { network: 'BASE_MAINNET', activity: [entry(1)] },
  })
  expect(JSON.stringify(said)).not.toMatch(/wh_secret|whevt/)
})

test('each payment of a native coin has its own id, from its transaction, its call and its recipient', () => {
  const coin = (n: number, change: object) => entry(n, { rawContract: { rawValue: '0x5', address: null }, ...change })
  const said = transferEntries(
    read(
      body([
        coin(1, { category: 'external', typeTraceAddress: null, log: undefined }),
        coin(1, { category: 'internal', typeTraceAddress: 'call_0', log: undefined }),
        coin(1, { category: 'internal', typeTraceAddress: 'call_0_1', log: undefined, blockNum: undefined }),
        coin(2, { category: 'internal', typeTraceAddress: 'a:b', log: undefined }),
      ]),
    ),
    7,
    isListed,
  )
  const to = account.toLowerCase()
  expect(said.map(({ id, token, block }) => [id, token, block])).toEqual([
    [`8453:${hashOf(1)}:external:${to}`, zeroAddress, 0x1a2b3c],
    [`8453:${hashOf(1)}:call_0:${to}`, zeroAddress, 0x1a2b3c],
    [`8453:${hashOf(1)}:call_0_1:${to}`, zeroAddress, null],
  ])
})

test('a message longer than four kilobytes is recorded without its text', () => {
  const [said] = transferEntries(body([entry(1, { asset: 'x'.repeat(5_000) })]), 7, isListed)
  expect(said).toMatchObject({ id: `8453:${hashOf(1)}:110`, text: null })
})

testAll<[string, object]>([
  ['a token on no list', { rawContract: { rawValue: '0x1', address: `0x${'9'.repeat(40)}` } }],
  ['nothing at all', { rawContract: { rawValue: '0x0', address: usdc } }],
  ['a transfer that a reorganization removed', { log: { logIndex: '0x6e', removed: true } }],
  ['a native coin with a zero amount', { category: 'external', rawContract: { rawValue: '0x0', address: null } }],
  ['a collectible', { category: 'erc721' }],
  ['a malformed address', { toAddress: '<script>' }],
])('a transfer that is not a deposit leaves no entry', (_case, change) => {
  expect(transferEntries(body([entry(1, change)]), 7, isListed)).toEqual([])
})

testAll([null, 7, {}, { type: 'ADDRESS_ACTIVITY' }, body([null, 7, 'x', {}]), body([entry(1)], 'OPT_MAINNET')])(
  'any malformed body is read without an error',
  (odd) => expect(transferEntries(odd, 7, isListed)).toEqual([]),
)
