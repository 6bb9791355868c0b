import { beforeEach, expect, test } from 'bun:test'
import { target, usdc } from '../../http/world'
import { testAll } from '../../support/test-all'
import { type MembersWorld, membersWorld } from './members-world'

let world: MembersWorld
const begin = async () => {
  world = await membersWorld()
}
beforeEach(begin)

const minutes = 60_000
const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('x-error-code')]
const needed = [403, 'SECOND_STEP_NEEDED']
const signInNeeded = [403, 'SIGN_IN_NEEDED']
const asksAgain = (code: unknown) => code === 'SECOND_STEP_NEEDED' || code === 'SIGN_IN_NEEDED'
const demand = (who: string, demandsSecondStep = true) =>
  world.as(who, '/organization/second-step', { method: 'PUT', body: { demandsSecondStep } })
const proved = (who: string, agoMs: number | null) =>
  world.secondSteps.set(who, {
    hasSecondStep: true,
    secondStepAt: agoMs === null ? null : world.clock.now - agoMs,
  })

const intent = { userId: 'ann', ...target, targetTokenAddress: usdc.arbitrum }
const reason = 'because'
const hook = { url: 'https://hooks.example/in' }
type Body = Record<string, unknown> | null
/** Every route that a stolen session must not use, with a valid body. */
const guarded: Record<string, Body> = {
  'POST /keys': { label: 'x', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false },
  'PATCH /keys/:id': { protocolFeeBps: 1 },
  'POST /keys/:id/roll': { overlapSeconds: 0 },
  'POST /invitations': { email: 'new@example.test', role: 'member' },
  'POST /invitations/:id/resend': { version: '1' },
  'PATCH /members/:personId': { role: 'member' },
  'DELETE /members/:personId': null,
  'PUT /organization/second-step': { demandsSecondStep: false },
  'PUT /recipient-hold': { kind: 'NONE' },
  'POST /recipient-changes/:id/approve': { version: '1' },
  'POST /organization/delete': { confirm: 'org_a' },
  'POST /account/delete': { confirm: 'owner@example.test' },
  'PUT /sso': { issuer: 'https://id.example', clientId: 'switchyard', clientSecret: 'x', role: 'member' },
  'DELETE /sso': null,
  'PUT /sso/demand': { isDemanded: false },
  'PUT /sso/admission': { acceptsUnstatedVerification: true },
  'POST /sso/domains': { name: 'example.com' },
  'POST /sso/domains/:name/prove': null,
  'DELETE /sso/domains/:name': null,
  'POST /deposit-intents': intent,
  'POST /webhook-endpoints': hook,
  'PATCH /webhook-endpoints/:id': hook,
  'DELETE /webhook-endpoints/:id': null,
  'POST /webhook-endpoints/:id/rotate-secret': {},
  'POST /operator/executions/:id/retry': { reason },
  'POST /operator/executions/:id/approve': { reason, amountOutMin: '1' },
  'POST /operator/executions/:id/dead-letter': { reason },
  'POST /operator/executions/:id/redrive': { reason, intent: 'CURRENT' },
  'POST /operator/executions/:id/refund': { reason },
  'POST /operator/jobs': { reason, verb: 'retry', filter: { causeCode: 'PROVIDER_FAILED' } },
  'POST /operator/scans': { reason, chainId: 8453, fromBlock: 1, toBlock: 2 },
  'POST /operator/blacklist': { reason, kind: 'TOKEN', chainId: 8453, address: usdc.base, listedAs: 'SCAM' },
  'DELETE /operator/blacklist/:id': null,
  'PUT /operator/pauses/:scope': { reason },
  'DELETE /operator/pauses/:scope': null,
}
/** The other routes that change something or send a body, and why a session is enough for them. */
const free: Record<string, [why: string, body?: Body]> = {
  'POST /keys/:id/revoke': ['takes power away', { label: 'test' }],
  'DELETE /invitations/:id': ['takes power away'],
  'DELETE /recipient-changes/:id': ['leaves the recipient as it is'],
  'POST /members/leave': ['takes power away'],
  'POST /invitation': [
    'gives power only to the person, whom a member with a second step invited',
    { token: 'a'.repeat(43) },
  ],
  'POST /organizations': ['creates an organization without other members', { name: 'New' }],
  'PUT /notifications': [
    'sets only the person’s own e-mails',
    { pace: 'OFF', kinds: [], quiet: null, timeZone: 'UTC' },
  ],
  'PUT /views': ['names the person’s own filter', { name: 'x', query: '' }],
  'DELETE /views': ['forgets the person’s own filter'],
  'PATCH /organization': ['is a name', { name: 'New' }],
  'PUT /deposit-page': [
    'is a name and a colour; the page shows the address of the account',
    { isOn: true, name: 'x', color: '#1a7f5a' },
  ],
  'POST /deposit-page/links': ['shows the address of an account', { userId: 'ann' }],
  'POST /accounts': [
    'creates an address, which pays out nothing before an intent',
    { ownerAddress: 'ann', chainKey: 'base', label: 'x' },
  ],
  'POST /deposits/rescan': ['looks', { userId: 'ann', chainId: 8453 }],
  'POST /jobs/count': ['counts', { verb: 'retry', filter: { causeCode: 'PROVIDER_FAILED' } }],
  'POST /routing/simulate-deposit': ['computes', {}],
  'POST /pretend-deposits': ['sends worthless money', { userId: 'ann' }],
  'POST /webhook-endpoints/:id/resend': ['posts again to an existing endpoint', {}],
  'POST /webhook-endpoints/:id/test': ['posts to an existing endpoint', {}],
}
const allRoutes = () =>
  (world.api as unknown as { routes: { method: string; path: string }[] }).routes.map(({ method, path }) => [
    method,
    path,
  ])
