import { expect, test } from 'bun:test'
import { disabledByService, newFeed, withAttempt } from '../../../src/domain/webhook/endpoint'
import { newApiKey } from '../../../src/http/dashboard/new-tenants'
import { lateness } from '../../../src/http/events/late-events'
import { addressOf } from '../../support/deposits'
import { stores } from '../../support/stores'
import { testAll } from '../../support/test-all'
import { endpointOf } from '../../support/webhooks'
import { peopledWorld, target } from '../world'
import { streaming, untilHeard } from './streaming'

type World = Awaited<ReturnType<typeof peopledWorld>>
type Told = { id: string; type: string }
type Store = Pick<
  World['store'],
  'intents' | 'heldChanges' | 'apiKeys' | 'quotaWarnings' | 'pauses' | 'webhookEndpoints'
>

const intentAt = (n: number, at: number) => ({
  ...{ id: addressOf(n), version: 0, organizationId: 'org_a', userId: `user-${n}`, apiKeyId: 'key_1', ...target },
  ...{ protocolFeeBps: 50, sponsoredGas: false, refundAddress: null, createdAt: at, updatedAt: at },
})

/** Records behind each kind of event that is not a deposit's, with the start time of their write. */
const kinds: [type: string, store: (store: Store, at: number) => Promise<unknown>][] = [
  ['intent.created', ({ intents }, at) => intents.save(intentAt(1, at))],
  [
    'intent.change_held',
    async ({ intents, heldChanges }, at) => {
      const { id, organizationId, userId, version: of } = (await intents.save(intentAt(2, 0)))!
      const whose = { id, organizationId, userId, of, personId: null, askedAt: at, from: null }
      const askedBy = { kind: 'API_KEY', id: 'key_1', label: 'client' } as const
      const asked = { ...whose, askedBy, target: { ...target, refundAddress: null }, seal: null } as const
      return heldChanges.save({ ...asked, state: 'WAITING', version: 0 })
    },
  ],
  [
    'quota.warning',
    ({ quotaWarnings }, at) =>
      quotaWarnings.note({
        ...{ id: 'org_a:2026-11:10:80', organizationId: 'org_a', quotaKey: 'org_a:2026-11' },
        ...{ at, percent: 80, limit: 10, used: 8 },
      }),
  ],
  [
    'chain.paused',
    ({ pauses }, at) =>
      pauses.save({
        ...{ id: 'chain:8453', version: 0, reason: 'trouble', by: 'ops' },
        ...{ until: null, createdAt: at, updatedAt: at, resumedAt: null },
      }),
  ],
  [
    'api_key.expiring',
    ({ apiKeys }, at) =>
      apiKeys.save(newApiKey({ organizationId: 'org_a', label: 'brief', expiresAt: at + 86_400_000 }, at).apiKey),
  ],
  [
    'webhook_endpoint.disabled',
    ({ webhookEndpoints }, at) => {
      const endpoint = endpointOf('whe_1', 'org_a', at)
      return webhookEndpoints.save(
        disabledByService(endpoint, 'FAILING', withAttempt(newFeed(endpoint), at, false), at),
      )
    },
  ],
]

/** A reader that follows the links of the list, and the search for late events, on a clock that tests move. */
async function following() {
  const world = await peopledWorld()
  const { store, clock, ask, client } = world
  let path = '/api/events?limit=100'
  const read = async (): Promise<Told[]> => {
    const { json, headers } = await ask(path, { key: client })
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
    return json as Told[]
  }
  const looking = (more: object = {}) => lateness({ ...store, now: () => clock.now, ...more } as never)
  const pass = async (ms: number, look: () => Promise<void>) => {
    for (let n = 0; n < ms / 1_000; n++) {
      clock.now += 1_000
      await look()
    }
  }
  /** Reads up to an event that was on time, and continues from there. */
  const readOn = async (look: () => Promise<void>) => {
    await pass(40_000, look)
    await store.intents.save(intentAt(99, clock.now))
    await pass(30_000, look)
    expect(await read()).toHaveLength(1)
  }
  return {
    ...world,
    read,
    readOn,
    looking,
    pass,
    whole: async () => (await ask('/api/events', { key: client })).json as Told[],
  }
}

testAll(kinds)(
  'a late event of any kind is listed once more under the same id, even if its writer died',
  async (type, keep) => {
    const { store, clock, read, readOn, looking, pass, whole } = await following()
    const { look } = looking()
    await readOn(look)
    await keep(store, clock.now - 45_000)
    expect(await read()).toEqual([])
    await pass(40_000, look)
    const told = (await read()).filter((event) => event.type === type)
    expect(new Set(told.map(({ id }) => id)).size).toBe(1)
    expect(await read()).toEqual([])
    expect((await whole()).find((event) => event.type === type)!.id).toBe(told[0]!.id)
  },
)

test('an event readable in time is listed once', async () => {
  const { store, clock, looking, pass, whole } = await following()
  const { look } = looking()
  await pass(70_000, look)
  for (const [, keep] of kinds) await keep(store, clock.now)
  await pass(70_000, look)
  expect((await whole()).map(({ type }) => type).toSorted()).toEqual(kinds.map(([type]) => type).toSorted())
})

