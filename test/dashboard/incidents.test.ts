import { expect, test } from 'bun:test'
import { routingText } from '../../src/dashboard/incidents/routing-words'
import { overdueKinds } from '../../src/domain/execution/overdue'
import { disabledByService, newFeed } from '../../src/domain/webhook/endpoint'
import type { ProviderHealth } from '../../src/ports/gate'
import { executionOf } from '../support/deposits'
import { endpointOf } from '../support/webhooks'
import { membersWorld } from './sign-in/members-world'

const reason = 'The provider reports trouble'

async function opened() {
  const world = await membersWorld()
  const { as, clock, operators, store } = world
  const healths: Record<string, Partial<ProviderHealth>> = { lifi: {}, relay: {} }
  const figures = { errorRate: 0, p50Ms: 1, p95Ms: 2, credentialsRefusedAt: null, unreadable: null }
  const well = { healthy: true, isAway: false, failingSince: null, failsBetween: [], ...figures }
  operators.providers = async () =>
    Object.entries(healths).map(([provider, change]) => ({
      provider,
      ...well,
      breaker: 'CLOSED',
      updatedAt: clock.now,
      ...change,
    }))
  const pause = (role: string, scope: string) =>
    as(role, `/operator/pauses/${encodeURIComponent(scope)}`, { method: 'PUT', body: { reason } })
  const seenBy = async (role: string) => {
    clock.now += 2_000
    return (await as(role, '/incidents')).json
  }
  const failing = (provider: string) => {
    healths[provider] = { healthy: false, isAway: true, failingSince: clock.now, breaker: 'OPEN' }
  }
  return { ...world, healths, pause, seenBy, failing, store }
}
const everyone = ['platform-operator', 'owner', 'member', 'other-owner', 'platform-member']
const nothing = { pauses: [], routing: null, providers: [], chains: [], endpoints: [] }

test('there is no message while everything works', async () => {
  const { seenBy } = await opened()
  for (const role of everyone) expect(await seenBy(role)).toEqual(nothing)
})

test('a pause of everything is shown to all members, with the reason, until it ends', async () => {
  const { seenBy, pause, as } = await opened()
  await pause('platform-owner', 'all')
  for (const role of everyone) expect(await seenBy(role)).toMatchObject({ pauses: [{ scope: 'all', reason }] })
  await as('platform-owner', `/operator/pauses/all?reason=over`, { method: 'DELETE' })
  for (const role of everyone) expect(await seenBy(role)).toEqual(nothing)
})

test('the pause of a chain that this release no longer has is not shown, because nobody could end it', async () => {
  const { seenBy, as, operators } = await opened()
  const pause = { version: 0, reason, until: null, by: 'x', updatedAt: 1, createdAt: 1, resumedAt: null }
  const ids = ['chain:10', `token:10:0x${'ab'.repeat(20)}`, 'chain:8453']
  for (const id of ids) await operators.pauses.save({ ...pause, id })
  for (const role of ['owner', 'platform-owner']) {
    expect((await seenBy(role)).pauses).toMatchObject([{ scope: 'chain:8453' }])
    expect((await as(role, '/operator/pauses')).json).toMatchObject([{ scope: 'chain:8453' }])
  }
})

test('a disabled endpoint is shown to its organization until it is enabled', async () => {
  const { seenBy, as, store, clock } = await opened()
  const stopped = (id: string, organizationId: string, reason: 'GONE' | 'FAILING') => {
    const endpoint = endpointOf(id, organizationId, clock.now)
    return store.webhookEndpoints.save(disabledByService(endpoint, reason, newFeed(endpoint), clock.now))
  }
  await stopped('whe_1', 'org_a', 'FAILING')
  await as('owner', '/webhook-endpoints', { body: { url: 'https://example.com/asked' } })
  const [asked] = await store.webhookEndpoints.ofOrganization('org_a')
  const since = new Date(clock.now).toISOString()
  const said = [{ id: 'whe_1', host: 'example.com', reason: 'FAILING', since }]
  await as('owner', `/webhook-endpoints/${asked!.id}`, { method: 'PATCH', body: { enabled: false } })
  for (const role of ['owner', 'member']) expect((await seenBy(role)).endpoints).toEqual(said)
  for (const role of ['other-owner', 'platform-owner']) expect((await seenBy(role)).endpoints).toEqual([])
  await as('owner', '/webhook-endpoints/whe_1', { method: 'PATCH', body: { enabled: true } })
  expect((await seenBy('owner')).endpoints).toEqual([])
})

