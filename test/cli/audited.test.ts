import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { type MongoStore, mongoStore } from '../../src/adapters/mongo/mongo-store'
import { cliActor } from '../../src/cli/installation/audit'
import { createKey, revokeKey } from '../../src/cli/verbs/keys'
import {
  createOrganization,
  inviteMember,
  removeSecondStep,
  setPlan,
  setPolicy,
} from '../../src/cli/verbs/organizations'
import { shareBpsOf } from '../../src/domain/seals'
import { chainFault, emptyChain } from '../../src/domain/tenant/audit-chain'
import { planOf, plans } from '../../src/domain/tenant/organization'
import { newOrganization } from '../../src/http/dashboard/new-tenants'
import { seals } from '../support/seals'
import { mongoUrl } from '../support/servers'
import { undecidedIn } from '../support/undecided'

const given = { ...process.env }
let connection: Awaited<ReturnType<typeof connectMongo>>
let store: MongoStore
beforeAll(async () => {
  const url = await mongoUrl()
  connection = await connectMongo(url)
  store = mongoStore(connection, 'reader', Date.now)
  Object.assign(process.env, { MONGODB_URL: url, PUBLIC_URL: 'http://localhost' })
  for (const name of ['log', 'error'] as const) spyOn(console, name).mockImplementation(() => {})
  await createOrganization({ slug: 'acme', plan: 'free', platform: false })
})
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
  const entries = await store.auditLog.list({ organizationId: null, verb }, { limit: 100 })
  return entries.map(({ organizationId, target, actor }) => [organizationId, target, actor.id])
}
const keyOf = async (label: string) =>
  (await store.apiKeys.ofOrganization((await acme()).id)).find((each) => each.label === label)!
const terms = { organization: 'acme', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false } as const

test('every change on the command line is in the affected organization’s audit log', async () => {
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

test('removing a lost second step ends all sessions and trusted devices of the person, and is in every organization’s log', async () => {
  const { id } = await acme()
  const of = (name: string) => connection.db!.collection<Record<string, unknown>>(name)
  await of('auth_user').insertOne({
    _id: 'p1',
    email: 'lost@acme.example',
    name: 'Lo',
    twoFactorEnabled: true,
  } as never)
  for (const userId of ['p1', 'p2']) {
    await of('auth_twoFactor').insertOne({ userId, secret: 'encrypted' })
    await of('auth_session').insertOne({ userId, token: userId })
    for (const kind of ['trust-device', '2fa', 'verify'])
      await of('auth_verification').insertOne({ identifier: `${kind}-${userId}`, value: userId })
  }
  const members = [{ personId: 'p1', role: 'owner', joinedAt: 1 }]
  const known = (await store.memberships.load(id)) ?? { id, version: 0 }
  expect(await store.memberships.save({ ...known, members } as never)).not.toBeNull()
  await removeSecondStep('Lost@acme.example', { reason: 'seen in person' })
  expect(await store.secondSteps.find('lost@acme.example')).toEqual({ id: 'p1', hasSecondStep: false })
  for (const name of ['auth_twoFactor', 'auth_session'])
    expect((await of(name).find().toArray()).map(({ userId }) => userId)).toEqual(['p2'])
  const kept = (await of('auth_verification').find().toArray()).map(({ identifier }) => identifier)
  expect(kept.toSorted()).toEqual(['2fa-p2', 'trust-device-p2', 'verify-p1', 'verify-p2'])
  expect(await noted('person.second_step_off')).toEqual([[id, 'p1', 'cli']])
  await expect(removeSecondStep('nobody@acme.example', { reason: 'why' })).rejects.toThrow('No account has the address')
})

const storedText = async () => JSON.stringify(await connection.db!.collection('auditLog').find().toArray())

test('the chain has no text that a person chose, after any actions on the command line', async () => {
  const entries = await store.auditLog.list({ organizationId: null }, { limit: 100 })
  expect(entries.length).toBeGreaterThan(5)
  expect(entries.flatMap(undecidedIn)).toEqual([])
  const text = (await storedText()).toLowerCase()
  for (const chosen of ['acme', '"made"', '"rolling"', '@', `"${cliActor.label}"`]) expect(text).not.toContain(chosen)
})

test('a key’s label and addresses from the command line are deleted with its organization', async () => {
  await createOrganization({ slug: 'leaves', name: 'Leaves Ltd', plan: 'free', platform: false })
  const { id } = (await store.organizations.all()).find(({ slug }) => slug === 'leaves')!
  await createKey({ ...terms, organization: 'leaves', label: 'Leaves production', allow: ['192.0.2.7'] })
  const [key] = await store.apiKeys.ofOrganization(id)
  await revokeKey(key!.id)
  const shown = async () => JSON.stringify(await store.auditLog.list({ organizationId: id }, { limit: 9 }))
  for (const chosen of ['leaves', 'Leaves production', '192.0.2.7']) expect(await shown()).toContain(chosen)
  const erasure = { kind: 'ORGANIZATION', subject: id, email: null, askedAt: 1, doneAt: null } as const
  await store.erasures.carryOut((await store.erasures.save({ id: 'leaves', version: 0, ...erasure }))!)
  for (const left of [await shown(), await storedText()])
    expect(/leaves|192\.0\.2\.7/i.exec(left.replaceAll(id, ''))).toBeNull()
  const names = connection.db!.collection('auditNames')
  expect(await names.countDocuments({ organizationId: id })).toBe(0)
  const head = emptyChain(id)
  const [first] = await store.auditLog.chain(id, 0, 1)
  expect(chainFault(first!, head)).toBeNull()
})

test('the command line makes sy_test_ keys in a sandbox, and sy_live_ keys elsewhere', async () => {
  await createKey({ ...terms, label: 'real' })
  await store.organizations.save(newOrganization({ id: 'org_sandbox', slug: 'sandbox', name: 'sandbox' }, 1))
  await createKey({ ...terms, label: 'pretended' })
  const prefixes = [await keyOf('real'), await keyOf('pretended')].map(({ prefix }) => prefix.slice(0, 8))
  expect(prefixes).toEqual(['sy_live_', 'sy_test_'])
})
