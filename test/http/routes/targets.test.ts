import { expect, test } from 'bun:test'
import { RoutingError } from '../../../src/domain/error'
import { TemporarilyUnavailable } from '../../../src/domain/unavailable'
import type { ApiPorts } from '../../../src/http/app'
import { testAll } from '../../support/test-all'
import { factory, peopledWorld, target, usdc } from '../world'

const body = { userId: 'user-1', ...target }
const path = '/api/deposit-intents'
const unlisted = '0x1111111111111111111111111111111111111111'
const small = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const listed = (kind: string, address: string): Partial<ApiPorts> => ({
  blacklist: { isListed: (of, chain, what) => of === kind && chain === 42161 && what === address },
})
const bare: Partial<ApiPorts> = { hasCode: async () => false }

const cases: [what: string, change: object, ports: Partial<ApiPorts>, code: string, message: string][] = [
  [
    'a token without a contract',
    { targetTokenAddress: unlisted },
    bare,
    'TARGET_TOKEN_NOT_FOUND',
    'There is no contract at the target token address on Arbitrum One',
  ],
  [
    'Base’s USDC on Arbitrum',
    { targetTokenAddress: usdc.base },
    bare,
    'TARGET_TOKEN_OF_OTHER_CHAIN',
    'The target token address is that of USDC on Base; on Arbitrum One there is no contract at it',
  ],
  [
    'Polygon’s own name for its coin on Arbitrum',
    { targetTokenAddress: small(0x1010) },
    bare,
    'TARGET_TOKEN_OF_OTHER_CHAIN',
    'The target token address is that of POL on Polygon PoS; on Arbitrum One there is no contract at it',
  ],
  [
    'a recipient on the security list',
    {},
    listed('ADDRESS', target.targetAddress),
    'TARGET_ADDRESS_BLACKLISTED',
    'The target address is on the security list',
  ],
  [
    'a token on the security list',
    {},
    listed('TOKEN', usdc.arbitrum),
    'TARGET_TOKEN_BLACKLISTED',
    'The target token is on the security list',
  ],
  [
    'the token as the recipient',
    { targetAddress: usdc.arbitrum },
    {},
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the contract of a token',
  ],
  [
    'another token as the recipient',
    { targetAddress: usdc.arbitrum, targetTokenAddress: small(0) },
    {},
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the contract of a token',
  ],
  ...[small(1), small(0x64), small(0x100), small(0xffff), factory.registry].map(
    (targetAddress): (typeof cases)[number] => [
      `a program of the chain or of ours, ${targetAddress}, as the recipient`,
      { targetAddress },
      {},
      'TARGET_ADDRESS_NOT_PAYABLE',
      'Nobody can spend what is sent to the target address',
    ],
  ),
]

testAll(cases)(
  'a bad target is refused by a code of its own, in the body too, and nothing is stored',
  async (...one) => {
    const [, change, ports, code, message] = one
    const { ask, client, store } = await peopledWorld(ports)
    const { status, json, headers } = await ask(path, { key: client, body: { ...body, ...change } })
    expect([status, json, headers.get('x-error-code')]).toEqual([
      400,
      { statusCode: 400, message, error: 'Bad Request', code },
      code,
    ])
    expect([store.intents.all(), store.accounts.all(), store.auditLog.entries]).toEqual([[], [], []])
  },
)

testAll(cases)('a simulation with a bad target says the same', async (...one) => {
  const [, change, ports, code, message] = one
  const { ask, client } = await peopledWorld(ports)
  const wanted: Record<string, unknown> = { ...target, ...change }
  const overrides = Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [`overrideT${name.slice(1)}`, value]),
  )
  const { status, json, headers } = await ask('/api/routing/simulate-deposit', {
    key: client,
    body: { userId: 'user-1', fromChainId: 8453, fromTokenSymbol: 'USDC', amountInAtomic: '25000000', ...overrides },
  })
  expect([status, json.message, json.code, headers.get('x-error-code')]).toEqual([400, message, code, code])
})

test('a deposit address is not accepted as the recipient of its own money, nor one that sends it back', async () => {
  const { ask, client, store } = await peopledWorld()
  const put = (userId: string, targetAddress: string): ReturnType<typeof ask> =>
    ask(path, { key: client, body: { ...body, userId, targetAddress } })
  const [a, b] = [await put('a', target.targetAddress), await put('b', target.targetAddress)]
  const own = await put('a', a.json.depositAddress)
  expect([own.status, own.json.code, own.json.message]).toEqual([
    400,
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the deposit address itself',
  ])
  expect((await put('a', b.json.depositAddress)).status).toBe(200)
  expect((await put('c', a.json.depositAddress)).status).toBe(201)
  const round = await put('b', (await put('c', a.json.depositAddress)).json.depositAddress)
  expect([round.status, round.json.code, round.json.message]).toEqual([
    400,
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address sends the money back here',
  ])
  expect((await store.intents.load(b.json.depositAddress))!.targetAddress).toBe(target.targetAddress)
})

test('another organization’s deposit address is a recipient like any other: nothing is told of it', async () => {
  const { ask, client, stranger } = await peopledWorld()
  const put = (key: string, targetAddress: string): ReturnType<typeof ask> =>
    ask(path, { key, body: { ...body, targetAddress } })
  const theirs = await put(stranger, target.targetAddress)
  const ours = await put(client, theirs.json.depositAddress)
  expect([ours.status, (await put(stranger, ours.json.depositAddress)).status]).toEqual([201, 200])
})

testAll([
  ['a contract is there', () => Promise.resolve(true), 201],
  ['there is none', () => Promise.resolve(false), 400],
  ['the chain cannot be read', () => Promise.reject(new RoutingError('RPC_UNREACHABLE')), 201],
  ['its node is left alone', () => Promise.reject(new TemporarilyUnavailable('Arbitrum One', 5_000, 'NODE')), 201],
  ['nobody expected what happened', () => Promise.reject(new TypeError('a bug')), 201],
  ['the chain does not answer', () => new Promise<boolean>(() => {}), 201],
] as const)('of a token on no list the chain is asked', async (_case, hasCode, status) => {
  const { ask, client } = await peopledWorld({ hasCode })
  const answer = await ask(path, { key: client, body: { ...body, targetTokenAddress: unlisted } })
  expect(answer.status).toBe(status)
})

test('a chain is asked once about a contract that is there, each time about one that is not, and never about a listed token', async () => {
  const asked: string[] = []
  const { ask, client } = await peopledWorld({
    hasCode: async (chainId, address): Promise<boolean> =>
      asked.push(`${chainId}:${address}`) > 0 && address === unlisted,
  })
  const put = (change: object) => ask(path, { key: client, body: { ...body, ...change } })
  const [good, bad] = [{ targetTokenAddress: unlisted }, { targetTokenAddress: usdc.base }]
  for (const change of [{}, good, good, bad, bad, { targetTokenAddress: small(0) }]) await put(change)
  expect(asked).toEqual([`42161:${unlisted}`, `42161:${usdc.base}`, `42161:${usdc.base}`])
})
