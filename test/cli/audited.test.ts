import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { type MongoStore, mongoStore } from '../../src/adapters/mongo/mongo-store'
import { createKey, revokeKey } from '../../src/cli/verbs/keys'
import { createOrganization, inviteMember, setPlan, setPolicy } from '../../src/cli/verbs/organizations'
import { shareBpsOf } from '../../src/domain/seals'
import { planOf, plans } from '../../src/domain/tenant/organization'
import { seals } from '../support/seals'
import { mongoUrl } from '../support/servers'

const given = { ...process.env }
let connection: Awaited<ReturnType<typeof connectMongo>>
let store: MongoStore
beforeAll(async () => {
  const url = await mongoUrl()
  connection = await connectMongo(url)
  store = mongoStore(connection, 'reader')
  Object.assign(process.env, { MONGODB_URL: url, PUBLIC_URL: 'http://localhost' })
  for (const name of ['log', 'error'] as const) spyOn(console, name).mockImplementation(() => {})
  await createOrganization({ slug: 'acme', plan: 'free', platform: false })
}, 600_000)
beforeEach(() => {
  delete process.env['INTENT_MAC_KEY']
})
afterAll(async () => {
  for (const name of ['MONGODB_URL', 'PUBLIC_URL', 'INTENT_MAC_KEY']) {
    if (given[name] === undefined) delete process.env[name]
    else process.env[name] = given[name]
  }
  for (const name of ['log', 'error'] as const) spyOn(console, name).mockRestore()
  await connection?.close()
})

const acme = async () => (await store.organizations.all()).find(({ slug }) => slug === 'acme')!
const noted = async (verb: string) => {
  const entries = (await connection.db!.collection('auditLog').find({ verb }).toArray()) as unknown as Noted[]
  return entries.map(({ organizationId, target, actor }) => [organizationId, target, actor.id])
}
type Noted = { organizationId: string; target: string; actor: { id: string } }
const keyOf = async (label: string) =>
  (await store.apiKeys.ofOrganization((await acme()).id)).find((each) => each.label === label)!
const terms = { organization: 'acme', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false } as const

test('every change on the command line is in the audit log of the organization that it concerns', async () => {
  const { id } = await acme()
  expect(await noted('organization.create')).toEqual([[id, id, 'cli']])
  await createKey({ ...terms, label: 'made' })
  const key = await keyOf('made')
  expect(await noted('key.create')).toEqual([[id, key.id, 'cli']])
  await revokeKey(key.id)
  await revokeKey(key.id)
  expect(await noted('key.revoke')).toEqual([[id, key.id, 'cli']])
  await inviteMember('acme', { email: 'ann@acme.example', role: 'owner' })
  expect(await noted('member.invite')).toEqual([[id, 'ann@acme.example', 'cli']])
  await setPolicy('acme', { slippageBps: 20 })
  expect(await noted('organization.policy')).toEqual([[id, id, 'cli']])
})

test('a plan can be raised, and setting the same plan again changes nothing', async () => {
  const { id } = await acme()
  await setPlan('acme', 'growth')
  await setPlan('acme', 'growth')
  expect([(await acme()).plan, planOf(await acme()).monthlyExecutions]).toEqual(['growth', 50_000])
  expect(await noted('organization.plan')).toEqual([[id, id, 'cli']])
  await store.organizations.save({ ...(await acme()), plan: 'custom', customPlan: { ...plans.free } })
  await setPlan(id, 'free')
  expect(await acme()).toMatchObject({ plan: 'free', customPlan: null })
})

test('revoking a key that would have expired later ends it now', async () => {
  await createKey({ ...terms, label: 'rolling' })
  const key = await keyOf('rolling')
  const later = (await store.time()) + 86_400_000
  await store.apiKeys.save({ ...key, revokedAt: later })
  await revokeKey(key.id)
  expect((await keyOf('rolling')).revokedAt).toBeLessThan(later)
})

test('a share below the platform’s can be set only with INTENT_MAC_KEY', async () => {
  await expect(setPolicy('acme', { minOutputBps: 9_000 })).rejects.toThrow('INTENT_MAC_KEY is required')
  expect((await acme()).policy?.minOutputBps).toBeUndefined()
  process.env['INTENT_MAC_KEY'] = `0x${'5ea1'.repeat(16)}`
  await setPolicy('acme', { minOutputBps: 9_000 })
  expect(shareBpsOf(seals, await acme())).toBe(9_000)
  await setPolicy('acme', { reset: true })
  expect(shareBpsOf(seals, await acme())).toBe(9_700)
})
