import { expect, test } from 'bun:test'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { executionOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { peopledWorld, usdc } from '../world'

const from = '2026-11-01'
const worth = async () => ({ usd: 100_000_000n, decimals: 6 })

/** A deposit of 25 USDC that a key's intent led to SUCCESS. */
async function delivered(
  world: Awaited<ReturnType<typeof peopledWorld>>,
  n: number,
  organizationId: string,
  key: string,
) {
  const at = world.clock.now
  const intent = { apiKeyId: key, targetChainId: 42161 } as never
  const ended = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: at } as const
  await world.store.executions.save(
    executionOf(
      n,
      { ...ended, organizationId, createdAt: at, facts: { intent } },
      { amountRaw: '25000000', detectedAt: at, token: usdc.base, chainId: 8453 },
    ),
  )
}

test('requests count by key and day for any response: found, refused, unknown or rate limited', async () => {
  const world = await peopledWorld()
  const { ask, client, operator } = world
  await ask('/api/lifecycle', { key: client })
  await ask('/api/executions/none', { key: client })
  await ask('/api/operator/states', { key: client })
  await ask('/api/deposit-intents', { key: client, body: {} })
  await ask('/api/lifecycle', { key: 'sy_unknown' })
  const { json, headers } = await ask('/api/usage', { key: operator })
  expect(headers.get('cache-control')).toBe('private, no-cache')
  expect(json).toMatchObject({
    from,
    to: '2026-11-21',
    quota: { month: '2026-11', resetsAt: '2026-12-01T00:00:00.000Z' },
  })
  expect(json.days).toEqual([
    expect.objectContaining({
      date: '2026-11-21',
      apiKeyId: 'key_1',
      apiKeyLabel: 'test',
      requests: 4,
      requestErrors: 3,
    }),
  ])
})

test('a rate-limited request counts', async () => {
  const world = await peopledWorld()
  const one = { perSecond: 0.001, burst: 1 }
  await world.organization('org_c', { customPlan: { rates: { R: one, W: one, S: one, X: one }, monthlyExecutions: 5 } })
  const key = await world.key('org_c')
  for (const status of [200, 429, 429]) expect((await world.ask('/api/lifecycle', { key })).status).toBe(status)
  const { json } = await world.ask('/api/usage?organizationId=org_c', { key: world.platform })
  expect(json.days).toMatchObject([{ requests: 3, requestErrors: 2 }])
  expect(json.quota.limit).toBe(5)
})

test('each organization sees its own usage, and platform operators all or a named organization’s', async () => {
  const world = await peopledWorld({ worth })
  const { ask, client, stranger, platform } = world
  await delivered(world, 1, 'org_a', 'key_1')
  await delivered(world, 2, 'org_b', 'key_3')
  const keysOf = async (key: string, query = '') => {
    const { json } = await ask(`/api/usage${query}`, { key })
    return (json.days as { apiKeyId: string; deposits: number }[]).flatMap((day) => (day.deposits ? day.apiKeyId : []))
  }
  expect(await keysOf(client)).toEqual(['key_1'])
  expect(await keysOf(stranger)).toEqual(['key_3'])
  expect(await keysOf(stranger, '?apiKeyId=key_1')).toEqual([])
  expect(await keysOf(platform)).toEqual(['key_1', 'key_3'])
  expect(await keysOf(platform, '?organizationId=org_b')).toEqual(['key_3'])
  expect(await keysOf(platform, '?organizationId=org_b&apiKeyId=key_1')).toEqual([])
  const { json } = await ask('/api/usage?apiKeyId=key_1', { key: platform })
  expect(json.days).toEqual([
    {
      date: '2026-11-21',
      apiKeyId: 'key_1',
      apiKeyLabel: 'test',
      requests: 1,
      requestErrors: 0,
      deposits: 1,
      executions: 1,
      succeeded: 1,
      failed: 0,
      active: 0,
      volumeUsd: '25.00',
      protocolFeeUsd: '0.00',
      protocolFeeForgivenUsd: '0.00',
      gasFeeUsd: '0.00',
      sponsoredGasUsd: '0.00',
    },
  ])
})

testAll([
  ['?organizationId=org_b', 403, 'INSUFFICIENT_PERMISSIONS'],
  ['?from=2026-02-30', 400, 'VALIDATION_FAILED'],
  ['?from=2026-08-01&to=2026-11-01', 400, 'VALIDATION_FAILED'],
  ['?from=2026-11-02&to=2026-11-01', 400, 'VALIDATION_FAILED'],
  ['?until=2026-11-01', 400, 'UNKNOWN_PARAMETER'],
])('a client’s invalid or forbidden request for usage is refused', async (query, status, code) => {
  const { ask, client } = await peopledWorld()
  const answer = await ask(`/api/usage${query}`, { key: client })
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([status, code])
})

test('92 days are the longest range, and an unknown organization is reported as missing', async () => {
  const { ask, client, platform } = await peopledWorld()
  expect((await ask('/api/usage?from=2026-08-02&to=2026-11-01', { key: client })).json).toMatchObject({ days: [] })
  expect((await ask('/api/usage?to=2026-08-20', { key: client })).json).toMatchObject({ from: '2026-08-01' })
  const { status, json } = await ask('/api/usage?organizationId=none', { key: platform })
  expect([status, json.message]).toEqual([400, 'organizationId must name an existing organization'])
})

test('the dashboard shows the same rows as the API', async () => {
  const world = await membersWorld()
  await world.ask('/api/lifecycle', { key: world.client })
  const query = `?from=${from}&to=2026-11-20`
  const shown = await world.as('member', `/usage${query}`)
  const { json } = await world.ask(`/api/usage${query}`, { key: world.client })
  expect(shown.json).toEqual(json)
  expect(json.days.length).toBeGreaterThan(0)
})
