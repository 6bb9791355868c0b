import { expect, test } from 'bun:test'
import { quotaKeyOf } from '../../../src/domain/execution/execution'
import { plans, type Rates } from '../../../src/domain/tenant/organization'
import { rateLimits } from '../../../src/http/request/limits'
import type { Use, UseUpdates } from '../../../src/ports/limits'
import { executionOf } from '../../support/deposits'
import { peopledWorld, target } from '../world'

const rates = plans.free.rates as Rates
const path = '/api/users/user-1/executions'

/** Counts admitted requests when one comes every `everyMs`. */
function admitted(
  count: number,
  everyMs: number,
  limiters: ReturnType<typeof rateLimits>[],
  clock: { now: number },
): number {
  let passed = 0
  for (let n = 0; n < count; n++) {
    try {
      limiters[n % limiters.length]!('key', 'R', rates, {})
      passed++
    } catch {}
    clock.now += everyMs
  }
  return passed
}

test('a burst is admitted immediately, and exactly the rate afterwards', () => {
  const clock = { now: 0 }
  const limit = rateLimits(() => clock.now, null)
  expect(admitted(1_000, 0, [limit], clock)).toBe(100)
  clock.now += 1_000
  expect(admitted(1_000, 0, [limit], clock)).toBe(50)
  clock.now += 60_000
  expect(admitted(1_000, 0, [limit], clock)).toBe(100)
})

test('three processes together admit the same as one, within 10 %', () => {
  const clock = { now: 0 }
  const listeners: ((uses: Use[]) => void)[] = []
  const updates = (own: number): UseUpdates => ({
    publish: (uses) => {
      for (const [n, listener] of listeners.entries()) if (n !== own) listener(uses)
    },
    subscribe: (listener) => {
      listeners[own] = listener
    },
  })
  const limiters = [0, 1, 2].map((own) => rateLimits(() => clock.now, updates(own)))
  const passed = admitted(30_000, 1 / 3, limiters, clock)
  const fair = 100 + 10 * 50
  expect(Math.abs(passed - fair) / fair).toBeLessThan(0.1)
})

test('the headers show the remaining requests, and the excess is 429 with a retry time', async () => {
  const world = await peopledWorld()
  await world.organization('org_l', { plan: 'free', customPlan: null })
  const key = await world.key('org_l')
  const first = await world.ask(path, { key })
  expect(['limit', 'remaining', 'reset'].map((name) => first.headers.get(`ratelimit-${name}`))).toEqual([
    '100',
    '99',
    '1',
  ])
  for (let n = 1; n < 100; n++) await world.ask(path, { key })
  const over = await world.ask(path, { key })
  expect([over.status, over.json]).toEqual([
    429,
    { statusCode: 429, message: 'Quota exceeded', error: 'Too Many Requests' },
  ])
  expect(['ratelimit-remaining', 'retry-after', 'x-error-code'].map((name) => over.headers.get(name))).toEqual([
    '0',
    '1',
    'RATE_LIMITED',
  ])
  world.clock.now += 20
  expect((await world.ask(path, { key })).status).toBe(200)
})

test('each class and each key has its own bucket', async () => {
  const world = await peopledWorld()
  await world.organization('org_l', { plan: 'free', customPlan: null })
  const [key, other] = [await world.key('org_l'), await world.key('org_l')]
  const simulate = (sent: string) => world.ask('/api/routing/simulate-deposit', { key: sent, body: {} })
  for (let n = 0; n < 10; n++) expect((await simulate(key)).status).toBe(400)
  expect((await simulate(key)).status).toBe(429)
  expect([(await simulate(other)).status, (await world.ask(path, { key })).status]).toEqual([400, 200])
})

test('a 304 counts like a 200', async () => {
  const { ask, client } = await peopledWorld()
  const { headers } = await ask(path, { key: client })
  const again = await ask(path, { key: client, headers: { 'if-none-match': headers.get('etag')! } })
  expect([again.status, Number(again.headers.get('ratelimit-remaining'))]).toEqual([
    304,
    Number(headers.get('ratelimit-remaining')) - 1,
  ])
})

async function overQuota() {
  const world = await peopledWorld()
  await world.organization('org_q', { customPlan: { rates: { ...plans.scale.rates }, monthlyExecutions: 2 } })
  const key = await world.key('org_q')
  const quotaKey = quotaKeyOf('org_q', world.clock.now)
  await world.ask('/api/deposit-intents', { key, body: { userId: 'old', ...target } })
  for (const n of [1, 2])
    await world.store.executions.save(executionOf(n, { organizationId: 'org_q', facts: { quotaKey } }))
  return { ...world, key }
}

test('an exhausted monthly quota gives 429 for a new user and a simulation, and everything else continues', async () => {
  const { ask, key, clock, store } = await overQuota()
  const create = (userId: string) => ask('/api/deposit-intents', { key, body: { userId, ...target } })
  const refused = await create('new')
  expect([refused.status, refused.json.message, refused.headers.get('x-error-code')]).toEqual([
    429,
    'Quota exceeded',
    'QUOTA_EXCEEDED',
  ])
  expect(Number(refused.headers.get('retry-after'))).toBe((Date.UTC(2026, 11, 1) - clock.now) / 1_000)
  expect(store.accounts.all().length).toBe(1)
  const overrides = {
    overrideTargetChainId: target.targetChainId,
    overrideTargetTokenAddress: target.targetTokenAddress,
    overrideTargetAddress: target.targetAddress,
  }
  const simulated = await ask('/api/routing/simulate-deposit', {
    key,
    body: { userId: 'new', fromChainId: 8453, fromTokenSymbol: 'USDC', amountInAtomic: '1', ...overrides },
  })
  expect([simulated.status, simulated.headers.get('x-error-code')]).toEqual([429, 'QUOTA_EXCEEDED'])
  expect([
    (await create('old')).status,
    (await ask('/api/users/old/deposit-intent', { key })).status,
    (await ask(path, { key })).status,
  ]).toEqual([200, 200, 200])
  clock.now = Date.UTC(2026, 11, 1)
  expect((await create('new')).status).toBe(201)
})
