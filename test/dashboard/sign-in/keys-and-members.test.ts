import { beforeEach, expect, test } from 'bun:test'
import { invite } from '../../../src/cli/installation/invite'
import { membersMax, newMember, openInvitationsMax } from '../../../src/domain/tenant/member-role'
import type { RequestView } from '../../../src/http/dashboard/keys'
import type { Membership } from '../../../src/ports/people'
import { recordsOf } from '../../support/records'
import { testAll } from '../../support/test-all'
import { type MembersWorld, membersWorld } from './members-world'

let world: MembersWorld
beforeEach(async () => {
  world = await membersWorld()
})
const terms = { label: 'checkout', role: 'CLIENT', protocolFeeBps: 25, sponsoredGas: false }

test('a key’s value is returned once, and is in no list, entry or stored record', async () => {
  const made = await world.as('owner', '/keys', { body: terms })
  const value = made.json.value as string
  expect(made.status).toBe(201)
  expect(made.headers.get('cache-control')).toBe('no-store')
  expect(made.json.key).toMatchObject({ label: 'checkout', prefix: value.slice(0, 12), createdBy: 'owner' })
  for (const path of ['/keys', '/operator/audit', `/keys/${made.json.key.id}/requests`])
    expect((await world.as('owner', path)).text).not.toContain(value)
  const stored = await world.store.apiKeys.ofOrganization('org_a')
  expect(JSON.stringify(stored)).not.toContain(value)
})

test('the requests of all keys are listed together, newest first, and those of another organization are not', async () => {
  const keys = await Promise.all(
    ['one', 'two'].map(async (label) => (await world.as('owner', '/keys', { body: { ...terms, label } })).json),
  )
  for (const [n, { value }] of keys.entries()) {
    world.clock.now += 1_000
    await world.ask(n === 0 ? '/api/chains' : '/api/executions/none', { key: value })
  }
  const seenBy = async (role: string, path: string): Promise<string[]> =>
    (await world.as(role, path)).json.map(({ keyId, path, status }: RequestView) => `${keyId} ${path} ${status}`)
  const [one, two] = keys.map(({ key }) => key.id)
  const newest = [`${two} /api/executions/:id 404`, `${one} /api/chains 200`]
  expect(await seenBy('member', '/requests')).toEqual(newest)
  expect(await seenBy('member', `/keys/${one}/requests`)).toEqual(newest.slice(1))
  expect(await seenBy('other-owner', '/requests')).toEqual([])
})

test('the newest request is listed although it was refused and many other keys were used before', async () => {
  const make = async (n: number) => (await world.as('owner', '/keys', { body: { ...terms, label: `key ${n}` } })).json
  const refused = await make(0)
  for (let n = 1; n <= 20; n++) {
    world.clock.now += 1_000
    await world.ask('/api/chains', { key: (await make(n)).value })
  }
  world.clock.now += 1_000
  expect((await world.ask('/api/operator/pauses', { key: refused.value })).status).toBe(403)
  expect((await world.as('owner', '/requests')).json[0]).toMatchObject({ keyId: refused.key.id, status: 403 })
})

