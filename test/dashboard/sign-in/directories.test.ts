import { beforeAll, expect, test } from 'bun:test'
import type { AuditEntry } from '../../../src/domain/tenant/audit'
import { membersMax, newMember } from '../../../src/domain/tenant/member-role'
import { type Admission, admissionOf } from '../../../src/domain/tenant/sso'
import { corpDomain, directories, entraId, keycloak, okta } from '../../support/directories'
import { testAll } from '../../support/test-all'
import { type Cookies, codeOf, origin, ssoWorld } from './sso-world'

const { provider, world, ask, connect, enterAs, me, person, refusals } = await ssoWorld()
const members = `${origin}/app`
const trouble = (word: string) => `${origin}/app/sso?trouble=${word}`

let owner: Awaited<ReturnType<typeof connect>>
beforeAll(async () => {
  owner = await connect('org_a', `boss@${corpDomain}`, [corpDomain])
})

const admission = async (terms: Partial<Admission>) => owner.as('/sso/admission', { method: 'PUT', body: terms })
const asAtFirst = () => admission({ acceptsUnstatedVerification: false, groups: [] })
type Stated = Parameters<typeof enterAs>[1]
const enter = (stated: Stated) => enterAs(`any@${corpDomain}`, stated)

test('people of all four directories sign in, those of Entra ID once an owner accepts unstated verification', async () => {
  for (const { name, idToken, userInfo, statesVerification } of directories) {
    await asAtFirst()
    const before = await enter({ idToken, userInfo })
    expect([name, before.at]).toEqual([name, statesVerification ? members : trouble('unstated')])
    if (!statesVerification) {
      expect([refusals().at(-1), await me(before.cookies)]).toEqual(['VERIFICATION_UNSTATED', null])
      expect((await admission({ acceptsUnstatedVerification: true })).status).toBe(200)
    }
    const after = await enter({ idToken, userInfo })
    expect([name, after.at]).toEqual([name, members])
    const { person, organizations } = await me(after.cookies)
    expect(person).toMatchObject({ email: userInfo['email'], isVerified: true })
    expect(organizations).toMatchObject([{ id: 'org_a', role: 'member' }])
  }
})

testAll<[what: string, stated: Stated, objection: string, word: string]>([
  [
    'false in the ID token',
    { ...entraId, idToken: { ...entraId.idToken, email_verified: false } },
    'EMAIL_NOT_VERIFIED',
    'address',
  ],
  [
    'the text false in the ID token',
    { ...keycloak, idToken: { ...keycloak.idToken, email_verified: 'false' } },
    'EMAIL_NOT_VERIFIED',
    'address',
  ],
  [
    'false in userinfo only',
    { ...entraId, userInfo: { ...entraId.userInfo, email_verified: false } },
    'EMAIL_NOT_VERIFIED',
    'address',
  ],
  [
    'silence about an address of a foreign domain',
    { ...entraId, idToken: { ...entraId.idToken, email: 'guest@partner.example' } },
    'DOMAIN_NOT_PROVED',
    'domain',
  ],
  [
    'silence about an address of a domain that is named but not proved',
    { ...entraId, idToken: { ...entraId.idToken, email: 'guest@named.example' } },
    'DOMAIN_NOT_PROVED',
    'domain',
  ],
  [
    'no address, as of an account without a mailbox',
    { idToken: { ...entraId.idToken, email: undefined }, userInfo: { name: 'Mikah' } },
    'NO_EMAIL',
    'address',
  ],
])('an owner’s acceptance of unstated verification admits no one else', async (_, stated, objection, word) => {
  await owner.as('/sso/domains', { body: { name: 'named.example' } })
  await admission({ acceptsUnstatedVerification: true })
  const { at, cookies } = await enter(stated)
  expect([at, refusals().at(-1), await me(cookies)]).toEqual([trouble(word), objection, null])
})

test('a domain that another organization proved since no longer counts, whatever an owner accepts', async () => {
  await admission({ acceptsUnstatedVerification: true })
  const claim = (await world.ports.dashboard!.domainClaims.load(corpDomain))!
  const { json } = await owner.as('/sso', {})
  expect(json.admission).toEqual({ acceptsUnstatedVerification: true, groups: [] })
  const begun = await enter(entraId)
  expect(begun.at).toBe(members)
  const other = await connect('org_b', 'boss@b.example', [])
  const { record } = (await other.as('/sso/domains', { body: { name: corpDomain } })).json.domains[0]
  world.texts.set(record.name, [record.value])
  expect((await other.as(`/sso/domains/${corpDomain}/prove`, { method: 'POST' })).status).toBe(200)
  // The other organization holds the domain and has accepted nothing.
  const { at, back } = await enter(entraId)
  expect([back.pathname.endsWith('/org_b'), at]).toEqual([true, trouble('unstated')])
  await world.ports.dashboard!.domainClaims.save({
    ...(await world.ports.dashboard!.domainClaims.load(corpDomain))!,
    organizationId: claim.organizationId,
  })
})

