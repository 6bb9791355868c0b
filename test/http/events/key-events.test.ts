import { expect, test } from 'bun:test'
import { expiringMs } from '../../../src/domain/tenant/api-key'
import { newApiKey } from '../../../src/http/dashboard/new-tenants'
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

test('a key is reported seven days before it expires, with its dashboard label and without its secrets', async () => {
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

test('a key with a shorter life is reported when created, and a permanent key never', async () => {
  const { told, madeAt } = await withKey(dayMs)
  expect((await told()).map(({ timestamp }) => timestamp)).toEqual([new Date(madeAt).toISOString()])
  const { told: toldOfNone, clock } = await withKey(null)
  clock.now += 30 * dayMs
  expect(await toldOfNone()).toEqual([])
})

test('a key that ended earlier is not reported, and one that ends later leaves the event unchanged', async () => {
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

test('the event goes to the organization without a user, and to the platform with the organization’s id', async () => {
  const { told, client, stranger, platform } = await withKey(dayMs)
  expect(await told(client, '')).toHaveLength(1)
  expect(await told(client, '?userId=ann')).toEqual([])
  expect(await told(stranger)).toEqual([])
  expect((await told(platform)).map(({ data }) => data['organizationId'])).toEqual(['org_a'])
})
