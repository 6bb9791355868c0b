import { expect, test } from 'bun:test'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { betterAuth } from 'better-auth/minimal'
import { providerSessions, viaFields, viaOf } from '../../../src/adapters/auth/provider-sessions'

const via = { organizationId: 'org_a', connectionId: 'sso_1', at: 5 }

async function world() {
  const auth = betterAuth({
    baseURL: 'http://localhost',
    secret: 'x'.repeat(32),
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    session: { additionalFields: viaFields },
    plugins: [providerSessions()],
    logger: { disabled: true },
  })
  const { internalAdapter } = await auth.$context
  const user = await internalAdapter.createUser({ email: 'ann@corp.example', name: 'Ann', emailVerified: true })
  return { auth, user: user! }
}

test('a session begun by the server for a provider records its connection and organization', async () => {
  const { auth, user } = await world()
  const answer = await auth.api.beginProviderSession({ body: { personId: user.id, via } as never, asResponse: true })
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0]!)
  const found = await auth.api.getSession({ headers: new Headers({ cookie: cookie.join('; ') }) })
  expect([found?.user.id, viaOf(found!.session)]).toEqual([user.id, via])
})

test('no request can begin such a session, and none is begun for an unknown person', async () => {
  const { auth, user } = await world()
  const body = JSON.stringify({ personId: user.id, via })
  const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
  const sent = new Request('http://localhost/api/auth/provider-session', { method: 'POST', headers, body })
  const answer = await auth.handler(sent)
  expect([answer.ok, answer.headers.getSetCookie()]).toEqual([false, []])
  const nobody = { personId: 'nobody', via } as never
  await expect(auth.api.beginProviderSession({ body: nobody, asResponse: true })).rejects.toThrow()
})

test('a session with any part of a connection is bound by it', () => {
  expect(viaOf({})).toBeNull()
  expect(viaOf({ viaOrganization: null, viaConnection: null, viaAt: null })).toBeNull()
  for (const part of [{ viaOrganization: 'o' }, { viaConnection: 'c' }, { viaAt: 1 }])
    expect(viaOf(part)).not.toBeNull()
})