test('the requests of all keys are paged by a cursor, each once, also the refused ones alone', async () => {
  const make = async (n: number) => (await world.as('owner', '/keys', { body: { ...terms, label: `key ${n}` } })).json
  const keys = await Promise.all([0, 1, 2].map(make))
  for (let n = 0; n < 7; n++) {
    world.clock.now += 1_000
    await world.ask(n % 3 === 0 ? '/api/executions/none' : '/api/chains', { key: keys[n % 2].value })
  }
  async function walked(path: string) {
    const pages: number[][] = []
    for (let next: string | undefined = path; next; ) {
      const { json, headers, status } = await world.as('member', next)
      expect(status).toBe(200)
      pages.push(json.map(({ at }: RequestView) => (world.clock.now - Date.parse(at)) / 1_000))
      next = /<\/app\/api([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
    }
    return pages
  }
  expect(await walked('/requests?limit=3')).toEqual([[0, 1, 2], [3, 4, 5], [6]])
  expect(await walked('/requests?limit=2&refused=true')).toEqual([[0, 3], [6]])
  expect(await walked(`/keys/${keys[1].key.id}/requests?limit=2`)).toEqual([[1, 3], [5]])
  const cursor = /cursor=([^&>]+)/.exec((await world.as('member', '/requests?limit=3')).headers.get('link')!)![1]
  expect((await world.as('member', `/requests?limit=3&refused=true&cursor=${cursor}`)).status).toBe(400)
})

test('a key is revoked by typing its label, refused afterwards, and shows who revoked it', async () => {
  const { value, key } = (await world.as('admin', '/keys', { body: terms })).json
  expect((await world.ask('/api/executions', { key: value })).status).toBe(200)
  expect((await world.as('owner', `/keys/${key.id}/revoke`, { body: { label: 'other' } })).status).toBe(400)
  expect((await world.as('owner', `/keys/${key.id}/revoke`, { body: { label: 'checkout' } })).status).toBe(200)
  world.clock.now += 1_000
  expect((await world.ask('/api/executions', { key: value })).status).toBe(401)
  const shown = (await world.as('member', '/keys')).json.find((each: { id: string }) => each.id === key.id)
  expect(shown).toMatchObject({ isRevoked: true, revokedBy: 'owner@example.test' })
})

test('a key has its given addresses and expiry, and so does its successor', async () => {
  const allowedAddresses = ['198.51.100.0/24', '2001:db8::1']
  const made = (await world.as('owner', '/keys', { body: { ...terms, endsInDays: 30, allowedAddresses } })).json
  const later = (days: number) => new Date(world.clock.now + days * 86_400_000).toISOString()
  expect(made.key).toMatchObject({ allowedAddresses, isExpiring: true, isRevoked: false, endsAt: later(30) })
  expect((await world.ask('/api/executions', { key: made.value })).status).toBe(403)
  world.clock.now += 10 * 86_400_000
  const rolled = (await world.as('owner', `/keys/${made.key.id}/roll`, { body: { overlapSeconds: 0 } })).json
  expect(rolled.key).toMatchObject({ allowedAddresses, isExpiring: true, endsAt: later(30) })
  const body = { allowedAddresses: [] }
  const edited = (await world.as('owner', `/keys/${rolled.key.id}`, { method: 'PATCH', body })).json
  expect(edited).toMatchObject({ allowedAddresses: [], label: 'checkout', endsAt: later(30) })
  expect((await world.ask('/api/executions', { key: rolled.value })).status).toBe(200)
  const entry = world.store.auditLog.entries.findLast(({ verb }) => verb === 'key.edit')
  expect(entry?.details).toEqual({ allowedAddresses: { from: allowedAddresses, to: [] } })
})

test('a rolled key works until its overlap has passed', async () => {
  const { value, key } = (await world.as('owner', '/keys', { body: terms })).json
  const rolled = (await world.as('owner', `/keys/${key.id}/roll`, { body: { overlapSeconds: 3_600 } })).json
  expect(rolled.key).toMatchObject({ label: 'checkout', protocolFeeBps: 25 })
  world.clock.now += 3_000_000
  expect((await world.ask('/api/executions', { key: value })).status).toBe(200)
  world.clock.now += 700_000
  expect((await world.ask('/api/executions', { key: value })).status).toBe(401)
  expect((await world.ask('/api/executions', { key: rolled.value })).status).toBe(200)
})

testAll([
  [{ protocolFeeBps: 1_001 }],
  [{ protocolFeeBps: -1 }],
  [{ protocolFeeBps: 1.5 }],
  [{ role: 'ADMIN' }],
  [{ label: '' }],
  [{ allowedAddresses: ['10.0.0.0/33'] }],
  [{ allowedAddresses: Array(51).fill('10.0.0.1') }],
])('a key with impossible terms is refused', async (change) => {
  expect((await world.as('owner', '/keys', { body: { ...terms, ...change } })).status).toBe(400)
})

test('the last owner can neither leave nor be demoted', async () => {
  expect((await world.as('owner', '/members/leave', { method: 'POST' })).status).toBe(409)
  expect((await world.as('owner', '/members/owner', { method: 'PATCH', body: { role: 'member' } })).status).toBe(409)
  expect((await world.as('owner', '/members/member', { method: 'PATCH', body: { role: 'owner' } })).status).toBe(204)
  expect((await world.as('owner', '/members/leave', { method: 'POST' })).status).toBe(204)
  expect((await world.as('owner', '/members')).status).toBe(404)
})

test('one of two owners who leave together stays', async () => {
  await world.seat('second', 'org_a', 'owner')
  const left = await Promise.all(
    ['owner', 'second'].map((name) => world.as(name, '/members/leave', { method: 'POST' })),
  )
  expect(left.filter(({ status }) => status === 204)).toHaveLength(1)
  const { members } = (await world.memberships.load('org_a'))!
  expect(members.filter(({ role }) => role === 'owner')).toHaveLength(1)
})

test('an admin can neither create nor change an owner', async () => {
  const asOwner = { method: 'PATCH', body: { role: 'owner' } }
  expect((await world.as('admin', '/members/member', asOwner)).status).toBe(403)
  expect((await world.as('admin', '/members/admin', asOwner)).status).toBe(403)
  expect((await world.as('admin', '/members/owner', { method: 'DELETE' })).status).toBe(403)
  const invited = await world.as('admin', '/invitations', { body: { email: 'x@example.test', role: 'owner' } })
  expect(invited.status).toBe(403)
})

test('a removed member is locked out at the next request', async () => {
  expect((await world.as('member', '/executions')).status).toBe(200)
  await world.as('admin', '/members/member', { method: 'DELETE' })
  expect((await world.as('member', '/executions')).status).toBe(404)
})

test('a member who saves settings all the time can be removed and demoted, but no role changes unseen', async () => {
  const memberships = recordsOf<Membership>('memberships')
  let meanwhile: (() => Promise<unknown>) | null = null
  const save: typeof memberships.save = async (record) => {
    const first = meanwhile
    meanwhile = null
    await first?.()
    return memberships.save(record)
  }
  const { as } = await membersWorld({ memberships: { ...memberships, save } })
  const saveView = () => as('operator', '/views', { method: 'PUT', body: { name: 'Mine', query: '' } })
  const demote = () => as('admin', '/members/operator', { method: 'PATCH', body: { role: 'member' } })
  const operator = async () =>
    (await memberships.load('org_a'))!.members.find(({ personId }) => personId === 'operator')
  meanwhile = saveView
  expect([(await demote()).status, await operator()]).toMatchObject([
    204,
    { role: 'member', views: [{ name: 'Mine' }] },
  ])
  meanwhile = () => as('owner', '/members/admin', { method: 'PATCH', body: { role: 'member' } })
  expect((await as('admin', '/members/operator', { method: 'DELETE' })).status).toBe(409)
  await as('owner', '/members/admin', { method: 'PATCH', body: { role: 'admin' } })
  meanwhile = saveView
  expect([(await as('admin', '/members/operator', { method: 'DELETE' })).status, await operator()]).toEqual([
    204,
    undefined,
  ])
  meanwhile = () => as('member', '/views', { method: 'PUT', body: { name: 'Mine', query: '' } })
  expect((await as('admin', '/members/leave', { method: 'POST' })).status).toBe(204)
})

const tokenOf = (link: string): string => new URL(link).searchParams.get('token')!

test('an invitation is valid only for its address, once, for a week', async () => {
  world.people.set('new', { id: 'new', name: 'new', email: 'new@example.test' })
  const invite = () => world.as('admin', '/invitations', { body: { email: 'New@Example.test', role: 'operator' } })
  const { link } = (await invite()).json
  const body = { token: tokenOf(link) }
  const offered = await world.as(null, `/invitation?token=${body.token}`)
  expect(offered.json).toMatchObject({ email: 'new@example.test', role: 'operator', organizationName: 'org_a' })
  expect((await world.as('other-owner', '/invitation', { body })).status).toBe(403)
  const taken = await Promise.all([1, 2, 3].map(() => world.as('new', '/invitation', { body })))
  expect(taken.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await world.as('new', '/operator/states')).status).toBe(200)
  expect((await world.as('new', '/invitation', { body })).status).toBe(410)
})

/** Adds members until an organization has this many. */
async function fill(most: number) {
  const known = world.memberships.get('org_a')
  const rest = Array.from({ length: most - known.members.length }, (_, n) =>
    newMember(`m${known.members.length + n}`, 'member', joining),
  )
  await world.memberships.save({ ...known, members: [...known.members, ...rest] })
}
const joining = { at: 0, by: null }

test('members and open invitations together have a limit, at every way to invite and to join', async () => {
  const store = { ...world.store, ...world.ports.dashboard!, time: async () => world.clock.now }
  const options = { organization: 'org_a', role: 'member', origin: 'http://localhost' } as const
  const byCommand = async (email: string) => invite(store, { ...options, email })
  const byMember = (email: string) => world.as('admin', '/invitations', { body: { email, role: 'member' } })
  const join = (name: string, link: string) => world.as(name, '/invitation', { body: { token: tokenOf(link) } })
  const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('x-error-code')]
  for (const name of ['one', 'two']) world.people.set(name, { id: name, name, email: `${name}@x.test` })

  await fill(membersMax - 2)
  expect((await byMember('one@x.test')).status).toBe(201)
  await byCommand('two@x.test')
  expect(codeOf(await byMember('three@x.test'))).toEqual([409, 'LIMIT_REACHED'])
  await expect(byCommand('three@x.test')).rejects.toThrow('No more than 250 members and open invitations')

  // A new link of an open invitation is no further one.
  const links = await Promise.all([(await byMember('one@x.test')).json.link, (await byCommand('two@x.test')).link])
  await fill(membersMax)
  const logged = world.store.auditLog.entries.length
  expect(codeOf(await join('one', links[0]))).toEqual([409, 'LIMIT_REACHED'])
  expect(world.store.auditLog.entries).toHaveLength(logged)
  expect((await world.as('owner', '/members/m100', { method: 'DELETE' })).status).toBe(204)
  const joined = await Promise.all([join('one', links[0]), join('two', links[1])])
  expect(joined.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(world.memberships.get('org_a').members).toHaveLength(membersMax)
  // The invitation of the person who came too late works once after another member has left.
  const [late, link] = joined[0]!.status === 409 ? (['one', links[0]] as const) : (['two', links[1]] as const)
  expect(codeOf(await join(late, link))).toEqual([409, 'LIMIT_REACHED'])
  expect((await world.as('owner', '/members/m101', { method: 'DELETE' })).status).toBe(204)
  expect((await join(late, link)).status).toBe(200)
  expect(codeOf(await join(late, link))[1]).toBe('INVITATION_OVER')
})

test('an organization has at most 100 open invitations, and a new link of one of them is no further one', async () => {
  const byMember = (email: string) => world.as('admin', '/invitations', { body: { email, role: 'member' } })
  for (let n = 0; n < openInvitationsMax; n++) expect((await byMember(`a${n}@x.test`)).status).toBe(201)
  const refused = await byMember('b@x.test')
  expect([refused.status, refused.json.message]).toEqual([409, 'No more than 100 open invitations'])
  expect((await byMember('a0@x.test')).status).toBe(201)
})

test('a withdrawn, expired or reissued link is invalid', async () => {
  const invite = (email: string) => world.as('owner', '/invitations', { body: { email, role: 'member' } })
  const [withdrawn, outdated, reissued] = await Promise.all(['a@x.test', 'b@x.test', 'c@x.test'].map(invite))
  const shown = ({ json: { id, version } }: { json: { id: string; version: string } }) => ({ id, version })
  const [first, third] = [shown(withdrawn!), shown(reissued!)]
  await world.as('owner', `/invitations/${first.id}?version=${first.version}`, { method: 'DELETE' })
  await world.as('owner', `/invitations/${third.id}/resend`, { body: { version: third.version } })
  const look = async (link: string) => (await world.as(null, `/invitation?token=${tokenOf(link)}`)).status
  expect(await look(withdrawn!.json.link)).toBe(410)
  expect(await look(reissued!.json.link)).toBe(410)
  expect(await look(outdated!.json.link)).toBe(200)
  world.clock.now += 8 * 86_400_000
  expect(await look(outdated!.json.link)).toBe(410)
})

test('the creator of an organization owns it, and important actions are logged before they are done', async () => {
  const made = await world.as('member', '/organizations', { body: { name: 'Acme Pay' } })
  expect(made.json).toMatchObject({ name: 'Acme Pay', role: 'owner' })
  expect(made.json.slug).toMatch(/^acme-pay-[a-z0-9]{5}$/)
  const headers = { 'x-organization-id': made.json.id as string }
  await world.as('member', '/keys', { body: terms, headers })
  const audit = await world.as('member', '/operator/audit', { headers })
  const verbs = audit.json.map((entry: { verb: string }) => entry.verb)
  expect(verbs.toSorted()).toEqual(['key.create', 'organization.create'])
})

test('a request without an organization uses the one that the person joined first', async () => {
  world.people.set('new', { id: 'new', name: 'new', email: 'new@example.test' })
  for (const [id, joinedAt] of [
    ['org_a', 2],
    ['org_b', 1],
  ] as const) {
    const { members } = world.memberships.get(id)
    world.memberships.change(id, { members: [...members, { personId: 'new', role: 'owner', joinedAt }] })
  }
  const renamed = await world.as('new', '/organization', { method: 'PATCH', body: { name: 'First' } })
  expect(renamed.json.id).toBe('org_b')
})

testAll([
  ['Söhne & Groß', 'soehne-gross'],
  ['Łódź Škoda', 'lodz-skoda'],
  ['Москва', 'moskva'],
  ['東京', 'organization'],
])('the slug of an organization begins with its name, in transliterated letters', async (name, begins) => {
  const world = await membersWorld()
  const made = await world.as('member', '/organizations', { body: { name } })
  expect(made.json.slug).toMatch(new RegExp(`^${begins}-[a-z0-9]{5}$`))
})

test('an intent made in the dashboard belongs to a key, with its terms', async () => {
  const target = {
    userId: 'ann',
    targetChainId: 42161,
    targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
  }
  const { key } = (await world.as('owner', '/keys', { body: { ...terms, protocolFeeBps: 77 } })).json
  const headers = { 'x-api-key-id': key.id as string }
  const intent = await world.as('admin', '/deposit-intents', { body: target, headers })
  expect([intent.status, intent.json.protocolFeeBps]).toEqual([201, 77])
  const stranger = await world.as('other-owner', '/deposit-intents', { body: target, headers })
  expect(stranger.status).toBe(400)
})

test('an organization without members gets its first owner by a link from the command line', async () => {
  const world = await membersWorld()
  const { memberships, invitations } = world.ports.dashboard!
  const store = { ...world.store, memberships, invitations, auditLog: world.operators.auditLog, time: async () => 5 }
  const { organizations } = store
  await organizations.save({ ...(await organizations.load('org_a'))!, id: 'org_new', slug: 'acme', version: 0 })
  const made = () =>
    invite(store, { organization: 'acme', email: 'New@Example.test', role: 'owner', origin: 'http://localhost' })
  world.clock.now = 5

  const { link: first } = await made()
  const { link } = await made()
  world.people.set('new', { id: 'new', name: 'new', email: 'new@example.test' })
  const accept = (of: string) => world.as('new', '/invitation', { body: { token: tokenOf(of) } })
  expect((await accept(first)).status).toBe(410)
  expect((await accept(link)).json).toEqual({ organizationId: 'org_new' })
  expect(world.memberships.get('org_new').members).toMatchObject([{ personId: 'new', role: 'owner' }])
})