test('a successor lists once more the events that its predecessor may have missed, without older ones', async () => {
  const { store, clock, looking, pass } = await following()
  await pass(70_000, looking().look)
  await store.intents.save(intentAt(1, clock.now - 61_000))
  await store.intents.save(intentAt(2, clock.now - 20_000))
  await pass(40_000, looking().look)
  expect(store.lateEvents.all().map(({ intent }) => intent?.id)).toEqual([addressOf(2)])
})

test('a note that fails, or is late itself, is written again', async () => {
  const { store, clock, looking, pass, read, readOn } = await following()
  const slow = [
    async () => {
      throw new Error('The answer is lost')
    },
    async () => {
      clock.now += 20_000
    },
  ]
  const note: typeof store.lateEvents.note = async (late) => {
    const trouble = late.length > 0 ? slow.shift() : undefined
    await trouble?.()
    await store.lateEvents.note(late)
  }
  const { look } = looking({ lateEvents: { ...store.lateEvents, note } })
  const trying = () => look().catch(() => {})
  await readOn(trying)
  await store.intents.save(intentAt(1, clock.now - 45_000))
  await pass(40_000, trying)
  expect(slow).toEqual([])
  await pass(10_000, trying)
  expect((await read()).at(-1)).toMatchObject({ type: 'intent.created' })
})

test('a stream sends an event stored a minute late once', async () => {
  const { open, store, client } = await streaming()
  const { heard, leave } = await open(client)
  await untilHeard(() => heard.text.includes('retry'))
  const { look } = lateness({ ...store, now: Date.now })
  await look()
  await store.intents.save(intentAt(1, Date.now() - 50_000))
  await Bun.sleep(0)
  const again = lateness({ ...store, now: Date.now })
  await again.look()
  await untilHeard(() => heard.text.includes('intent.created'))
  leave()
  expect(heard.text.match(/event: intent\.created/g)).toHaveLength(1)
})

test.each(stores)(
  'late events are found by organization and time, and those for all by every organization, %s',
  async (_, open) => {
    const { store, other } = await open()
    const late = (eventId: string, organizationId: string | null, at: number) => ({
      eventId,
      organizationId,
      at,
      intent: null,
    })
    const all = [late('evt_1', 'org_a', 1), late('evt_2', 'org_b', 2), late('evt_3', null, 3)]
    await store.lateEvents.note(all)
    await other.lateEvents.note(all)
    const between = async (organizationId: string | null, from: number, to: number) =>
      (await other.lateEvents.between({ organizationId }, from, to)).map(({ eventId }) => eventId).toSorted()
    expect(await between('org_a', 0, 9)).toEqual(['evt_1', 'evt_3'])
    expect(await between(null, 0, 9)).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect(await between(null, 2, 3)).toEqual(['evt_2'])
  },
)

test.each(stores)(
  'a version of an intent is found by name with the one before it, current or replaced, %s',
  async (_, open) => {
    const { store, other } = await open()
    const first = (await store.intents.save(intentAt(1, 5)))!
    await store.intents.save({ ...first, targetAddress: addressOf(9), updatedAt: 7 })
    const marks = await other.intentHistory.marksBetween(5, 8)
    expect(marks.toSorted((a, b) => a.version - b.version)).toEqual([
      { id: first.id, version: 1, organizationId: 'org_a', at: 5 },
      { id: first.id, version: 2, organizationId: 'org_a', at: 7 },
    ])
    const found = (await other.intentHistory.versionsOf(marks)).map(({ intent, previous }) => [
      intent.version,
      previous?.version,
    ])
    expect(found.toSorted()).toEqual([
      [1, undefined],
      [2, 1],
    ])
    expect(await other.intentHistory.versionsOf([{ id: first.id, version: 3 }])).toEqual([])
  },
)

test('late records found by one search take few writes, and those recorded in time take none', async () => {
  const clock = { now: Date.UTC(2026, 10, 27, 12) }
  const markOf = (n: number, at: number) => ({ id: addressOf(n + 1), version: 1, organizationId: 'org_a', at })
  const marks = Array.from({ length: 900 }, (_, n) => markOf(n, clock.now - 55_000 + n * 50))
  const none = async () => []
  const writes: string[][] = []
  const looking = lateness({
    now: () => clock.now,
    webhookEndpoints: { changedSince: none },
    pausePeriods: { since: none },
    quotaWarnings: { between: none },
    apiKeys: { expiringBetween: none },
    heldChanges: { askedBetween: none },
    intentHistory: {
      marksBetween: async (from: number, to: number) => marks.filter(({ at }) => at >= from && at < to),
      versionsOf: none,
    },
    lateEvents: {
      note: async (late: { eventId: string }[]) => {
        writes.push(late.map(({ eventId }) => eventId))
        clock.now += 1_000
      },
      between: none,
    },
  } as never)
  for (let n = 0; n < 20; n++) {
    clock.now += 1_000
    marks.push(markOf(1_000 + n, clock.now - 100))
    await looking.look()
  }
  const noted = writes.flat()
  expect([writes.length <= 6, new Set(noted).size === noted.length, noted.length >= 800]).toEqual([true, true, true])
})
