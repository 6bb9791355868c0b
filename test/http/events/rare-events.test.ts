import { describe, expect, test } from 'bun:test'
import type { Organization } from '../../../src/domain/tenant/organization'
import { planLimits } from '../../../src/limits/plan-limits'
import { addressOf, executionOf } from '../../support/deposits'
import { stores } from '../../support/stores'
import { testConnection } from '../../support/stores-in-mongo'
import { testAll } from '../../support/test-all'
import { type ApiWorld, peopledWorld, target } from '../world'
import { streaming, untilReceived } from './streaming'

type Told = { id: string; type: string; timestamp: string; seq: number | null; data: Record<string, unknown> }
const other = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'

/** Listed events, once they are old enough to be listed. */
async function toldTo({ ask, clock }: Pick<ApiWorld, 'ask' | 'clock'>, key: string, query = ''): Promise<Told[]> {
  clock.now += 6_000
  return (await ask(`/api/events${query}`, { key })).json as Told[]
}

describe('intents', () => {
  const put = ({ ask, client }: { ask: ApiWorld['ask']; client: string }, body: object) =>
    ask('/api/deposit-intents', { key: client, body: { userId: 'ada', ...target, ...body } })

  test('each version is an event with the previous recipient', async () => {
    const world = await peopledWorld()
    const { json: first } = await put(world, {})
    world.clock.now += 1_000
    const { json: second } = await put(world, { targetAddress: other })
    const [created, updated, ...more] = await toldTo(world, world.client)
    expect(more).toEqual([])
    expect(created).toMatchObject({ type: 'intent.created', timestamp: first.updatedAt, seq: null })
    expect(created!.data).toEqual({ ...first, version: 1, previous: null })
    expect(updated).toMatchObject({ type: 'intent.updated', timestamp: second.updatedAt })
    const { targetChainId, targetChainKey, targetTokenAddress, targetAddress } = first
    const previous = { targetChainId, targetChainKey, targetTokenAddress, targetAddress }
    expect(updated!.data).toEqual({ ...second, version: 2, previous })
  })

  test('storing an unchanged intent is no event, and a later change leaves earlier events unchanged', async () => {
    const world = await peopledWorld()
    await put(world, {})
    await put(world, {})
    const before = await toldTo(world, world.client)
    await put(world, { targetAddress: other })
    const after = await toldTo(world, world.client)
    expect([before.length, after.length]).toEqual([1, 2])
    expect(after[0]).toEqual(before[0]!)
  })

  test('the events go to the organization, by user if filtered, and to the platform with the organization’s id', async () => {
    const world = await peopledWorld()
    await put(world, {})
    expect(await toldTo(world, world.client, '?types=intent.*&userId=ada')).toHaveLength(1)
    expect(await toldTo(world, world.client, '?userId=bob')).toEqual([])
    expect(await toldTo(world, world.stranger)).toEqual([])
    expect((await toldTo(world, world.platform)).map(({ data }) => data['organizationId'])).toEqual(['org_a'])
  })

  test('many events of one moment are each listed once, on any page', async () => {
    const world = await peopledWorld()
    const users = Array.from({ length: 230 }, (_, n) => `user-${n}`)
    for (const userId of users) await put(world, { userId })
    for (const userId of users.slice(0, 40)) await put(world, { userId, targetAddress: other })
    world.clock.now += 6_000
    const told: Told[] = []
    for (let path = '/api/events?limit=100', page = 0; page < 5; page++) {
      const { json, headers } = await world.ask(path, { key: world.client })
      told.push(...(json as Told[]))
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
    }
    expect(new Set(told.map(({ id }) => id)).size).toBe(270)
    expect(told).toHaveLength(270)
  })
})

