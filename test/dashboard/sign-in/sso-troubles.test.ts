import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../../../src/domain/unavailable'
import { testAll } from '../../support/test-all'
import { type Cookies, origin, ssoWorld } from './sso-world'

const { provider, world, ask, connect, enter, me } = await ssoWorld()
await connect('org_a', 'boss@corp.example', ['corp.example'])

const begin = async (cookies: Cookies, more = {}) => {
  const { json } = await ask('/app/auth/sso/start', cookies, { body: { email: 'ann@corp.example', ...more } })
  return new URL(json.url)
}
/** The page to which a browser returns: never a JSON body, and never signed in. */
async function trouble(cookies: Cookies, path: string) {
  const { status, headers } = await ask(path, cookies)
  expect([status, await me(cookies)]).toEqual([302, null])
  return headers.get('location')!.replace(`${origin}/app/sso?trouble=`, '')
}
const claims = { sub: 'ann', email: 'ann@corp.example', email_verified: true }

testAll([
  ['access_denied', 'cancelled'],
  ['login_required', 'failed'],
  ['server_error', 'failed'],
])('a provider’s error is shown as one of our own words', async (error, told) => {
  const cookies: Cookies = new Map()
  const { searchParams } = await begin(cookies)
  const { pathname } = new URL(searchParams.get('redirect_uri')!)
  const answer = new URLSearchParams({ error, error_description: '<b>anything</b>', state: searchParams.get('state')! })
  expect(await trouble(cookies, `${pathname}?${answer}`)).toBe(told)
})

test('a refusal with the state of another sign-in is not the provider’s refusal', async () => {
  const cookies: Cookies = new Map()
  const { pathname } = new URL((await begin(cookies)).searchParams.get('redirect_uri')!)
  expect(await trouble(cookies, `${pathname}?error=access_denied&state=another`)).toBe('failed')
})

test('a provider that fails during a sign-in is shown as down, and works afterwards', async () => {
  expect((await enter('ann@corp.example', { sub: 'ann' }, { isDown: true })).at).toEndWith('trouble=unavailable')
  expect((await enter('ann@corp.example', { sub: 'ann' })).at).toBe(`${origin}/app`)
})

test('an unavailable store on the return is shown on the page too', async () => {
  const cookies: Cookies = new Map()
  const back = new URL(provider.signIn((await begin(cookies)).href, claims))
  const { identity } = world.ports.dashboard!
  const { linkedWith } = identity
  identity.linkedWith = () => Promise.reject(new StoreUnavailable())
  try {
    expect(await trouble(cookies, back.pathname + back.search)).toBe('unavailable')
  } finally {
    identity.linkedWith = linkedWith
  }
})

test('a person who may have another account is asked at the provider which one to use', async () => {
  expect((await begin(new Map())).searchParams.get('prompt')).toBeNull()
  expect((await begin(new Map(), { asAnother: true })).searchParams.get('prompt')).toBe('login')
})
