import { expect, test } from 'bun:test'
import { apiKeyDigest, apiKeyPrefix, apiKeyText } from '../../../src/domain/tenant/api-key-format'
import { plans } from '../../../src/domain/tenant/organization'
import type { Membership } from '../../../src/ports/people'
import { target } from '../../http/world'
import { recordsOf } from '../../support/records'
import { stores } from '../../support/stores'
import { until } from '../../support/until'
import { type MembersWorld, membersWorld } from './members-world'

type World = MembersWorld

const keyRequest = { label: 'mine', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: true }

/** Moves the organization to another plan. */
async function onPlan(world: Awaited<ReturnType<typeof membersWorld>>, plan: 'free' | 'growth') {
  const stored = (await world.store.organizations.load('org_a'))!
  await world.store.organizations.save({ ...stored, plan })
  world.clock.now += 60_000 // the key cache has expired by then
}

test('a key may sponsor gas only if the plan includes it', async () => {
  const world = await membersWorld()
  await onPlan(world, 'free')
  const refused = await world.as('owner', '/keys', { body: keyRequest })
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'NOT_IN_PLAN'])
  expect(refused.json.message).toContain('no sponsored gas')
  const plain = await world.as('owner', '/keys', { body: { ...keyRequest, sponsoredGas: false } })
  const edited = await world.as('owner', `/keys/${plain.json.key.id}`, {
    method: 'PATCH',
    body: { sponsoredGas: true },
  })
  expect([plain.status, edited.status]).toEqual([201, 403])
  await onPlan(world, 'growth')
  expect((await world.as('owner', '/keys', { body: keyRequest })).status).toBe(201)
})

test('a sponsored key of an earlier plan promises nothing in its intents', async () => {
  const world = await membersWorld()
  const { value } = (await world.as('owner', '/keys', { body: keyRequest })).json
  const intentOf = async (userId: string) =>
    (await world.ask('/api/deposit-intents', { key: value, body: { userId, ...target } })).json
  expect((await intentOf('before')).sponsoredGas).toBe(true)
  await onPlan(world, 'free')
  expect((await intentOf('after')).sponsoredGas).toBe(false)
})

test('100 of 130 simultaneous keys are created, and revoking one makes room', async () => {
  const world = await membersWorld()
  const had = (await world.store.apiKeys.ofOrganization('org_a')).length
  const make = () => world.as('owner', '/keys', { body: keyRequest })
  const answers = await Promise.all(Array.from({ length: 130 }, make))
  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(100 - had)
  expect((await world.store.apiKeys.ofOrganization('org_a')).length).toBe(100)
  expect((await make()).status).toBe(400)
  await world.as('owner', `/keys/${made[0]!.json.key.id}/revoke`, { body: { label: 'mine' } })
  expect([(await make()).status, (await make()).status]).toEqual([201, 400])
})

/** Stores a key that both applications can use. */
async function keysIn(worlds: readonly World[], organizationId: string, id: string, createdBy: string) {
  const text = apiKeyText(Bun.SHA256.hash(id) as Uint8Array)
  for (const { store, organization } of worlds) {
    if (!(await store.organizations.load(organizationId))) await organization(organizationId)
    const given = { id, version: 0, organizationId, digest: apiKeyDigest(text), prefix: apiKeyPrefix(text), createdBy }
    const terms = { label: id, role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false } as const
    await store.apiKeys.save({ ...given, ...terms, createdAt: 0, lastUsedAt: null, revokedAt: null })
  }
  return text
}

async function openStream({ api }: World, key: string) {
  const headers = { 'x-api-key': key, accept: 'text/event-stream' }
  const { status, body } = await api.handle(new Request('http://localhost/api/events', { headers }))
  return { status, close: async () => body?.cancel() }
}

const tenOfToday = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 10 * 3_600_000

/** Two applications on one store, which share the limit of requests. */
async function twoApplications() {
  const { store, other } = await stores[1]![1]()
  const post: { to: string }[] = []
  const send = async (letter: { to: string }) => void post.push(letter)
  const memberships = recordsOf<Membership>('memberships')
  const worlds: World[] = []
  for (const { limitCounters, semaphoreRecords } of [store, other])
    worlds.push(await membersWorld({ send, limitCounters, shared: semaphoreRecords, memberships }))
  // The database expires counters by its own clock, so those of a past day would restart during the test.
  for (const { clock } of worlds) clock.now = tenOfToday
  return { first: worlds[0]!, worlds, post }
}

