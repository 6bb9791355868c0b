import { expect, test } from 'bun:test'
import { authCollections } from '../../../src/adapters/auth/auth-indexes'
import { countAttempt } from '../../../src/http/dashboard/sign-in/attempts'
import { authPaths } from '../../../src/http/dashboard/sign-in/auth'
import { limitCountersInMemory } from '../../support/limit-counters'
import { testAll } from '../../support/test-all'
import { type Claims, type Cookies, codeOf, origin, password, ssoWorld } from './sso-world'

const { connection, provider, world, ask, person, connect, enter, me, refusals } = await ssoWorld()
const { issuer, clientId, clientSecret } = provider

let owner: Awaited<ReturnType<typeof connect>>
test('an owner connects a provider, and its secret is encrypted, never shown and in no log', async () => {
  owner = await connect('org_a', 'boss@corp.example', ['corp.example'])
  const { sso } = (await world.store.organizations.load('org_a'))!
  expect(sso).toMatchObject({ issuer, clientId, isDemanded: false, domains: [{ name: 'corp.example' }] })
  const shown = (await owner.as('/sso', {})).json
  for (const each of [sso, shown, world.store.auditLog.entries])
    expect(JSON.stringify(each)).not.toContain(clientSecret)
  expect(shown.redirectUri).toBe(`${origin}/app/auth/sso/callback/org_a`)
})

test('a first sign-in creates a member with the configured role, who stays the same person', async () => {
  const { cookies, at } = await enter('ann@corp.example', { sub: 'ann', name: 'Ann\u202E' })
  expect(at).toBe(`${origin}/app`)
  expect(await me(cookies)).toMatchObject({
    person: { email: 'ann@corp.example', name: 'Ann', isVerified: true },
    organizations: [{ id: 'org_a', role: 'member' }],
  })
  const again = await enter('ann@corp.example', { sub: 'ann', name: 'Other' })
  expect((await me(again.cookies)).person.id).toBe((await me(cookies)).person.id)
  const entries = world.store.auditLog.entries.filter(({ target }) => target !== 'org_a').slice(-3)
  expect(entries.map(({ verb, organizationId }) => [verb, organizationId])).toEqual([
    ['member.join', 'org_a'],
    ['person.sign_in', 'org_a'],
    ['person.sign_in', 'org_a'],
  ])
  expect(entries.at(-1)!.details).toMatchObject({ by: 'sso', email: 'ann@corp.example' })
})

testAll<[what: string, fault: object]>([
  ['another issuer', { iss: 'https://accounts.example' }],
  ['another audience', { aud: 'another client' }],
  ['another nonce', { nonce: 'replayed' }],
  ['an end in the past', { exp: 1 }],
  ['the signature of another key', { isForged: true }],
  ['no signature', { alg: 'none' }],
])('a token that is foreign, for another client or expired admits no person', async (_, fault) => {
  const { cookies, at } = await enter('ann@corp.example', { sub: 'ann' }, fault)
  expect([at, await me(cookies)]).toEqual([`${origin}/app/sso?trouble=failed`, null])
})

const toldOf: Record<string, string> = { DOMAIN_NOT_PROVED: 'domain', VERIFICATION_UNSTATED: 'unstated' }
testAll<[what: string, claims: Claims, objection: string]>([
  ['an address at a domain that was not proved', { email: 'bob@other.example' }, 'DOMAIN_NOT_PROVED'],
  ['a domain below the proved one', { email: 'bob@sub.corp.example' }, 'DOMAIN_NOT_PROVED'],
  ['two addresses in one', { email: 'bob@other.example@corp.example' }, 'NO_EMAIL'],
  ['letters that become others', { email: 'bo\u212A@corp.example' }, 'NO_EMAIL'],
  ['a quoted address', { email: '"bob@other.example"@corp.example' }, 'NO_EMAIL'],
  ['a list of addresses', { email: ['bob@corp.example'] }, 'NO_EMAIL'],
  ['a query in place of an address', { email: { $ne: null } }, 'NO_EMAIL'],
  ['a line break', { email: 'bob@corp.example\n' }, 'NO_EMAIL'],
  ['an address that was not verified', { email_verified: false }, 'EMAIL_NOT_VERIFIED'],
  ['nothing about whether it was verified', { email_verified: undefined }, 'VERIFICATION_UNSTATED'],
])('an unproved address admits no one, and the person and the owners get the reason', async (_, claims, objection) => {
  const { cookies, at } = await enter('bob@corp.example', { sub: 'bob', ...claims })
  expect([at, await me(cookies)]).toEqual([`${origin}/app/sso?trouble=${toldOf[objection] ?? 'address'}`, null])
  expect(refusals().at(-1)).toBe(objection)
})