test('groups are read from the ID token or from userinfo, and only people of a required group sign in', async () => {
  for (const { name, idToken, userInfo, scopes, group } of directories) {
    provider.offers(scopes)
    await admission({ acceptsUnstatedVerification: true, groups: [group ?? 'any'] })
    const inGroup = await enter({ idToken, userInfo })
    expect([name, inGroup.at]).toEqual([name, group === null ? trouble('group') : members])
    if (group === null) expect(refusals().at(-1)).toBe('GROUPS_UNSTATED')
    await admission({ groups: ['another'] })
    const { at } = await enter({ idToken, userInfo })
    expect([name, at]).toEqual([name, trouble('group')])
    if (group !== null) expect(refusals().at(-1)).toBe('NOT_IN_GROUP')
  }
  await asAtFirst()
})

test('a userinfo endpoint that fails admits no one, because it might state false', async () => {
  await admission({ acceptsUnstatedVerification: true })
  for (const [userInfoStatus, word] of [
    [403, 'failed'],
    [503, 'unavailable'],
  ] as const)
    expect((await enter({ ...entraId, fault: { userInfoStatus } })).at).toBe(trouble(word))
  expect((await enter({ ...keycloak, fault: { userInfoStatus: 503 } })).at).toBe(members)
})

test('a stricter setting ends the sessions of the connection, and a wider one leaves them', async () => {
  const isSignedIn = async (terms: Partial<Admission>) => {
    const { cookies } = await enter(entraId)
    expect(await me(cookies)).not.toBeNull()
    expect((await admission(terms)).status).toBe(200)
    return (await me(cookies)) !== null
  }
  await admission({ acceptsUnstatedVerification: true, groups: [] })
  expect(await isSignedIn({ groups: [] })).toBe(true)
  expect(await isSignedIn({ groups: [entraId.group!] })).toBe(false)
  expect(await isSignedIn({ groups: [entraId.group!, 'more'] })).toBe(true)
  expect(await isSignedIn({ groups: [entraId.group!] })).toBe(false)
  expect(await isSignedIn({ groups: [] })).toBe(true)
  expect(await isSignedIn({ acceptsUnstatedVerification: false })).toBe(false)
  expect((await me(owner.cookies)).person.email).toBe(`boss@${corpDomain}`)
})

test('a sign-in that began before a stricter setting is judged by that setting', async () => {
  await admission({ acceptsUnstatedVerification: true })
  const { openId } = world.ports.dashboard!
  const { finish } = openId
  // The owner changes the setting while the provider responds.
  openId.finish = async (...came) => {
    const claims = await finish(...came)
    await asAtFirst()
    return claims
  }
  const { at } = await enter(entraId)
  openId.finish = finish
  expect([at, refusals().at(-1)]).toEqual([trouble('unstated'), 'VERIFICATION_UNSTATED'])
})

test('a change of the setting is audited with the values before and after it', async () => {
  await asAtFirst()
  const from = world.store.auditLog.entries.length
  await admission({ acceptsUnstatedVerification: true })
  await admission({ groups: [okta.group!] })
  const told = world.store.auditLog.entries.slice(from).map(({ verb, details }: AuditEntry) => [verb, details])
  expect(told).toEqual([
    ['sso.admission', { acceptsUnstatedVerification: { from: false, to: true } }],
    ['sso.admission', { groups: { from: [], to: [okta.group] } }],
  ])
})