const placed = (path: string) =>
  path
    .replace('/keys/:id', '/keys/key_1')
    .replace('/invitations/:id', '/invitations/inv_1')
    .replace(':personId', 'operator')
    .replace(':scope', 'organization')
    .replace(':name', 'example.com')
    .replace(':id', 'none')

async function sent(who: string, route: string, body: Body) {
  const [method, path] = route.split(' ') as [string, string]
  const shown = path.startsWith('/invitations/') ? '?version=1' : ''
  const query = method !== 'DELETE' ? '' : path.startsWith('/operator/') ? '?reason=because' : shown
  return world.as(who, placed(path) + query, { method, ...(body && { body }) })
}
const invited = () =>
  world.invitations.save({
    id: 'inv_1',
    version: 0,
    organizationId: 'org_a',
    email: 'new@example.test',
    role: 'member',
    tokenDigest: 'digest',
    invitedBy: 'owner@example.test',
    createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
    acceptedAt: null,
    withdrawnAt: null,
  })

test('every changing route of the dashboard is listed here as needing recent proof, or with the reason why not', () => {
  const own = allRoutes().flatMap(([method, path]) =>
    method === 'GET' || !path!.startsWith('/app/api/') ? [] : `${method} ${path!.slice('/app/api'.length)}`,
  )
  expect(own.toSorted()).toEqual([...Object.keys(guarded), ...Object.keys(free)].toSorted())
})

testAll(Object.entries(guarded))(
  'every route that gives power needs a second step from the last 15 minutes, if the member has one',
  async (route, body) => {
    await begin()
    const who = route.includes('/operator/') ? 'platform-owner' : 'owner'
    await invited()
    for (const agoMs of [null, 15 * minutes]) {
      proved(who, agoMs)
      expect(codeOf(await sent(who, route, body))).toEqual(needed)
    }
    proved(who, 15 * minutes - 1)
    expect(asksAgain(codeOf(await sent(who, route, body))[1])).toBe(false)
  },
)

testAll(Object.entries(guarded))(
  'every route that gives power needs a sign-in from the last 15 minutes, if the member has no second step',
  async (route, body) => {
    await begin()
    const who = route.includes('/operator/') ? 'platform-owner' : 'owner'
    await invited()
    for (const agoMs of [7 * 24 * 60 * minutes, 15 * minutes]) {
      world.began.set(who, world.clock.now - agoMs)
      expect(codeOf(await sent(who, route, body))).toEqual(signInNeeded)
    }
    world.began.set(who, world.clock.now - 15 * minutes + 1)
    expect(asksAgain(codeOf(await sent(who, route, body))[1])).toBe(false)
  },
)

testAll(Object.entries(guarded))('a route refused for that leaves no audit entry', async (route, body) => {
  await begin()
  const who = route.includes('/operator/') ? 'platform-owner' : 'owner'
  await invited()
  for (const hasSecondStep of [true, false]) {
    world.secondSteps.set(who, { hasSecondStep, secondStepAt: null })
    world.began.set(who, world.clock.now - 24 * 60 * minutes)
    expect(asksAgain(codeOf(await sent(who, route, body))[1])).toBe(true)
  }
  expect(world.store.auditLog.entries).toEqual([])
})

testAll(
  Object.entries({ ...guarded, ...Object.fromEntries(Object.entries(free).map(([r, [, b]]) => [r, b ?? null])) }),
)('a route leaves an audit entry only if it changed something', async (route, body) => {
  await begin()
  await invited()
  const { status } = await sent(route.includes('/operator/') ? 'platform-owner' : 'owner', route, body)
  if (status >= 400) expect(world.store.auditLog.entries).toEqual([])
})

