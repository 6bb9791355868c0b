import { expect, test } from 'bun:test'
import { type ErrorCode, RoutingError } from '../../../src/domain/error'
import { defaultPolicy } from '../../../src/domain/execution/route'
import { RoutingPaused } from '../../../src/domain/unavailable'
import type { Preview } from '../../../src/ports/prices'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, usdc } from '../world'
import { priced } from './priced'

const body = { userId: 'user-1', fromChainId: 8453, fromTokenSymbol: 'USDC', amountInAtomic: '25000000' }
const overrides = {
  overrideTargetChainId: target.targetChainId,
  overrideTargetTokenAddress: target.targetTokenAddress,
  overrideTargetAddress: target.targetAddress,
}
const failing =
  (code: ErrorCode): Preview =>
  async () => {
    throw new RoutingError(code)
  }

const path = '/api/routing/simulate-deposit'

test('a simulation shows what the deposit would become, and stores nothing', async () => {
  const { ask, client, store } = await peopledWorld({ preview: priced })
  await ask('/api/deposit-intents', { key: client, body: { userId: 'user-1', ...target } })
  const before = JSON.stringify([store.accounts.all(), store.intents.all(), store.executions.all()])
  const { status, json } = await ask(path, { key: client, body })
  expect([status, json]).toEqual([
    200,
    {
      ...body,
      hasIntent: true,
      fromChainKey: 'base',
      targetChainId: 42161,
      targetChainKey: 'arbitrum',
      targetTokenSymbol: 'USDC',
      targetAddress: target.targetAddress,
      amountOutExpectedAtomic: '24831711',
      gasFeeRaw: '18432',
      gasFeeSkipReason: 'NONE',
      amountForSwapAtomic: '24856568',
      provider: 'lifi',
      policy: defaultPolicy,
    },
  ])
  expect(JSON.stringify([store.accounts.all(), store.intents.all(), store.executions.all()])).toBe(before)
})

test('a simulation uses the described deposit: the user’s account, the token and the intent’s snapshot', async () => {
  const seen: Parameters<Preview>[] = []
  const preview: Preview = async (...asked) => {
    seen.push(asked)
    return priced(...asked)
  }
  const { ask, client } = await peopledWorld({ preview })
  const { json } = await ask('/api/deposit-intents', { key: client, body: { userId: 'user-1', ...target } })
  await ask(path, { key: client, body: { ...body, fromTokenSymbol: 'usdc', overrideTargetChainId: 1 } })
  const [deposit, intent] = seen[0]!
  expect(deposit.deposit).toMatchObject({
    account: json.depositAddress,
    token: usdc.base,
    decimals: 6,
    amountRaw: '25000000',
  })
  expect(intent).toMatchObject({ version: 1, targetChainId: 1, targetTokenAddress: usdc.arbitrum, protocolFeeBps: 50 })
  expect((await ask('/api/users/user-1/deposit-intent', { key: client })).json.targetChainId).toBe(42161)
})

test('the three overrides together replace an intent, and a user with neither is 404', async () => {
  const { ask, client } = await peopledWorld({ preview: priced })
  const whole = await ask(path, { key: client, body: { ...body, ...overrides } })
  expect([whole.status, whole.json.hasIntent]).toEqual([200, false])
  for (const name of Object.keys(overrides)) {
    const { status, json } = await ask(path, { key: client, body: { ...body, ...overrides, [name]: undefined } })
    expect([status, json.message]).toEqual([404, 'No deposit intent for this user'])
  }
})

testAll([
  ['TOKEN_BLACKLISTED', 422, 'TOKEN_BLACKLISTED'],
  ['ADDRESS_BLACKLISTED', 422, 'TOKEN_BLACKLISTED'],
  ['NO_ROUTE', 422, 'FAILED_UNROUTABLE_MAIN'],
  ['ROUTE_OUTSIDE_POLICY', 422, 'FAILED_UNROUTABLE_MAIN'],
  ['INVALID_TARGET', 422, 'FAILED_INVALID_INPUT'],
  ['FEES_EXCEED_DEPOSIT', 422, 'FAILED_INSUFFICIENT_AFTER_FEES'],
  ['MONTHLY_QUOTA_REACHED', 429, 'QUOTA_EXCEEDED'],
  ['PROVIDER_TIMEOUT', 503, 'PROVIDER_UNAVAILABLE'],
  ['RPC_UNREACHABLE', 503, 'PROVIDER_UNAVAILABLE'],
] as const)('a deposit that would fail is refused with the code of its failure', async (cause, status, code) => {
  const { ask, client } = await peopledWorld({ preview: failing(cause) })
  const { json, headers, ...answer } = await ask(path, { key: client, body: { ...body, ...overrides } })
  expect([answer.status, headers.get('x-error-code'), json.code]).toEqual([
    status,
    code,
    status === 422 ? code : undefined,
  ])
})

test('a deposit that a pause would hold is refused with the code of a pause', async () => {
  const { ask, client } = await peopledWorld({ preview: () => Promise.reject(new RoutingPaused()) })
  const { status, headers } = await ask(path, { key: client, body: { ...body, ...overrides } })
  expect([status, headers.get('x-error-code')]).toEqual([503, 'ROUTING_PAUSED'])
})

testAll([
  ['zero', { amountInAtomic: '0' }],
  ['negative', { amountInAtomic: '-1' }],
  ['signed', { amountInAtomic: '+1' }],
  ['hexadecimal', { amountInAtomic: '0x10' }],
  ['fractional', { amountInAtomic: '1.5' }],
  ['exponential', { amountInAtomic: '1e6' }],
  ['padded', { amountInAtomic: '01' }],
  ['a number', { amountInAtomic: 25 }],
  ['above 2^256-1', { amountInAtomic: (2n ** 256n).toString() }],
  ['that no token has', { amountInAtomic: (2n ** 256n - 1n).toString() }],
  ['absent', { amountInAtomic: undefined }],
  ['of no user', { userId: undefined }],
  ['of no chain', { fromChainId: undefined }],
  ['of no token', { fromTokenSymbol: undefined }],
  ['of an unknown chain', { fromChainId: 5 }],
  ['of an unknown token', { fromTokenSymbol: 'NOPE' }],
  ['to a malformed address', { overrideTargetAddress: '0x1' }],
])('a malformed amount is 400', async (_case, change) => {
  const { ask, client } = await peopledWorld({ preview: priced })
  expect((await ask(path, { key: client, body: { ...body, ...overrides, ...change } })).status).toBe(400)
})

test('the largest possible amount of a token is valid', async () => {
  const { ask, client } = await peopledWorld({ preview: priced })
  const amountInAtomic = (2n ** 128n - 1n).toString()
  expect((await ask(path, { key: client, body: { ...body, ...overrides, amountInAtomic } })).status).toBe(200)
})
