import { beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { ensureAuthIndexes } from '../../../src/adapters/auth/auth-indexes'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { type MongoStore, mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { newInvitationLink } from '../../../src/http/dashboard/new-tenants'
import { authRoutes } from '../../../src/http/dashboard/sign-in/auth'
import { failures } from '../../../src/http/request/failure'
import type { Identity } from '../../../src/ports/people'
import { newDatabase } from '../../support/new-database'
import { until } from '../../support/until'
import { signInAt as at, authWorld } from './auth-world'

const origin = 'http://localhost'
const password = 'a long enough sentence'
const connection = await newDatabase()
let identity: Identity
let store: MongoStore
let apps: { handle(request: Request): Promise<Response> }[]
let invited: typeof apps

beforeAll(async () => {
  store = mongoStore(connection, 'sign-in', Date.now)
  await Promise.all([ensureAuthIndexes(connection), store.ensureIndexes()])
  identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin,
    secret: await authSecret(connection),
    send: null,
    onLink: () => {},
    onTrouble: () => {},
  })
  apps = [appOf(true), appOf(true)]
  invited = [appOf(false)]
})

function appOf(isOpen: boolean, by = identity): (typeof apps)[number] {
  const ports = authWorld(connection, by, {
    isOpen,
    mayReset: isOpen,
    addressOf: (request) => request.headers.get('test-address') ?? undefined,
  })
  return new Elysia().use(failures(() => {})).use(authRoutes(ports)) as never
}

type Sent = { from?: string; cookie?: string; app?: (typeof apps)[number] }
let asked = 0