test('a current sign-in does not replace a member’s second step', async () => {
  proved('owner', 15 * minutes)
  world.began.set('owner', world.clock.now)
  expect(codeOf(await sent('owner', 'POST /keys', guarded['POST /keys']!))).toEqual(needed)
})

test('no other route requires it', async () => {
  await invited()
  world.began.set('owner', world.clock.now - 24 * 60 * minutes)
  for (const hasSecondStep of [true, false]) {
    world.secondSteps.set('owner', { hasSecondStep, secondStepAt: null })
    for (const [route, [, body = null]] of Object.entries(free))
      expect([route, asksAgain(codeOf(await sent('owner', route, body))[1])]).toEqual([route, false])
  }
})

test('reading, revoking a key and leaving need no recent second step, because they give no power', async () => {
  proved('owner', null)
  expect((await world.as('owner', '/keys')).status).toBe(200)
  expect((await world.as('owner', '/users/ann/deposit-intent')).status).toBe(404)
  expect((await world.as('owner', '/keys/key_1/revoke', { body: { label: 'test' } })).status).toBe(200)
  proved('member', null)
  expect((await world.as('member', '/members/leave', { method: 'POST' })).status).toBe(204)
})

test('an organization that requires a second step shows nothing to a member without one', async () => {
  proved('owner', 0)
  expect((await demand('owner')).json).toMatchObject({ demandsSecondStep: true })
  const demanded = [403, 'SECOND_STEP_DEMANDED']
  for (const path of ['/members', '/executions', '/events/stream', '/operator/audit'])
    expect([path, ...codeOf(await world.as('admin', path))]).toEqual([path, ...demanded])
  const me = (await world.as('admin', '/me')).json
  expect(me).toMatchObject({ person: { hasSecondStep: false }, organizations: [{ demandsSecondStep: true }] })
  proved('admin', null)
  expect((await world.as('admin', '/members')).status).toBe(200)
  expect((await world.as('other-owner', '/members')).status).toBe(200)
  expect((await world.ask('/api/executions', { key: world.client })).status).toBe(200)
  const { entries } = world.store.auditLog
  expect(entries).toMatchObject([{ verb: 'organization.second_step', details: { from: false, to: true } }])
})

test('only owners and admins with a second step can require one', async () => {
  expect((await demand('owner')).status).toBe(400)
  for (const who of ['operator', 'member']) expect((await demand(who)).status).toBe(403)
  proved('admin', 0)
  expect((await demand('admin')).status).toBe(200)
  expect((await demand('admin', false)).json).toMatchObject({ demandsSecondStep: false })
})

/** The person of each session cookie, as better-auth reads them: the first of two with one name. */
function signedInByToken(answered: string[]) {
  const identity = world.ports.dashboard!.identity
  const notedFor: string[] = []
  Object.assign(identity, {
    signedIn: async (headers: Headers) => {
      const token = /switchyard\.session_token=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1]
      const person = { id: token ?? '', email: `${token}@x.test`, name: 'x', hasSecondStep: true, isVerified: true }
      return token ? { person, sessionId: token, beganAt: 0, secondStepAt: null, via: null } : null
    },
    answer: async () => {
      const answer = Response.json({})
      for (const cookie of answered) answer.headers.append('set-cookie', cookie)
      return answer
    },
    noteSecondStep: async (sessionId: string) => void notedFor.push(sessionId),
    renew: async (sessionId: string) => {
      notedFor.push(sessionId)
      return new Response()
    },
  } satisfies Partial<typeof identity>)
  return notedFor
}
const session = (token: string) => `switchyard.session_token=${token}`

testAll<[sent: string, answered: string[], notedFor: string[]]>([
  [session('own'), [], ['own']],
  ['', [`${session('new')}; Path=/app`, 'switchyard.two_factor=; Max-Age=0'], ['new']],
  [session('old'), [`${session('old')}; Path=/app`, `${session('new')}; Path=/app`], ['new']],
  ['', [], []],
  [`${session('thief')}; ${session('victim')}`, [], ['thief']],
])(
  'a code counts only for the session that better-auth verified, whatever cookies are sent',
  async (cookie, answered, whose) => {
    await begin()
    const notedFor = signedInByToken(answered)
    const headers = { origin: 'http://localhost', cookie }
    const { status } = await world.ask('/app/auth/two-factor/verify-totp', { headers, body: { code: '123456' } })
    expect([status, notedFor]).toEqual([200, whose])
  },
)
