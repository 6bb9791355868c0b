import { expect, test } from 'bun:test'
import { expiringMs } from '../../../src/domain/tenant/api-key'
import { newApiKey } from '../../../src/http/dashboard/new-tenants'
import { stores } from '../../support/stores'
import { peopledWorld } from '../world'

type Told = { id: string; type: string; timestamp: string; seq: null; data: Record<string, unknown> }
const dayMs = 86_400_000

async function withKey(expiresInMs: number | null) {
  const world = await peopledWorld()
  const { ask, clock, store, client } = world
  const madeAt = clock.now
  const expiresAt = expiresInMs === null ? null : madeAt + expiresInMs
  const { apiKey } = newApiKey({ organizationId: 'org_a', label: 'production', expiresAt }, madeAt)
  await store.apiKeys.save(apiKey)
  const told = async (key = client, query = '?types=api_key.expiring'): Promise<Told[]> => {
    clock.now += 6_000
    return (await ask(`/api/events${query}`, { key })).json as Told[]
  }
  const end = async () => {
    const known = (await store.apiKeys.load(apiKey.id))!
    await store.apiKeys.save({ ...known, revokedAt: clock.now })
  }
  return { ...world, apiKey, madeAt, expiresAt: expiresAt!, told, end }
}

test('a key is told of seven days before it expires, as the dashboard names it and without what nobody may know', async () => {
  const { told, clock, apiKey, madeAt, expiresAt } = await withKey(30 * dayMs)
  expect(await told()).toEqual([])
  clock.now = expiresAt - expiringMs
  const [event, ...more] = await told()
  expect(more).toEqual([])
  const timestamp = new Date(expiresAt - expiringMs).toISOString()
  expect(event).toMatchObject({ type: 'api_key.expiring', timestamp, seq: null })
  const { id, prefix } = apiKey
  const times = { createdAt: new Date(madeAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  expect(event!.data).toEqual({ id, prefix, label: 'production', role: 'CLIENT', ...times })
})

test('a key that lives for fewer days is told of when it is made, and one that never expires is not', async () => {
  const { told, madeAt } = await withKey(dayMs)
  expect((await told()).map(({ timestamp }) => timestamp)).toEqual([new Date(madeAt).toISOString()])
  const { told: toldOfNone, clock } = await withKey(null)
  clock.now += 30 * dayMs
  expect(await toldOfNone()).toEqual([])
})

test('a key that ended before is not told of, and one that ends later leaves the event as it was', async () => {
  const ended = await withKey(30 * dayMs)
  await ended.end()
  ended.clock.now = ended.expiresAt - expiringMs
  expect(await ended.told()).toEqual([])
  const ending = await withKey(30 * dayMs)
  ending.clock.now = ending.expiresAt - expiringMs
  const before = await ending.told()
  expect(before).toHaveLength(1)
  await ending.end()
  expect(await ending.told()).toEqual(before)
})

test('it is told to the organization, of no user, and to the platform with whose it is', async () => {
  const { told, client, stranger, platform } = await withKey(dayMs)
  expect(await told(client, '')).toHaveLength(1)
  expect(await told(client, '?userId=ann')).toEqual([])
  expect(await told(stranger)).toEqual([])
  expect((await told(platform)).map(({ data }) => data['organizationId'])).toEqual(['org_a'])
})

test.each(stores)(
  'the store finds keys by when that begins, each once and for whom it belongs to, %s',
  async (_, open) => {
    const { store, other } = await open()
    const at = Date.UTC(2026, 10, 21)
    const made = async (label: string, organizationId: string, createdAt: number, expiresAt: number | null) => {
      await store.apiKeys.save(newApiKey({ organizationId, label, expiresAt }, createdAt).apiKey)
    }
    await made('long', 'org_1', at - 30 * dayMs, at + expiringMs)
    await made('short', 'org_1', at, at + dayMs)
    await made('before', 'org_1', at - 1, at + dayMs)
    await made('after', 'org_1', at - 30 * dayMs, at + expiringMs + 1)
    await made('endless', 'org_1', at, null)
    await made('theirs', 'org_2', at - 30 * dayMs, at + expiringMs)
    const found = async (organizationId: string | null) =>
      (await other.apiKeys.expiringBetween({ organizationId }, at, at + 1)).map(({ label }) => label).toSorted()
    expect(await found('org_1')).toEqual(['long', 'short'])
    expect(await found('org_2')).toEqual(['theirs'])
    expect(await found(null)).toEqual(['long', 'short', 'theirs'])
  },
)
