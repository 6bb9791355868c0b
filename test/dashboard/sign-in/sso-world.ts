import { expect } from 'bun:test'
import { ensureAuthIndexes } from '../../../src/adapters/auth/auth-indexes'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { openIdClient } from '../../../src/adapters/auth/open-id'
import { guardedFetch } from '../../../src/adapters/webhooks/guarded-fetch'
import type { MemberRole } from '../../../src/domain/tenant/member-role'
import { newDatabase } from '../../support/new-database'
import { openIdProvider } from '../../support/open-id-provider'
import { type MembersWorld, membersWorld } from './members-world'

export const origin = 'http://localhost'
export const password = 'a long enough sentence'
export type Cookies = Map<string, string>
type Connectable = { issuer: string; clientId: string; clientSecret: string }
export type Claims = Record<string, unknown>
export const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('x-error-code'),
]

/** Two organizations whose people sign in with better-auth, in a database, and through a provider on this machine. */
export async function ssoWorld() {
  const connection = await newDatabase()
  const provider = await openIdProvider()
  await ensureAuthIndexes(connection)
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin,
    secret: await authSecret(connection),
    send: null,
    onLink: () => {},
    onTrouble: () => {},
  })
  const world = await membersWorld({ ports: { webhooksToLoopback: true } })
  const dashboard = world.ports.dashboard!
  Object.assign(dashboard.identity, identity)
  Object.assign(
    dashboard.openId,
    openIdClient({ now: Date.now, fetch: guardedFetch({ toLoopback: true }), isPlainAllowed: true }),
  )
  world.clock.now = Date.now()

  /** Sends a request as a browser does, with the cookies of one person. */
  async function ask(path: string, cookies: Cookies, sent: Parameters<MembersWorld['ask']>[1] = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await world.ask(path, { ...sent, headers: { origin, cookie, ...sent.headers } })
    for (const each of answer.headers.getSetCookie()) {
      const [name, value] = each.split(';')[0]!.split(/=(.*)/s) as [string, string]
      if (value === '' || /Max-Age=0/i.test(each)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  /** Creates a person with a password, as a member of an organization. */
  async function person(email: string, organizationId?: string, role: MemberRole = 'member') {
    const { id } = await identity.create({ email, name: email, password })
    if (organizationId) {
      const known = (await world.memberships.load(organizationId))!
      await world.memberships.save({ ...known, members: [...known.members, { personId: id, role, joinedAt: 0 }] })
    }
    const cookies: Cookies = new Map()
    await ask('/app/auth/sign-in/email', cookies, { body: { email, password } })
    return { id, email, cookies }
  }

  /** Connects the provider to an organization and proves its domains. */
  async function connect(organizationId: string, email: string, domains: string[], by: Connectable = provider) {
    const owner = await person(email, organizationId, 'owner')
    const as = (path: string, sent: Parameters<typeof ask>[2]) => ask(`/app/api${path}`, owner.cookies, sent)
    const body = { issuer: by.issuer, clientId: by.clientId, clientSecret: by.clientSecret, role: 'member' }
    expect((await as('/sso', { method: 'PUT', body })).status).toBe(200)
    for (const name of domains) {
      const { record } = (await as('/sso/domains', { body: { name } })).json.domains.at(-1)
      world.texts.set(record.name, [record.value])
      expect((await as(`/sso/domains/${name}/prove`, { method: 'POST' })).status).toBe(200)
    }
    return { ...owner, as }
  }

  type Stated = { idToken: Claims; userInfo?: Claims; fault?: object }
  /** Signs in through a provider that states exactly this. The last response is the one to the returning browser. */
  async function enterAs(email: string, { idToken, userInfo, fault }: Stated, cookies: Cookies = new Map()) {
    const { json } = await ask('/app/auth/sso/start', cookies, { body: { email } })
    const back = new URL(provider.signIn(json.url, idToken, fault, userInfo))
    const answer = await ask(back.pathname + back.search, cookies)
    return { cookies, at: answer.headers.get('location'), back }
  }
  const enter = (email: string, claims: Claims, fault = {}, cookies: Cookies = new Map()) =>
    enterAs(email, { idToken: { email, email_verified: true, ...claims }, fault }, cookies)
  const me = async (cookies: Cookies) => (await ask('/app/api/me', cookies)).json
  const refusals = () =>
    world.store.auditLog.entries.flatMap(({ verb, details }) =>
      verb === 'sso.refused' ? [(details as { objection: string }).objection] : [],
    )

  return { connection, provider, world, ask, person, connect, enter, enterAs, me, refusals }
}