test('a provider’s response is accepted once, only from the browser that was sent, at its organization’s address', async () => {
  const cookies: Cookies = new Map()
  const begin = async () => (await ask('/app/auth/sso/start', cookies, { body: { email: 'x@corp.example' } })).json.url
  const expired = `${origin}/app/sso?trouble=expired`
  const claims = { sub: 'x', email: 'x@corp.example', email_verified: true }
  const back = new URL(provider.signIn(await begin(), claims))
  expect((await ask(back.pathname + back.search, new Map())).headers.get('location')).toBe(expired)
  const elsewhere = back.pathname.replace('org_a', 'org_b')
  expect((await ask(elsewhere + back.search, new Map(cookies))).headers.get('location')).toBe(expired)
  const kept = new Map(cookies)
  const wrong = back.search.replace(/state=[^&]+/, 'state=thiefs')
  expect((await ask(back.pathname + wrong, new Map(cookies))).headers.get('location')).toContain('trouble=failed')
  expect((await ask(back.pathname + back.search, kept)).headers.get('location')).toBe(expired)
})

test('a hostile owner with a lying provider never acts as a person of another organization', async () => {
  const victim = await person('victim@corp.example', 'org_b', 'owner')
  const { cookies } = await enter('victim@corp.example', { sub: 'victim' }, {}, new Map(victim.cookies))
  const seen = await me(cookies)
  expect(seen).toMatchObject({ person: { id: victim.id }, organizations: [{ id: 'org_a', role: 'member' }] })
  expect(seen.organizations).toHaveLength(1)

  const { routes } = world.api as unknown as { routes: { method: string; path: string }[] }
  const own = routes.filter(({ path }) => path.startsWith('/app/api/') && !/\/(me|registration|invitation)$/.test(path))
  expect(own.length).toBeGreaterThan(60)
  for (const { method, path } of own) {
    const headers = { 'x-organization-id': 'org_b' }
    const sent = { method, headers, ...(method !== 'GET' && method !== 'DELETE' && { body: {} }) }
    const { status } = await ask(path.replaceAll(/:[a-zA-Z]+/g, 'x'), cookies, sent)
    expect([method, path, [403, 404].includes(status)]).toEqual([method, path, true])
  }
  for (const [path, body] of [
    ['/organizations', { name: 'Mine' }],
    ['/invitation', { token: 'a'.repeat(43) }],
  ] as const)
    expect(codeOf(await ask(`/app/api${path}`, cookies, { body }))).toEqual([403, 'SIGNED_IN_BY_SSO'])
  expect((await me(victim.cookies)).organizations.map(({ id }: { id: string }) => id).toSorted()).toEqual([
    'org_a',
    'org_b',
  ])
})

test('no request lets such a session show more, or change its person', async () => {
  const { cookies } = await enter('victim@corp.example', { sub: 'victim' })
  const users = connection.db!.collection<{ _id: string }>(authCollections.user)
  const before = await users.findOne({ email: 'victim@corp.example' } as never)
  const open = {
    GET: ['get-session', 'verify-email'],
    POST: ['sign-out', 'sign-in/email', 'sign-up/email', 'sso/start'],
  }
  const free = [...open.GET, ...open.POST, 'request-password-reset', 'reset-password']
  const body = { password, name: 'Taken', currentPassword: password, newPassword: 'another sentence', code: '123456' }
  for (const [method, paths] of Object.entries(authPaths))
    for (const path of paths.filter((each) => !free.includes(each))) {
      const answer = await ask(`/app/auth/${path}`, cookies, { method, ...(method === 'POST' && { body }) })
      expect([path, ...codeOf(answer)]).toEqual([path, 403, 'SIGNED_IN_BY_SSO'])
    }
  expect(await users.findOne({ email: 'victim@corp.example' } as never)).toEqual(before)
  expect((await me(cookies)).via).toMatchObject({ organizationId: 'org_a' })
  // Also not after the session has ended, which better-auth does not detect.
  world.clock.now += 12 * 3_600_000
  expect(await me(cookies)).toBeNull()
  expect(codeOf(await ask('/app/auth/list-sessions', cookies))).toEqual([403, 'SIGNED_IN_BY_SSO'])
  world.clock.now -= 12 * 3_600_000
})