test('a tenant’s pause is shown to that tenant and to the platform’s operators, with its author', async () => {
  const { seenBy, pause } = await opened()
  await pause('owner', 'organization')
  await pause('platform-owner', 'tenant:org_a')
  const own = [{ scope: 'organization' }, { scope: 'tenant:org_a' }]
  expect((await seenBy('member')).pauses).toMatchObject(own.map((one) => ({ ...one, organizationId: null })))
  expect((await seenBy('platform-owner')).pauses).toMatchObject(own.map((one) => ({ ...one, organizationId: 'org_a' })))
  for (const role of ['other-owner', 'platform-member']) expect(await seenBy(role)).toEqual(nothing)
})

test('only the platform sees which provider fails, and all tenants see the effect on their deposits', async () => {
  const { seenBy, failing, pause, healths } = await opened()
  failing('lifi')
  const platform = await seenBy('platform-operator')
  expect(platform.providers).toMatchObject([{ provider: 'lifi', isRefused: false, isPaused: false }])
  expect(platform.routing).toEqual({ state: 'SLOW', since: platform.providers[0].since })
  for (const role of ['owner', 'member', 'platform-member']) {
    const seen = await seenBy(role)
    expect(seen).toEqual({ ...nothing, routing: platform.routing })
    expect(JSON.stringify(seen)).not.toMatch(/lifi|relay/)
  }

  failing('relay')
  expect((await seenBy('member')).routing).toMatchObject({ state: 'DOWN' })
  // A paused provider is no longer reported as failing, and tenants do not see it.
  await pause('platform-owner', 'provider:lifi')
  healths['relay'] = {}
  expect(await seenBy('member')).toEqual(nothing)
  expect(await seenBy('platform-operator')).toMatchObject({
    pauses: [{ scope: 'provider:lifi' }],
    providers: [{ provider: 'lifi', isPaused: true }],
    routing: null,
  })
})

test('a provider that fails for one odd pair of tokens is shown only to the platform', async () => {
  const { seenBy, healths, clock } = await opened()
  for (const provider of ['lifi', 'relay']) {
    healths[provider] = { healthy: false, failingSince: clock.now }
    const { routing, providers } = await seenBy('platform-operator')
    expect(routing.state).toBe('PARTLY')
    expect(providers.at(-1)).toMatchObject({ provider, isAway: false })
    for (const role of ['owner', 'member', 'other-owner']) expect(await seenBy(role)).toEqual(nothing)
  }
})

test('a provider that fails for some chains is shown only to the platform, with the chains', async () => {
  const { seenBy, healths, clock } = await opened()
  const since = clock.now
  healths['lifi'] = { failsBetween: [{ fromChainId: 43114, toChainId: 8453, since }] }
  const { routing, providers } = await seenBy('platform-operator')
  expect(routing).toEqual({ state: 'PARTLY', since: new Date(since).toISOString() })
  expect(providers).toMatchObject([{ provider: 'lifi', isAway: false, failsBetween: ['from Avalanche to Base'] }])
  for (const role of ['owner', 'member', 'other-owner']) expect(await seenBy(role)).toEqual(nothing)
})