describe('chains', () => {
  const base = '/api/operator/pauses/chain:8453'
  const pausing = async () => {
    const world = await peopledWorld()
    const { ask, platform: key, clock } = world
    const pause = (path = base, until?: number) =>
      ask(path, {
        key,
        method: 'PUT',
        body: { reason: 'trouble', ...(until && { until: new Date(until).toISOString() }) },
      })
    const resume = (path = base) => ask(`${path}?reason=well+again`, { key, method: 'DELETE' })
    const later = (ms: number) => {
      clock.now += ms
    }
    const typesTold = async (key = world.client) =>
      (await toldTo(world, key, '?types=chain.*')).map(({ type, data }) => `${type} ${data['chainKey']}`)
    return { ...world, pause, resume, later, typesTold }
  }

  test('pausing and resuming a chain is reported to every organization, with the chain’s state at the time', async () => {
    const { pause, resume, later, ask, client, stranger, platform, ...world } = await pausing()
    await pause()
    const at = new Date(world.clock.now).toISOString()
    later(5_000)
    await resume()
    const told = await toldTo({ ask, clock: world.clock }, client)
    for (const key of [stranger, platform]) expect(await toldTo({ ask, clock: world.clock }, key)).toEqual(told)
    const { json: chains } = await ask('/api/chains', { key: client })
    expect(told.map(({ type }) => type)).toEqual(['chain.paused', 'chain.resumed'])
    const message = 'Routing on this chain is paused. Deposits are safe and wait.'
    const { updatedAt: _, ...chain } = chains.find(({ chainId }: { chainId: number }) => chainId === 8453)
    expect(told[0]).toMatchObject({
      timestamp: at,
      seq: null,
      data: { ...chain, acceptsDeposits: false, delivers: false, message },
    })
    expect(told[1]!.data).toMatchObject(chain)
  })

  test('a pause that ends automatically is over at that time, and a prolonged one is not', async () => {
    const { pause, later, typesTold, clock } = await pausing()
    const end = clock.now + 60_000
    await pause(base, end)
    later(30_000)
    expect(await typesTold()).toEqual(['chain.paused base'])
    await pause(base, end + 60_000)
    later(30_000)
    expect(await typesTold()).toEqual(['chain.paused base'])
    later(60_000)
    expect(await typesTold()).toEqual(['chain.paused base', 'chain.resumed base'])
  })

  test('successive pauses are all reported, and a chain under several pauses resumes with the last', async () => {
    const { pause, resume, later, typesTold } = await pausing()
    for (const act of [pause, resume, pause]) {
      await act()
      later(1_000)
    }
    await pause('/api/operator/pauses/all')
    later(1_000)
    await resume()
    const before = await typesTold()
    expect(before.filter((told) => told.endsWith(' base'))).toEqual([
      'chain.paused base',
      'chain.resumed base',
      'chain.paused base',
    ])
    expect(before.filter((told) => told.startsWith('chain.paused'))).toHaveLength(6)
    await resume('/api/operator/pauses/all')
    expect((await typesTold()).filter((told) => told.startsWith('chain.resumed'))).toHaveLength(6)
  })

  test('pauses of other scopes are no events', async () => {
    const { pause, later, typesTold } = await pausing()
    await pause('/api/operator/pauses/organization')
    await pause('/api/operator/pauses/tenant:org_a')
    later(1_000)
    expect(await typesTold()).toEqual([])
  })
})

describe('quotas', () => {
  /** An organization with this quota, and this many deposits that use it. */
  async function using(monthlyExecutions: number, count: number) {
    const world = await peopledWorld()
    const organization = { plan: 'custom', customPlan: { monthlyExecutions, rates: {} } } as unknown as Organization
    const { store, clock } = world
    const processes = [1, 2].map(() =>
      planLimits({ ...store, organizations: { load: async () => organization }, now: () => clock.now }),
    )
    for (let n = 1; n <= count; n++) {
      const asked = { ...executionOf(n, { organizationId: 'org_a' }), version: 1 }
      await processes[n % 2]!.hasQuota(asked, clock.now)
      clock.now += 1_000
    }
    return world
  }

  testAll([
    [10, 7, []],
    [10, 8, [8]],
    [10, 9, [8]],
    [10, 12, [8, 10]],
    [1, 1, [1]],
    [0, 2, [0]],
  ])(
    'a quota is reported once at 80 % and once at 100 %, for any number of simultaneous deposits',
    async (limit, count, used) => {
      const world = await using(limit, count)
      const told = await toldTo(world, world.client)
      expect(told.map(({ type }) => type)).toEqual(used.map(() => 'quota.warning'))
      const resetsAt = '2026-12-01T00:00:00.000Z'
      expect(told.map(({ data }) => data)).toEqual(
        used.map((each) => ({ month: '2026-11', limit, used: each, resetsAt })),
      )
    },
  )

  test('the event goes to the organization, and to the platform with the organization’s id', async () => {
    const world = await using(10, 8)
    expect(await toldTo(world, world.stranger)).toEqual([])
    expect((await toldTo(world, world.platform)).map(({ data }) => data['organizationId'])).toEqual(['org_a'])
    expect(await toldTo(world, world.client, '?userId=ada')).toEqual([])
  })
})