test('the owner whose change last let more people in appoints each member who signs in for the first time', async () => {
  const { domains } = (await world.store.organizations.load('org_a'))!.sso!
  const second = await person(`second@${corpDomain}`, 'org_a', 'owner')
  const change = (who: { cookies: Cookies }, path: string, body?: object, method = 'PUT') =>
    ask(`/app/api/sso${path}`, who.cookies, { method, body: body ?? {} })
  const appointers: Record<string, string | null> = {}
  const joins = async (name: string) => {
    const email = `${name}@${corpDomain}`
    const claims = { sub: name, email, email_verified: true, groups: ['a', 'b'] }
    const { id } = (await me((await enter({ idToken: claims })).cookies)).person
    const { members: all } = (await world.memberships.load('org_a'))!
    appointers[name] = all.find(({ personId }) => personId === id)!.appointed!.by
  }
  const settings = { issuer: provider.issuer, clientId: provider.clientId, role: 'operator' }
  await asAtFirst()
  await joins('by-connection')
  await change(second, '/admission', { groups: ['a'] })
  await change(second, '/domains', { name: 'unproved.example' }, 'POST')
  await joins('after-narrowing')
  await change(second, '/admission', { groups: ['a', 'b'] })
  await joins('after-widening')
  await change(owner, '', settings)
  await joins('after-role')
  await change(second, '', settings)
  await joins('after-the-same-again')
  await change(second, `/domains/${domains[0]!.name}`, undefined, 'DELETE')
  const { record } = (await change(second, '/domains', { name: corpDomain }, 'POST')).json.domains.at(-1)
  world.texts.set(record.name, [record.value])
  await change(second, `/domains/${corpDomain}/prove`, undefined, 'POST')
  await joins('after-domain')
  await change(owner, '', { ...settings, role: 'member' })
  expect(appointers).toEqual({
    'by-connection': owner.id,
    'after-narrowing': owner.id,
    'after-widening': second.id,
    'after-role': owner.id,
    'after-the-same-again': owner.id,
    'after-domain': second.id,
  })
})

test('a full organization admits its members through the provider, but no new person', async () => {
  await asAtFirst()
  const enterAsNew = (name: string) =>
    enter({ idToken: { sub: name, email: `${name}@${corpDomain}`, email_verified: true } })
  expect((await enterAsNew('early')).at).toBe(members)
  const known = world.memberships.get('org_a')
  const rest = Array.from({ length: membersMax - known.members.length }, (_, n) =>
    newMember(`m${n}`, 'member', { at: 0, by: null }),
  )
  await world.memberships.save({ ...known, members: [...known.members, ...rest] })
  const { at, cookies } = await enterAsNew('late')
  expect([at, refusals().at(-1), await me(cookies)]).toEqual([trouble('full'), 'LIMIT_REACHED', null])
  expect(world.store.auditLog.entries.at(-1)!.verb).toBe('sso.refused')
  expect((await enterAsNew('early')).at).toBe(members)
  await world.memberships.save({ ...world.memberships.get('org_a'), members: known.members })
  expect((await enterAsNew('late')).at).toBe(members)
})

test('a different client is trusted with nothing, and needs the same groups', async () => {
  await admission({ acceptsUnstatedVerification: true, groups: [okta.group!] })
  const { issuer, clientId, clientSecret } = provider
  const connectAs = (id: string) =>
    owner.as('/sso', { method: 'PUT', body: { issuer, clientId: id, clientSecret, role: 'member' } })
  expect((await connectAs(clientId)).json.admission).toEqual({
    acceptsUnstatedVerification: true,
    groups: [okta.group],
  })
  const { json } = await connectAs('another')
  expect(json.admission).toEqual({ acceptsUnstatedVerification: false, groups: [okta.group] })
  await connectAs(clientId)
})

testAll<[what: string, body: object, code: [number, string]]>([
  ['21 groups', { groups: Array.from({ length: 21 }, (_, n) => `g${n}`) }, [409, 'LIMIT_REACHED']],
  ['an empty name', { groups: [''] }, [400, 'VALIDATION_FAILED']],
  ['a line break', { groups: ['a\nb'] }, [400, 'VALIDATION_FAILED']],
  ['257 characters', { groups: ['g'.repeat(257)] }, [400, 'VALIDATION_FAILED']],
  ['a text in place of yes or no', { acceptsUnstatedVerification: 'true' }, [400, 'VALIDATION_FAILED']],
])('a setting that cannot be applied is refused, and changes nothing', async (_, body, code) => {
  const before = (await world.store.organizations.load('org_a'))!.sso
  expect(codeOf(await owner.as('/sso/admission', { method: 'PUT', body }))).toEqual(code)
  expect((await world.store.organizations.load('org_a'))!.sso).toEqual(before)
})

test('an organization without a provider has no such setting', async () => {
  expect((await owner.as('/sso', { method: 'DELETE' })).status).toBe(204)
  expect(codeOf(await admission({ groups: [] }))).toEqual([404, 'NOT_FOUND'])
  expect((await owner.as('/sso', {})).json.admission).toEqual(admissionOf({}))
})