test('20 of one person’s 40 simultaneous organizations in two processes are created, and leaving one makes room', async () => {
  const { worlds, first } = await twoApplications()
  const make = (n: number) => worlds[n % 2]!.as('newcomer', '/organizations', { body: { name: `mine ${n}` } })
  for (const { people } of worlds) people.set('newcomer', { id: 'newcomer', name: 'New', email: 'new@x.test' })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => make(n)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(answers.find(({ status }) => status === 409)!.json.message).toBe('One person may have 20 organizations')
  const mine = first.memberships.all().filter(({ members }) => members.some(({ personId }) => personId === 'newcomer'))
  expect(mine).toHaveLength(20)

  for (const { clock } of worlds) clock.now += 10 * 60_000
  expect((await make(1)).status).toBe(409)
  await first.memberships.save({ ...mine[0]!, members: [] })
  expect([(await make(0)).status, (await make(1)).status]).toEqual([201, 409])
})

test('a key has 10 of 40 simultaneous streams in two processes, and one person’s keys 50 in all organizations', async () => {
  const { worlds } = await twoApplications()
  const open = (n: number, key: string) => openStream(worlds[n % 2]!, key)
  const shared = await keysIn(worlds, 'org_a', 'key_a', 'owner')
  const ofKey = await Promise.all(Array.from({ length: 40 }, (_, n) => open(n, shared)))
  expect(ofKey.filter(({ status }) => status === 200)).toHaveLength(10)

  const more = await Promise.all(
    ['org_b', 'org_p', 'org_c', 'org_d'].flatMap((organization) =>
      [0, 1].map((n) => keysIn(worlds, organization, `key_${organization}_${n}`, 'owner')),
    ),
  )
  const everywhere = await Promise.all(more.flatMap((key) => Array.from({ length: 10 }, (_, n) => open(n, key))))
  expect(everywhere.filter(({ status }) => status === 200)).toHaveLength(40)

  const closing = ofKey.find(({ status }) => status === 200)!
  await closing.close()
  await until('there is room for another stream', async (note) => note((await open(0, more[7]!)).status) === 200)
})

test('an organization has 50 of 60 simultaneous streams by six people’s keys in two processes', async () => {
  const { worlds } = await twoApplications()
  const keys = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => keysIn(worlds, 'org_a', `key_of_${n}`, `person_${n}`)))
  const all = await Promise.all(
    keys.flatMap((key) => Array.from({ length: 10 }, (_, n) => openStream(worlds[n % 2]!, key))),
  )
  expect(all.filter(({ status }) => status === 200)).toHaveLength(50)
  expect(all.filter(({ status }) => status === 429)).toHaveLength(10)
})

test('five of 40 simultaneous invitations to one address in two processes are sent, and a plan’s e-mails are limited', async () => {
  const { worlds, post } = await twoApplications()
  const invite = (n: number, email: string) =>
    worlds[n % 2]!.as('owner', '/invitations', { body: { email, role: 'member' } })
  const same = await Promise.all(Array.from({ length: 40 }, (_, n) => invite(n, 'guest@x.test')))
  expect(same.filter(({ status }) => status === 429).length).toBe(35)
  expect(post).toHaveLength(5)
  const noted = new Set(worlds.flatMap(({ store }) => store.auditLog.entries.map(({ id }) => id)))
  expect(noted.size).toBe(5 + same.filter(({ status }) => status === 409).length)
  for (const { store } of worlds) {
    const stored = (await store.organizations.load('org_a'))!
    await store.organizations.save({ ...stored, customPlan: { ...plans.scale, lettersPerDay: 12 } })
  }
  await Promise.all(Array.from({ length: 40 }, (_, n) => invite(n, `guest${n}@x.test`)))
  expect(post).toHaveLength(12)
})

test('an invitation by an admin who was removed or demoted is invalid', async () => {
  const world = await membersWorld()
  const invite = async (by: string, email: string) =>
    new URL((await world.as(by, '/invitations', { body: { email, role: 'admin' } })).json.link).searchParams.get(
      'token',
    )
  const [byAdmin, byOwner] = [await invite('admin', 'one@x.test'), await invite('owner', 'two@x.test')]
  for (const name of ['one', 'two']) world.people.set(name, { id: name, name, email: `${name}@x.test` })
  expect((await world.as(null, `/invitation?token=${byAdmin}`)).status).toBe(200)
  await world.as('owner', '/members/admin', { method: 'PATCH', body: { role: 'member' } })
  expect((await world.as(null, `/invitation?token=${byAdmin}`)).status).toBe(410)
  await world.as('owner', '/members/admin', { method: 'DELETE' })
  expect((await world.as('one', '/invitation', { body: { token: byAdmin } })).status).toBe(410)
  expect((await world.as('two', '/invitation', { body: { token: byOwner } })).status).toBe(200)
})