test('the stream sends them once, with the ids of the list, each to its organization', async () => {
  const world = await streaming()
  const { open, ask, client, stranger, platform, store } = world
  const [ours, theirs] = [await open(client), await open(stranger)]
  await untilReceived('all streams are open', () =>
    [ours, theirs].every(({ received }) => received.text.startsWith('retry: 3000')),
  )
  await ask('/api/deposit-intents', { key: client, body: { userId: 'ada', ...target } })
  await ask('/api/operator/pauses/chain:1', { key: platform, method: 'PUT', body: { reason: 'trouble' } })
  const warning = { organizationId: 'org_a', quotaKey: 'org_a:2026-11', percent: 80, limit: 10, used: 8 }
  await store.quotaWarnings.note({ id: 'w', at: Date.now(), ...warning })
  const ids = (text: string) => [...text.matchAll(/^id: (evt_\w+)\nevent: (intent|chain|quota)/gm)].map(([, id]) => id!)
  await untilReceived(
    'three events here and one there',
    () => ids(ours.received.text).length === 3 && ids(theirs.received.text).length === 1,
  )
  const listed = async (key: string) => ((await ask('/api/events', { key })).json as Told[]).map(({ id }) => id)
  expect(ids(ours.received.text)).toEqual(await listed(client))
  expect(ids(theirs.received.text)).toEqual(await listed(stranger))
})

describe.each(stores)('their records, %s', (_name, open) => {
  test('a quota has one warning, by the first process', async () => {
    const { store, other } = await open()
    const warning = { id: 'w', organizationId: 'org_a', quotaKey: 'k', percent: 80, limit: 10, used: 8 }
    await Promise.all([store, other].map((each, n) => each.quotaWarnings.note({ ...warning, at: n + 1 })))
    const all = await store.quotaWarnings.load(['w', 'other'])
    expect(all).toMatchObject([warning])
    expect(await other.eventMarks.due('quotaWarnings', -1, 10, 9)).toMatchObject([{ id: 'w', dueAt: all[0]!.at }])
  })

  test('the period of a pause is stored once, when the next pause begins', async () => {
    const { store, other } = await open()
    const pause = {
      id: 'all',
      version: 0,
      reason: 'r',
      until: null,
      by: 'x',
      createdAt: 1,
      updatedAt: 1,
      resumedAt: null,
    }
    const first = (await store.pauses.save(pause))!
    const ended = (await other.pauses.save({ ...first, updatedAt: 5, resumedAt: 5 }))!
    expect(await store.pausePeriods.since(['all'], 0)).toEqual([{ scope: 'all', from: 1, to: 5 }])
    await store.pauses.save({ ...ended, createdAt: 7, updatedAt: 7, resumedAt: null })
    const both = [
      { scope: 'all', from: 1, to: 5 },
      { scope: 'all', from: 7, to: null },
    ]
    expect(await other.pausePeriods.since(['all'], 5)).toEqual(both)
    expect(await other.pausePeriods.since(['all'], 6)).toEqual(both.slice(1))
    expect(await other.pausePeriods.since(['chain:1'], 0)).toEqual([])
  })

  test('a version of an intent is found by number with the one before it, current or replaced', async () => {
    const { store, other } = await open()
    const intent = {
      ...{ id: addressOf(1), version: 0, organizationId: 'org_a', userId: 'ada', apiKeyId: 'key_1', ...target },
      ...{ protocolFeeBps: 50, sponsoredGas: false, refundAddress: null, createdAt: 1, updatedAt: 1, seal: null },
    }
    const first = (await store.intents.save({ ...intent, changedBy: null }))!
    await store.intents.save({ ...first, updatedAt: 9, targetChainId: 1 })
    const named = (version: number) => other.intentHistory.versionsOf([{ id: first.id, version }])
    const found = async (version: number) =>
      (await named(version)).map(({ intent: { version }, previous }) => [version, previous?.version])
    expect([await found(1), await found(2), await found(3)]).toEqual([[[1, undefined]], [[2, 1]], []])
  })
})

test('a period stored by a process that died gets the end that was set later', async () => {
  const [, open] = stores[1]!
  const { store } = await open()
  const pause = { id: 'all', version: 0, reason: 'r', by: 'x', createdAt: 1, updatedAt: 1 } as const
  const first = (await store.pauses.save({ ...pause, until: 50, resumedAt: null }))!
  const connection = await testConnection()
  const kept = { scope: 'all', from: 1, to: 50, version: first.version }
  await connection
    .collection<{ _id: string }>('pausePeriods')
    .insertOne({ _id: `all:1:${first.version}`, ...kept } as never)
  const ended = (await store.pauses.save({ ...first, updatedAt: 20, resumedAt: 20 }))!
  const over = { scope: 'all', from: 1, to: 20 }
  expect(await store.pausePeriods.since(['all'], 0)).toEqual([over])
  expect(await store.pausePeriods.since(['all'], 30)).toEqual([])
  await store.pauses.save({ ...ended, createdAt: 60, updatedAt: 60, until: null, resumedAt: null })
  expect(await store.pausePeriods.since(['all'], 0)).toEqual([over, { scope: 'all', from: 60, to: null }])
})