test('actions in such a session are logged only for its organization', async () => {
  const { cookies } = await enter('victim@corp.example', { sub: 'victim' })
  const from = world.store.auditLog.entries.length
  await ask('/app/auth/sign-out', cookies, { body: {} })
  const told = world.store.auditLog.entries.slice(from).map(({ verb, organizationId }) => [verb, organizationId])
  expect(told).toEqual([['person.sign_out', 'org_a']])
})

test('an address registered before its owner came gives no membership, because it was never proved', async () => {
  await ask('/app/auth/sign-up/email', new Map(), { body: { email: 'early@corp.example', password, name: 'Thief' } })
  const { at } = await enter('early@corp.example', { sub: 'early' })
  expect([at, refusals().at(-1)]).toEqual([`${origin}/app/sso?trouble=refused`, 'NOT_CONFIRMED'])
})

test('a person with a password is linked only while signed in, so neither a provider nor a stranger becomes them', async () => {
  const nan = await person('nan@corp.example', 'org_a', 'owner')
  const other = await person('other@corp.example')
  const asked = (cookies: Cookies) => enter('nan@corp.example', { sub: 'nan' }, {}, new Map(cookies))
  for (const cookies of [new Map(), other.cookies]) {
    const came = await asked(cookies)
    expect([came.at, refusals().at(-1)]).toEqual([`${origin}/app/sso?trouble=password`, 'PASSWORD_FIRST'])
    expect((await me(came.cookies))?.via ?? null).toBeNull()
  }
  // An old session may be stolen, and the provider would then bypass the second step.
  world.clock.now += 16 * 60_000
  const stale = await asked(nan.cookies)
  expect([stale.at, refusals().at(-1)]).toEqual([`${origin}/app/sso?trouble=password`, 'PASSWORD_FIRST'])
  world.clock.now -= 16 * 60_000
  const came = await asked(nan.cookies)
  expect([came.at, (await me(came.cookies)).person.id]).toEqual([`${origin}/app`, nan.id])
  const again = await asked(new Map())
  expect([again.at, (await me(again.cookies)).via.organizationId]).toEqual([`${origin}/app`, 'org_a'])
  // The provider does not replace the owner's second step, which keeps a way in for owners.
  const headers = { 'x-organization-id': 'org_a' }
  for (const [path, body] of [
    ['/sso/demand', { isDemanded: true }],
    ['/organization/second-step', { demandsSecondStep: true }],
  ] as const)
    expect(codeOf(await ask(`/app/api${path}`, again.cookies, { method: 'PUT', headers, body }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ])
})

test('a person without a password signs in again at the provider in another window, and a stolen session ends', async () => {
  const { connect, enter, ask, me, provider, world } = await ssoWorld()
  const owner = await connect('org_a', 'boss@corp.example', ['corp.example'])
  const { cookies } = await enter('eve@corp.example', { sub: 'eve' })
  const stolen = new Map(cookies)
  const { person } = await me(cookies)
  const known = (await world.memberships.load('org_a'))!
  const asOwner = known.members.map((each) =>
    each.personId === person.id ? { ...each, role: 'owner' as const } : each,
  )
  await world.memberships.save({ ...known, members: asOwner })
  world.clock.now += 15 * 60_000
  const body = { label: 'x', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false }
  const makeKey = (by: typeof cookies) => ask('/app/api/keys', by, { body })
  expect(codeOf(await makeKey(cookies))).toEqual([403, 'SECOND_STEP_NEEDED'])
  const { json } = await ask('/app/auth/sso/start', cookies, { body: { again: true, beside: true } })
  const claims = { sub: 'eve', email: 'eve@corp.example', email_verified: true }
  const back = new URL(provider.signIn(json.url, { ...claims, auth_time: Math.floor(world.clock.now / 1_000) }))
  const answer = await ask(back.pathname + back.search, cookies)
  expect(answer.headers.get('location')).toBe(`${origin}/app/sso?done`)
  expect((await me(cookies)).person.id).toBe(person.id)
  expect((await makeKey(cookies)).status).toBe(201)
  expect([await me(stolen), codeOf(await makeKey(stolen))]).toEqual([null, [401, 'NOT_SIGNED_IN']])
  expect((await me(owner.cookies)).person.email).toBe('boss@corp.example')
})

testAll<[what: string, agoSeconds: number | null, status: number]>([
  ['is not told', null, 201],
  ['was now', 0, 201],
  ['was 14 minutes ago', 14 * 60, 201],
  ['was 15 minutes ago', 15 * 60 + 1, 403],
  ['was this morning', 4 * 3_600, 403],
])('a person from a provider creates a key only after a recent sign-in there', async (_, agoSeconds, status) => {
  const { connect, enter, ask, me, world } = await ssoWorld()
  await connect('org_a', 'boss@corp.example', ['corp.example'])
  const said = agoSeconds === null ? {} : { auth_time: Math.floor(world.clock.now / 1_000) - agoSeconds }
  const { cookies } = await enter('eve@corp.example', { sub: 'eve', ...said })
  const { person } = await me(cookies)
  const known = (await world.memberships.load('org_a'))!
  const members = known.members.map((one) => (one.personId === person.id ? { ...one, role: 'owner' as const } : one))
  await world.memberships.save({ ...known, members })
  const body = { label: 'x', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false }
  expect((await ask('/app/api/keys', cookies, { body })).status).toBe(status)
})

test('requests in a person’s name never lock that person out of single sign-on', async () => {
  const ask = (n: number) =>
    countAttempt({ limitCounters, now: () => 0 }, 'sso/start', {
      address: `192.0.2.${n}`,
      email: 'ann@corp.example',
      device: null,
      session: null,
    })
  const limitCounters = limitCountersInMemory()
  for (let n = 0; n < 50; n++) await ask(n)
  for (let n = 0; n < 59; n++) await ask(1)
  await expect(ask(1)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('a person has one account at a provider, and a removed person does not return by signing in', async () => {
  const { cookies } = await enter('cat@corp.example', { sub: 'cat' })
  const { id } = (await me(cookies)).person
  await enter('cat@corp.example', { sub: 'the next employee with this address' })
  expect(refusals().at(-1)).toBe('OTHER_ACCOUNT')
  expect((await owner.as(`/members/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect(codeOf(await ask('/app/api/members', cookies))).toEqual([404, 'NOT_FOUND'])
  await enter('cat@corp.example', { sub: 'cat' })
  expect(refusals().at(-1)).toBe('REMOVED')
})

test('a removed person returns only by an invitation, never by signing in, linked or with a new account', async () => {
  const fay = await person('fay@corp.example', 'org_a')
  expect((await owner.as(`/members/${fay.id}`, { method: 'DELETE' })).status).toBe(204)
  const asked = () => enter('fay@corp.example', { sub: 'fay' }, {}, new Map(fay.cookies))
  expect([(await asked()).at, refusals().at(-1)]).toEqual([`${origin}/app/sso?trouble=refused`, 'REMOVED'])
  for (const name of ['user', 'account', 'session'] as const)
    await connection
      .db!.collection(authCollections[name])
      .deleteMany({ $or: [{ _id: fay.id as never }, { userId: fay.id }] })
  expect([(await asked()).at, refusals().at(-1)]).toEqual([`${origin}/app/sso?trouble=refused`, 'REMOVED'])
  const again = await person('fay@corp.example')
  const { json } = await owner.as('/invitations', { body: { email: 'fay@corp.example', role: 'member' } })
  const token = new URL(json.link).hash.slice(1) || new URL(json.link).searchParams.get('token')
  expect((await ask('/app/api/invitation', again.cookies, { body: { token } })).status).toBe(200)
  expect((await world.memberships.load('org_a'))!.removed).not.toContainEqual(
    expect.objectContaining({ personId: fay.id }),
  )
  const came = await enter('fay@corp.example', { sub: 'fay' }, {}, new Map(again.cookies))
  expect(came.at).toBe(`${origin}/app`)
})

test('an organization that requires it shows nothing to a member with a password, and owners keep a way in', async () => {
  const { cookies } = await person('dan@corp.example', 'org_a')
  expect((await owner.as('/sso/demand', { method: 'PUT', body: { isDemanded: true } })).status).toBe(400)
  const known = (await world.store.organizations.load('org_a'))!
  await world.store.organizations.save({ ...known, sso: { ...known.sso!, isDemanded: true } })
  expect(codeOf(await ask('/app/api/members', cookies))).toEqual([403, 'SSO_DEMANDED'])
  expect(codeOf(await owner.as('/members', {}))).toEqual([403, 'SECOND_STEP_DEMANDED'])
  const through = await enter('dan@corp.example', { sub: 'dan' }, {}, new Map(cookies))
  expect((await ask('/app/api/members', through.cookies)).status).toBe(200)
  const since = (await world.store.organizations.load('org_a'))!
  await world.store.organizations.save({ ...since, sso: { ...since.sso!, isDemanded: false } })
})

test('a domain belongs to one organization until its name server names another', async () => {
  const other = await person('boss@b.example', 'org_b', 'owner')
  const as = (path: string, sent: Parameters<typeof ask>[2]) => ask(`/app/api${path}`, other.cookies, sent)
  await as('/sso', { method: 'PUT', body: { issuer, clientId, clientSecret, role: 'operator' } })
  const { record } = (await as('/sso/domains', { body: { name: 'corp.example' } })).json.domains[0]
  const prove = async () => codeOf(await as('/sso/domains/corp.example/prove', { method: 'POST' }))
  expect(await prove()).toEqual([409, 'DOMAIN_NOT_PROVED'])
  const before = world.texts.get(record.name)!
  world.texts.set(record.name, null)
  expect(await prove()).toEqual([503, 'IDENTITY_PROVIDER_UNAVAILABLE'])
  world.texts.set(record.name, [...before, record.value])
  expect(await prove()).toEqual([409, 'DOMAIN_TAKEN'])
  world.texts.set(record.name, [record.value])
  expect(await prove()).toEqual([200, null])
  const told = world.store.auditLog.entries.slice(-2).map(({ verb, organizationId }) => [verb, organizationId])
  expect(told).toEqual([
    ['sso.domain_prove', 'org_b'],
    ['sso.domain_remove', 'org_a'],
  ])
  // The former organization still lists it, without effect.
  const { back } = await enter('eve@corp.example', { sub: 'eve' })
  expect(back.pathname).toEndWith('/org_b')
  await as('/sso', { method: 'DELETE' })
  expect(codeOf(await ask('/app/auth/sso/start', new Map(), { body: { email: 'eve@corp.example' } }))).toEqual([
    404,
    'NO_SSO',
  ])
})

test('a different client is a different connection: its sessions end, and its links are gone', async () => {
  const { cookies } = await enterAgain()
  expect(await me(cookies)).not.toBeNull()
  const body = { issuer, clientId: 'another', clientSecret, role: 'member' }
  expect((await owner.as('/sso', { method: 'PUT', body })).status).toBe(200)
  expect(await me(cookies)).toBeNull()
  expect(codeOf(await owner.as('/sso', { method: 'PUT', body: { ...body, clientSecret: undefined } }))).toEqual([
    200,
    null,
  ])
  const missing = { issuer, clientId: 'a third', role: 'member' }
  expect(codeOf(await owner.as('/sso', { method: 'PUT', body: missing }))).toEqual([400, 'VALIDATION_FAILED'])
})

/** The domain returns to the first organization. */
async function enterAgain() {
  const { record } = (await owner.as('/sso', {})).json.domains[0]
  world.texts.set(record.name, [record.value])
  await owner.as('/sso/domains/corp.example/prove', { method: 'POST' })
  return enter('ann@corp.example', { sub: 'ann' })
}
