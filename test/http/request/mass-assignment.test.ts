import { beforeEach, expect, test } from 'bun:test'
import { type MembersWorld, membersWorld } from '../../dashboard/sign-in/members-world'

let world: MembersWorld
beforeEach(async () => {
  world = await membersWorld()
})
const terms = { label: 'checkout', role: 'CLIENT', protocolFeeBps: 25, sponsoredGas: false }

async function keyOf(name: string, organizationId?: string) {
  const headers = organizationId === undefined ? {} : { 'x-organization-id': organizationId }
  const made = await world.as(name, '/keys', { body: terms, headers })
  expect(made.status).toBe(201)
  const { value, key } = made.json as { value: string; key: { id: string } }
  return { value, stored: () => world.store.apiKeys.get(key.id) }
}
const edit = (name: string, id: string, body: object, headers = {}) =>
  world.as(name, `/keys/${id}`, { method: 'PATCH', body, headers })

test('no member can edit their own key into an operator’s key of the platform', async () => {
  const { value, stored } = await keyOf('owner')
  const before = stored()
  const body = { label: 'edited', organizationId: 'org_p', role: 'OPERATOR' }
  expect((await edit('owner', before.id, body)).status).toBe(200)
  expect(stored()).toEqual({ ...before, label: 'edited', version: before.version + 1 })
  expect((await world.ask('/api/operator/states', { key: value })).status).toBe(403)
})

test('a member of two organizations cannot move a key between them, and the audit log is complete', async () => {
  const { id } = (await world.as('member', '/organizations', { body: { name: 'Mine' } })).json
  const { value, stored } = await keyOf('member', id)
  const before = stored()
  const moved = await edit('member', before.id, { organizationId: 'org_a' }, { 'x-organization-id': id })
  expect(moved.status).toBe(200)
  expect(stored()).toEqual({ ...before, version: before.version + 1 })
  const found = await world.ask('/api/executions', { key: value })
  expect([found.status, found.json]).toEqual([200, []])
  const audit = await world.as('member', '/operator/audit', { headers: { 'x-organization-id': id } })
  const edits = audit.json.filter(({ verb }: { verb: string }) => verb === 'key.edit')
  expect(edits).toMatchObject([{ target: before.id, details: {} }])
})

test('a revoked key stays revoked after any edit', async () => {
  const { value, stored } = await keyOf('owner')
  const { id } = stored()
  await world.as('owner', `/keys/${id}/revoke`, { body: { label: terms.label } })
  const { revokedAt } = stored()
  await edit('owner', id, { revokedAt: null })
  expect(stored().revokedAt).toBe(revokedAt)
  world.clock.now += 1_000
  expect((await world.ask('/api/executions', { key: value })).status).toBe(401)
})

test('a new key ignores a requested id, version or digest', async () => {
  const theirs = (await keyOf('other-owner')).stored()
  const planted = { id: theirs.id, version: theirs.version, digest: 'f'.repeat(64), createdBy: 'owner' }
  const made = await world.as('other-admin', '/keys', { body: { ...terms, ...planted } })
  expect(made.status).toBe(201)
  expect(made.json.key.id).not.toBe(theirs.id)
  const stored = world.store.apiKeys.get(made.json.key.id)
  expect(stored).toMatchObject({ version: 1, createdBy: 'other-admin', organizationId: 'org_b' })
  expect(stored.digest).not.toBe(planted.digest)
  const strangers = await world.as('owner', '/keys', { body: { ...terms, ...planted, organizationId: 'org_b' } })
  expect(strangers.json.key.id).not.toBe(theirs.id)
  expect(world.store.apiKeys.get(theirs.id)).toEqual(theirs)
})

test('a planted database operator is stored nowhere, and the list of keys stays readable', async () => {
  const { stored } = await keyOf('owner')
  const before = stored()
  const planted = { createdAt: { $gt: 0 }, lastUsedAt: { $ne: null }, 'members.0.role': 'owner' }
  await edit('owner', before.id, planted)
  await world.as('owner', '/keys', { body: { ...terms, ...planted } })
  const { status, json } = await world.as('owner', '/keys')
  expect(status).toBe(200)
  for (const { createdAt } of json) expect(createdAt).toBe(new Date(world.clock.now).toISOString())
  const keys = world.store.apiKeys.all()
  for (const key of keys) expect(Object.keys(key).toSorted()).toEqual(Object.keys(before).toSorted())
})

test('the audit log shows an edit’s actual changes with their old values, without the request', async () => {
  const { stored } = await keyOf('owner')
  await edit('owner', stored().id, { protocolFeeBps: 40, sponsoredGas: false, organizationId: 'org_p', note: 'x' })
  const [entry] = world.store.auditLog.entries.filter(({ verb }) => verb === 'key.edit')
  expect(entry).toMatchObject({ organizationId: 'org_a', target: stored().id })
  expect(entry!.details).toEqual({ protocolFeeBps: { from: 25, to: 40 } })
})

test('a revoked key does not count towards the hundred', async () => {
  for (let n = 0; n < 100; n++) {
    const { id } = (await keyOf('owner')).stored()
    await world.as('owner', `/keys/${id}/revoke`, { body: { label: terms.label } })
  }
  expect((await world.as('owner', '/keys', { body: terms })).status).toBe(201)
})
