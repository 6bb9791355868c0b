import { expect, test } from 'bun:test'
import { openIdClient } from '../../../src/adapters/auth/open-id'
import { guardedFetch } from '../../../src/adapters/webhooks/guarded-fetch'
import { certifiedProvider } from '../../support/certified-provider'
import { nightly } from '../../support/depth'
import { corpDomain, directories } from '../../support/directories'
import { openIdProvider } from '../../support/open-id-provider'
import { type Cookies, ssoWorld } from './sso-world'

const redirectUri = 'http://127.0.0.1:1/app/auth/sso/callback'
const openId = openIdClient({ now: Date.now, fetch: guardedFetch({ toLoopback: true }), isPlainAllowed: true })

async function signingIn() {
  const provider = await certifiedProvider()
  provider.start(redirectUri)
  const { issuer, clientId, clientSecret } = provider
  const known = { issuer, clientId, clientSecret }
  const begin = async (isAgain = false) =>
    (await openId.begin(known, { redirectUri, email: 'ada@example.com', isAgain, needsGroups: false }))!
  type Begun = Awaited<ReturnType<typeof begin>>
  const walk = ({ url }: Begun) => provider.walk(url, 'ada@example.com')
  const finish = ({ state, nonce, verifier }: Begun, back: URL, by = known, isAgain = false) =>
    openId.finish(by, { state, nonce, verifier, redirectUri, query: back.searchParams, isAgain, needsGroups: false })
  return { provider, known, begin, walk, finish }
}

test('a person returns from a certified provider with the address from its userinfo endpoint', async () => {
  const { known, begin, walk, finish } = await signingIn()
  expect(await openId.isProvider(known.issuer)).toBe(true)
  for (const isAgain of [false, true]) {
    const begun = await begin(isAgain)
    const claims = await finish(begun, await walk(begun), known, isAgain)
    expect(claims).toMatchObject({ sub: 'ada@example.com', email: 'ada@example.com', email_verified: true })
  }
})

test('the time of the provider’s sign-in is kept along with the userinfo', async () => {
  const { begin, walk, finish } = await signingIn()
  const begun = await begin()
  const claims = await finish(begun, await walk({ ...begun, url: `${begun.url}&max_age=600` }))
  const { auth_time: at } = claims as { auth_time?: number }
  expect(Date.now() / 1_000 - at!).toBeWithin(-1, 60)
  expect(claims).toMatchObject({ email: 'ada@example.com' })
})

test('a code is valid once, only for its browser, verifier, nonce, state and secret', async () => {
  const { known, begin, walk, finish } = await signingIn()
  const other = await begin()
  const changes = [{ verifier: other.verifier }, { nonce: other.nonce }, { state: other.state }]
  for (const change of changes) {
    const begun = await begin()
    const back = await walk(begun)
    expect(await finish({ ...begun, ...change }, back)).toBeNull()
  }
  const begun = await begin()
  expect(await finish(begun, await walk(begun), { ...known, clientSecret: 'another' })).toBeNull()
  const good = await begin()
  const back = await walk(good)
  expect(await finish(good, back)).not.toBeNull()
  expect(await finish(good, back)).toBeNull()
})

test('people sign in as before after the provider changed its key', async () => {
  const { provider, begin, walk, finish } = await signingIn()
  const before = await begin()
  expect(await finish(before, await walk(before))).not.toBeNull()
  await provider.rotate(redirectUri)
  const after = await begin()
  expect(await finish(after, await walk(after))).not.toBeNull()
})

test('a token from another issuer or for another client is refused', async () => {
  const { known, begin, walk, finish } = await signingIn()
  const begun = await begin()
  const back = await walk(begun)
  const stranger = await openIdProvider({ clientId: known.clientId, clientSecret: known.clientSecret })
  expect(await finish(begun, back, { ...known, issuer: stranger.issuer })).toBeNull()
  back.searchParams.set('iss', stranger.issuer)
  expect(await finish(begun, back)).toBeNull()
  const again = await begin()
  expect(await finish(again, await walk(again), { ...known, clientId: 'another' })).toBeNull()
})

test('a person of a proved domain becomes a member only of the organization with that certified provider', async () => {
  const { world, ask, connect, me } = await ssoWorld()
  const certified = await certifiedProvider()
  certified.start(redirectUri)
  await connect('org_a', 'owner@example.com', ['example.com'], certified)
  const cookies: Cookies = new Map()
  const { json } = await ask('/app/auth/sso/start', cookies, { body: { email: 'ada@example.com' } })
  certified.start(new URL(json.url).searchParams.get('redirect_uri')!)
  const back = await certified.walk(json.url, 'ada@example.com')
  await ask(back.pathname + back.search, cookies)
  const { person, organizations } = await me(cookies)
  expect(person.email).toBe('ada@example.com')
  expect(organizations.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([['org_a', 'member']])
  const { members } = (await world.memberships.load('org_a'))!
  expect(members.map(({ personId }) => personId)).toContain(person.id)
})

nightly('people of each directory sign in through a certified provider that states the same claims', async () => {
  for (const [n, directory] of directories.entries()) {
    const { ask, connect, me, refusals } = await ssoWorld()
    const certified = await certifiedProvider({ directory })
    certified.start(redirectUri)
    const { as } = await connect('org_a', `owner${n}@${corpDomain}`, [corpDomain], certified)
    const enter = async (): Promise<unknown> => {
      const cookies: Cookies = new Map()
      const { json } = await ask('/app/auth/sso/start', cookies, { body: { email: `any@${corpDomain}` } })
      certified.start(new URL(json.url).searchParams.get('redirect_uri')!)
      const back = await certified.walk(json.url, String(directory.idToken['sub']))
      await ask(back.pathname + back.search, cookies)
      return (await me(cookies))?.person.email ?? refusals().at(-1)
    }
    const { name, statesVerification, group, userInfo } = directory
    expect([name, await enter()]).toEqual([name, statesVerification ? userInfo['email'] : 'VERIFICATION_UNSTATED'])
    await as('/sso/admission', { method: 'PUT', body: { acceptsUnstatedVerification: true } })
    expect([name, await enter()]).toEqual([name, userInfo['email']])
    await as('/sso/admission', { method: 'PUT', body: { groups: [group ?? 'any'] } })
    expect([name, await enter()]).toEqual([name, group === null ? 'GROUPS_UNSTATED' : userInfo['email']])
    await as('/sso/admission', { method: 'PUT', body: { groups: ['another'] } })
    expect([name, await enter()]).toEqual([name, group === null ? 'GROUPS_UNSTATED' : 'NOT_IN_GROUP'])
  }
})