/** Alternates between the two processes. */
async function post(path: string, body: object, { from = '192.0.2.1', cookie = '', app }: Sent = {}) {
  const headers = { 'content-type': 'application/json', origin, cookie, 'test-address': from }
  const request = new Request(`${origin}/app/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await (app ?? apps[asked++ % 2]!).handle(request)
  const text = await response.text()
  const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]!)
  const left = response.headers.get('ratelimit-remaining')
  return { status: response.status, json: JSON.parse(text || 'null'), cookie: cookies.join('; '), left }
}
const signUp = (email: string, from: string) => post('sign-up/email', { email, password, name: 'Somebody' }, { from })
const signIn = (email: string, typed: string, sent: Sent) => post('sign-in/email', { email, password: typed }, sent)
const many = <Answer>(count: number, ask: (n: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, n) => ask(n)))
const passed = (answers: { status: number }[]) => answers.filter(({ status }) => status !== 429).length
const verbsOf = async (personId: string) =>
  (await store.auditLog.list({ organizationId: null, target: personId }, { limit: 100 })).map(({ verb }) => verb)

test('ten of 40 simultaneous guesses in two processes are checked, and the person can sign in from elsewhere', async () => {
  await signUp('named@x.test', '192.0.2.9')
  const guesses = await many(40, (n) => signIn('named@x.test', `wrong sentence ${n}`, { from: '198.51.100.1' }))
  expect(passed(guesses)).toBe(10)
  expect((await signIn('named@x.test', password, { from: '198.51.100.1' })).status).toBe(429)
  expect((await signIn('named@x.test', password, { from: '192.0.2.9' })).status).toBe(200)
})

test('the refusal of a guess has the number of guesses that are left, in any process', async () => {
  await signUp('counted@x.test', '192.0.2.14')
  const left: (string | null)[] = []
  for (let n = 0; n < 11; n++) left.push((await signIn('counted@x.test', 'wrong', { from: '192.0.2.15' })).left)
  expect(left).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1', '0', null])
  expect((await signIn('counted@x.test', password, { from: '192.0.2.14' })).left).toBeNull()
})

test('guesses from many addresses are limited per hour, and a known device need not wait for them', async () => {
  await signUp('spread@x.test', '192.0.2.10')
  const known = await signIn('spread@x.test', password, { from: '192.0.2.10' })
  const budget = `attempts:sign-in/email:email:${Bun.SHA256.hash('spread@x.test', 'hex')}:${Math.floor(at / 3_600_000)}`
  await store.limitCounters.take(budget, 100, at + 3_600_000, 95)
  const guesses = await many(20, (n) => signIn('spread@x.test', `wrong ${n}`, { from: `198.51.100.${n + 10}` }))
  expect(passed(guesses)).toBe(5)
  expect((await signIn('spread@x.test', password, { from: '192.0.2.77' })).status).toBe(429)
  expect((await signIn('spread@x.test', password, { from: '192.0.2.77', cookie: known.cookie })).status).toBe(200)
  const forged = known.cookie.replace(/device=[^;]+/, 'device=AAAAAAAAAAAAAAAA.AAAA')
  expect((await signIn('spread@x.test', password, { from: '192.0.2.77', cookie: forged })).status).toBe(429)
})

test('an address locks out the sign-in only for itself', async () => {
  await signUp('other@x.test', '192.0.2.11')
  const flood = await many(80, (n) => signIn(`nobody${n}@x.test`, 'some sentence', { from: '203.0.113.5' }))
  expect(passed(flood)).toBe(60)
  expect((await signIn('other@x.test', password, { from: '192.0.2.11' })).status).toBe(200)
})

test('a process hashes four of 80 simultaneous passwords, queues 64 and refuses the rest', async () => {
  const { promise: letGo, resolve: open } = Promise.withResolvers<void>()
  let [inFlight, most, refused] = [0, 0, 0]
  async function answer(): Promise<Response> {
    most = Math.max(most, ++inFlight)
    if (most > 4) open()
    await letGo
    inFlight--
    return Response.json({}, { status: 401 })
  }
  const app = appOf(true, { ...identity, answer })
  const answers = await many(80, async (n) => {
    const answered = await signIn(`hash${n}@x.test`, 'some sentence', { from: `203.0.113.${n + 100}`, app })
    if (answered.status === 429 && ++refused === 12) open()
    return answered
  })
  expect([most, passed(answers)]).toEqual([4, 68])
})

test('ten of a session’s 40 password guesses are checked, on each route that asks for it', async () => {
  await signUp('session@x.test', '192.0.2.12')
  const { cookie } = await signIn('session@x.test', password, { from: '192.0.2.12' })
  for (const path of [
    'change-password',
    'two-factor/enable',
    'two-factor/disable',
    'two-factor/generate-backup-codes',
  ]) {
    // A forged address or device does not avoid the limit, which counts by session.
    const body = (n: number) => ({
      email: 'session@x.test',
      currentPassword: `wrong ${n}`,
      newPassword: 'another sentence',
      password: `wrong ${n}`,
    })
    expect([path, passed(await many(40, (n) => post(path, body(n), { cookie, from: `192.0.2.${100 + n}` })))]).toEqual([
      path,
      10,
    ])
  }
})

test('a new password ends every other session and every trusted device, and is in the audit log', async () => {
  await signUp('change@x.test', '192.0.2.13')
  const from = '192.0.2.13'
  const other = await signIn('change@x.test', password, { from })
  const own = await signIn('change@x.test', password, { from })
  const { id } = (await identity.findByEmail('change@x.test'))!
  const trusted = { identifier: 'trust-device-1', value: id, expiresAt: new Date(Date.now() + 60_000) }
  await connection.db!.collection('auth_verification').insertOne(trusted)
  const changed = await post(
    'change-password',
    { currentPassword: password, newPassword: 'quite another one' },
    { ...own, from },
  )
  expect(changed.status).toBe(200)
  expect(await identity.signedIn(new Headers({ cookie: other.cookie }))).toBeNull()
  expect(await identity.signedIn(new Headers({ cookie: changed.cookie }))).not.toBeNull()
  expect(await connection.db!.collection('auth_verification').countDocuments({ value: id, identifier: /^trust/ })).toBe(
    0,
  )
  expect((await signIn('change@x.test', password, { from })).status).toBe(401)
  expect((await post('sign-out', {}, { cookie: changed.cookie, from })).status).toBe(200)
  // The response to a failure does not wait for its entry.
  await until('each action is in the audit log', async (note) => {
    const verbs: string[] = await verbsOf(id)
    note(verbs)
    return ['sign_up', 'sign_in', 'password_change', 'sign_in_failed', 'sign_out'].every((verb) =>
      verbs.includes(`person.${verb}`),
    )
  })
})

test('sign-in actions are in the audit log of each organization of the person, without secrets', async () => {
  await signUp('audited@x.test', '192.0.2.14')
  const { id } = (await identity.findByEmail('audited@x.test'))!
  const members = [{ personId: id, role: 'owner' as const, joinedAt: 0 }]
  for (const organizationId of ['org_one', 'org_two'])
    await store.memberships.save({ id: organizationId, version: 0, members })
  await signIn('audited@x.test', password, { from: '192.0.2.14' })
  for (const organizationId of ['org_one', 'org_two']) {
    const [entry] = await store.auditLog.list({ organizationId }, { limit: 1 })
    expect(entry).toMatchObject({ verb: 'person.sign_in', target: id, details: { address: '192.0.2.14' } })
    expect(JSON.stringify(entry)).not.toContain(password)
  }
})

test('registration by invitation requires the link and the invited address', async () => {
  const app = invited[0]!
  const { link, ...kept } = newInvitationLink(origin, at)
  const open = { createdAt: at, acceptedAt: null, withdrawnAt: null, invitedBy: 'the command line', invitedById: null }
  const record = { id: 'inv_1', version: 0, organizationId: 'org_1', email: 'guest@x.test', role: 'owner' as const }
  await store.invitations.save({ ...record, ...open, ...kept })
  const invitation = new URL(link).searchParams.get('token')
  const account = { email: 'guest@x.test', password, name: 'Guest' }
  const refused = await post('sign-up/email', account, { app })
  expect([refused.status, refused.json.message]).toEqual([
    403,
    'Registration is by invitation: open your invitation link, or ask the operator of this installation',
  ])
  expect((await post('sign-up/email', { ...account, email: 'thief@x.test', invitation }, { app })).status).toBe(403)
  expect((await post('sign-up/email', { ...account, invitation }, { app })).status).toBe(200)
  expect((await signIn('guest@x.test', password, { app })).status).toBe(200)
})

test('a name that is very long, or contains a line break or a link, is refused', async () => {
  for (const name of ['x'.repeat(7_000), 'a\nb', '', 'click https://evil.test', 'www.evil.test', 5])
    expect((await post('sign-up/email', { email: 'name@x.test', password, name }, { from: '192.0.2.15' })).status).toBe(
      400,
    )
  const { cookie } = await signIn('other@x.test', password, { from: '192.0.2.16' })
  expect((await post('update-user', { name: 'x'.repeat(7_000) }, { cookie })).status).toBe(400)
})

test('a body that is not an object is refused as such', async () => {
  for (const body of [5, 'text', true]) expect((await post('update-user', body as never)).status).toBe(400)
})

test('no password link is created without a mail server, because others could read it', async () => {
  const answer = await post('request-password-reset', { email: 'other@x.test' }, { app: invited[0]! })
  expect([answer.status, answer.json.message]).toEqual([
    403,
    'This installation has no mail server: ask its operator for a new password',
  ])
})