test('the description of a routing problem also fits invalid responses', () => {
  expect(routingText('SLOW', [], false)).toBe('A routing provider has not responded correctly')
  expect(routingText('DOWN', [], false)).toBe('No routing provider has responded correctly')
  expect(routingText('DOWN', ['LI.FI', 'Relay'], false)).toBe('LI.FI and Relay have not responded correctly')
  expect(routingText('PARTLY', ['LI.FI'], false)).toBe('LI.FI has failed for some tokens')
  const between = ['from Avalanche to Base', 'from Base to Avalanche']
  expect(routingText('PARTLY', ['LI.FI'], false, between)).toBe(
    'LI.FI has failed from Avalanche to Base and from Base to Avalanche',
  )
  const many = [...between, 'from Polygon to Avalanche', 'from Arbitrum to Avalanche', 'from Avalanche to Polygon']
  expect(routingText('PARTLY', ['LI.FI'], false, many)).toBe(
    'LI.FI has failed from Avalanche to Base, from Base to Avalanche, from Polygon to Avalanche and between 2 more pairs of chains',
  )
  expect(routingText('DOWN', ['LI.FI'], true)).toBe('LI.FI has refused our credentials')
})

test('an unreadable chain is shown to all members in the same words', async () => {
  const { seenBy, store, clock } = await opened()
  const component = { kind: 'HEAD', chainId: 8453, provider: null, subject: null } as const
  await store.observations.note(component, clock.now, clock.now - 3_600_000)
  for (const role of everyone)
    expect((await seenBy(role)).chains).toMatchObject([
      { chainKey: 'base', kind: 'HEAD', message: overdueKinds.HEAD.message.replace('{chain}', 'base') },
    ])
})

test('the number of executions of a job is shown before its start, and the job stays listed', async () => {
  const { as, store, clock } = await opened()
  const failed = (n: number, organizationId: string) =>
    executionOf(n, {
      organizationId,
      version: 0,
      state: 'FAILED',
      status: 'FAILED',
      createdAt: clock.now - 1_000 + n,
      cause: { category: 'PROVIDER_5XX', code: 'PROVIDER_FAILED', message: 'It failed.', at: clock.now } as never,
    })
  for (const [n, id] of ['org_a', 'org_a', 'org_b'].entries()) await store.executions.save(failed(n + 1, id))
  const body = { verb: 'retry', filter: { status: 'FAILED' } }
  const count = async (role: string) => (await as(role, '/jobs/count', { body })).json.matched
  expect([await count('owner'), await count('other-owner'), await count('platform-owner')]).toEqual([2, 1, 3])

  const begun = await as('owner', '/operator/jobs', { body: { ...body, reason } })
  expect(begun).toMatchObject({ status: 202, json: { matched: 2 } })
  const listed = async (role: string) => (await as(role, '/jobs')).json
  const job = { id: begun.json.id, verb: 'retry', matched: 2, by: 'owner@example.test', reason, state: 'RUNNING' }
  expect(await listed('owner')).toMatchObject([{ ...job, filter: { status: ['FAILED'] } }])
  expect(await listed('platform-owner')).toMatchObject([{ ...job, organizationId: 'org_a' }])
  expect(await listed('other-owner')).toEqual([])
})

test('the platform’s operators find a tenant by its name', async () => {
  const { as } = await opened()
  const idsAt = async (path: string) => {
    const { json, headers } = await as('platform-operator', path)
    return {
      ids: json.map(({ id }: { id: string }) => id),
      next: /<\/app\/api([^>]+)>/.exec(headers.get('link') ?? '')?.[1],
    }
  }
  expect(await idsAt('/tenants')).toEqual({ ids: ['org_p', 'org_b', 'org_a'], next: undefined })
  const { ids, next } = await idsAt('/tenants?limit=2')
  expect(ids).toEqual(['org_p', 'org_b'])
  expect(await idsAt(next!)).toEqual({ ids: ['org_a'], next: undefined })
  for (const query of ['limit=0', 'limit=101', 'cursor=W10W10W10', 'offset=1'])
    expect([query, (await as('platform-operator', `/tenants?${query}`)).status]).toEqual([query, 400])
})
