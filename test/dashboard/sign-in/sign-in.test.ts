import { beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { authCollections, ensureAuthIndexes } from '../../../src/adapters/auth/auth-indexes'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { type AuthPorts, authRoutes } from '../../../src/http/dashboard/sign-in/auth'
import { failures } from '../../../src/http/request/failure'
import type { SignedIn } from '../../../src/ports/people'
import { newDatabase } from '../../support/new-database'
import { codesOf, totpOf } from '../../support/totp'
import { authWorld, signInAt } from './auth-world'

const origin = 'http://localhost'
const password = 'a long enough sentence'
const links: { what: string; email: string; url: string }[] = []
const connection = await newDatabase()
const store = mongoStore(connection, 'reader', Date.now)
let app: { handle(request: Request): Promise<Response> }
let signedIn: (cookie: string) => Promise<SignedIn | null>
let backupCodesLeft: (personId: string) => Promise<number>
/** Makes the last proof of a second step too old to count. */
const staleSessions = () =>
  connection.db!.collection(authCollections.session).updateMany({}, { $set: { secondStepAt: signInAt - 900_000 } })

/** Pending writes to the audit log. No response waits for the note of a failure, so the tests do. */
const writing: Promise<unknown>[] = []
const notesOf = ({ memberships, auditLog }: AuthPorts): Pick<AuthPorts, 'memberships' | 'auditLog'> => {
  const noted = <Value>(promise: Promise<Value>): Promise<Value> => {
    writing.push(promise)
    return promise
  }
  return {
    memberships: { ...memberships, ofPerson: (id) => noted(memberships.ofPerson(id)) },
    auditLog: { ...auditLog, append: (entry) => noted(auditLog.append(entry)) },
  }
}
const allWritten = async (): Promise<void> => {
  for (let at = 0; at < writing.length; at++) {
    await writing[at]
    await Promise.resolve()
  }
}

beforeAll(async () => {
  await Promise.all([ensureAuthIndexes(connection), store.ensureIndexes()])
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin,
    secret: await authSecret(connection),
    send: null,
    onLink: (what, email, url) => links.push({ what, email, url }),
    onTrouble: () => {},
  })
  backupCodesLeft = identity.backupCodesLeft
  signedIn = (cookie) => identity.signedIn(new Headers({ cookie }))
  const world = authWorld(connection, identity, { origin })
  app = new Elysia().use(failures(() => {})).use(authRoutes({ ...world, ...notesOf(world) })) as never
})

async function post(path: string, body: object, cookie = '', from = origin) {
  const headers = { 'content-type': 'application/json', origin: from, cookie }
  const request = new Request(`${origin}/app/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await app.handle(request)
  const text = await response.text()
  const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]!)
  return { status: response.status, text, json: JSON.parse(text || 'null'), cookie: cookies.join('; '), response }
}
const signUp = (email: string) => post('sign-up/email', { email, password, name: 'Somebody' })
const signIn = (email: string, typed = password) => post('sign-in/email', { email, password: typed })

test('the cookie is only for the pages and hidden from scripts', async () => {
  await signUp('cookie@x.test')
  const { response } = await signIn('cookie@x.test')
  expect(response.headers.getSetCookie()[0]).toMatch(/Path=\/app; HttpOnly; SameSite=Lax/)
})

test('an unknown person and a mistyped password get the same response', async () => {
  await signUp('known@x.test')
  const [wrong, unknown] = [await signIn('known@x.test', 'not the sentence'), await signIn('nobody@x.test')]
  expect([wrong.status, wrong.text]).toEqual([unknown.status, unknown.text])
  expect(wrong.status).toBe(401)
})

test('signing up with a taken address gets the same response as with a free one, and changes nothing', async () => {
  const first = await signUp('taken@x.test')
  const second = await post('sign-up/email', { email: 'Taken@x.test', password: 'another sentence', name: 'Thief' })
  expect([second.status, second.text]).toEqual([first.status, first.text])
  expect((await signIn('taken@x.test', 'another sentence')).status).toBe(401)
  expect((await signIn('taken@x.test')).status).toBe(200)
})

test('only one of five simultaneous sign-ups with one address creates a user', async () => {
  await Promise.all(Array.from({ length: 4 }, () => signUp('race@x.test')))
  expect(await connection.db!.collection('auth_user').countDocuments({ email: 'race@x.test' })).toBe(1)
})

test('guessing is limited per address, over all people', async () => {
  await signUp('guessed@x.test')
  const answers: number[] = []
  for (let n = 0; n < 12; n++) answers.push((await signIn('guessed@x.test', `wrong sentence ${n}`)).status)
  expect(answers.slice(0, 10)).toEqual(Array(10).fill(401))
  expect(answers.slice(10)).toEqual([429, 429])
  expect((await signIn('guessed@x.test')).status).toBe(429)
})

test('another site can neither sign in nor out', async () => {
  await signUp('csrf@x.test')
  const { cookie } = await signIn('csrf@x.test')
  expect((await post('sign-out', {}, cookie, 'http://evil.test')).status).toBe(403)
  expect((await post('sign-in/email', { email: 'csrf@x.test', password }, '', 'http://evil.test')).status).toBe(403)
  expect(await signedIn(cookie)).not.toBeNull()
})

test('a session ends by signing out, or from another session', async () => {
  await signUp('sessions@x.test')
  const [one, two] = [await signIn('sessions@x.test'), await signIn('sessions@x.test')]
  await post('revoke-other-sessions', {}, one.cookie)
  expect([(await signedIn(one.cookie)) !== null, await signedIn(two.cookie)]).toEqual([true, null])
  await post('sign-out', {}, one.cookie)
  expect(await signedIn(one.cookie)).toBeNull()
})

test('a new password needs the link, works once, and ends every session', async () => {
  await signUp('forgot@x.test')
  const { cookie } = await signIn('forgot@x.test')
  const [asked, unknown] = await Promise.all(
    ['forgot@x.test', 'nobody2@x.test'].map((email) => post('request-password-reset', { email })),
  )
  expect(asked!.text).toBe(unknown!.text)
  const token = new URL(links.findLast(({ email }) => email === 'forgot@x.test')!.url).searchParams.get('token')
  const newPassword = 'quite another sentence'
  expect((await post('reset-password', { newPassword, token })).status).toBe(200)
  expect((await post('reset-password', { newPassword, token })).status).toBe(400)
  expect(await signedIn(cookie)).toBeNull()
  expect([(await signIn('forgot@x.test')).status, (await signIn('forgot@x.test', newPassword)).status]).toEqual([
    401, 200,
  ])
})

test('a password alone opens nothing with a second step, a code does, and a backup code once', async () => {
  await signUp('totp@x.test')
  const { cookie } = await signIn('totp@x.test')
  const { totpURI, backupCodes } = (await post('two-factor/enable', { password }, cookie)).json
  const secret = new URL(totpURI).searchParams.get('secret')!
  const [code, next] = codesOf(secret)
  const on = await post('two-factor/verify-totp', { code }, cookie)
  expect(on.status).toBe(200)
  const session = await signedIn(on.cookie.includes('session_token') ? on.cookie : cookie)
  expect(signInAt - session!.secondStepAt!).toBeWithin(0, 60_000)

  const half = await signIn('totp@x.test')
  expect(half.json).toMatchObject({ twoFactorRedirect: true })
  expect(await signedIn(half.cookie)).toBeNull()
  expect((await post('two-factor/verify-totp', { code: '000000' }, half.cookie)).status).toBe(401)
  const used = await post('two-factor/verify-totp', { code }, half.cookie)
  expect([used.status, used.json.message]).toEqual([401, 'This code was already used: wait for the next one'])
  const whole = await post('two-factor/verify-totp', { code: next }, half.cookie)
  expect(signInAt - (await signedIn(whole.cookie))!.secondStepAt!).toBeWithin(0, 60_000)

  const spend = async () => {
    const begun = await signIn('totp@x.test')
    return (await post('two-factor/verify-backup-code', { code: backupCodes[0] }, begun.cookie)).status
  }
  expect([await spend(), await spend()]).toEqual([200, 401])
})

test('new backup codes replace the unused ones, after the password and a recent second step', async () => {
  await signUp('backup@x.test')
  const { cookie: first } = await signIn('backup@x.test')
  const { id } = (await signedIn(first))!.person
  expect((await post('two-factor/generate-backup-codes', { password }, first)).status).toBe(400)
  const { totpURI, backupCodes } = (await post('two-factor/enable', { password }, first)).json
  const code = totpOf(new URL(totpURI).searchParams.get('secret')!)
  const { cookie } = await post('two-factor/verify-totp', { code }, first)
  const spend = async (backup: string) => {
    const begun = await signIn('backup@x.test')
    return (await post('two-factor/verify-backup-code', { code: backup }, begun.cookie)).status
  }
  expect([await backupCodesLeft(id), await spend(backupCodes[0]), await backupCodesLeft(id)]).toEqual([10, 200, 9])

  expect((await post('two-factor/generate-backup-codes', { password: 'not the sentence' }, cookie)).status).toBe(400)
  const made = await post('two-factor/generate-backup-codes', { password }, cookie)
  expect([made.status, made.json.backupCodes.length, await backupCodesLeft(id)]).toEqual([200, 10, 10])
  expect([await spend(backupCodes[1]), await spend(made.json.backupCodes[0])]).toEqual([401, 200])
  await staleSessions()
  const late = await post('two-factor/generate-backup-codes', { password }, cookie)
  expect([late.status, late.response.headers.get('x-error-code')]).toEqual([403, 'SECOND_STEP_NEEDED'])
  await allWritten()
  const noted = await store.auditLog.list({ organizationId: null, target: id }, { limit: 100 })
  expect(noted.filter(({ verb }) => verb === 'person.backup_codes')).toHaveLength(1)
  expect(JSON.stringify(noted)).not.toContain(made.json.backupCodes[1])
})

test('every second-step action is in the audit log: set up, proved, repeated, failed, reused code, turned off', async () => {
  await signUp('noted@x.test')
  const { cookie: first } = await signIn('noted@x.test')
  const { id } = (await signedIn(first))!.person
  expect((await post('two-factor/enable', { password: 'not the sentence' }, first)).status).toBe(400)
  const { totpURI, backupCodes } = (await post('two-factor/enable', { password }, first)).json
  const secret = new URL(totpURI).searchParams.get('secret')!
  const [used, next] = codesOf(secret)
  await post('two-factor/verify-totp', { code: used }, first)
  const half = await signIn('noted@x.test')
  for (const code of ['000000', used])
    expect((await post('two-factor/verify-totp', { code }, half.cookie)).status).toBe(401)
  const { cookie } = await post('two-factor/verify-totp', { code: next }, half.cookie)
  const again = await post('two-factor/verify-backup-code', { code: backupCodes[0] }, cookie)
  expect(again.status).toBe(200)
  expect((await post('two-factor/disable', { password }, again.cookie)).status).toBe(200)
  await allWritten()
  const all = await store.auditLog.list({ organizationId: null, target: id }, { limit: 100 })
  expect(all.map(({ verb, actor }) => [verb, actor.kind]).toSorted()).toEqual(
    [
      ['person.sign_up', 'MEMBER'],
      ['person.sign_in', 'MEMBER'],
      ['person.password_refused', 'SYSTEM'],
      ['person.second_step_secret', 'MEMBER'],
      ['person.second_step_on', 'MEMBER'],
      ['person.second_step_failed', 'SYSTEM'],
      ['person.second_step_failed', 'SYSTEM'],
      ['person.sign_in', 'MEMBER'],
      ['person.second_step_again', 'MEMBER'],
      ['person.second_step_off', 'MEMBER'],
    ].toSorted() as never,
  )
  expect(JSON.stringify(all)).not.toMatch(new RegExp([password, secret, backupCodes[0]].join('|')))
})

test('the password opens the dashboard after an operator removed a lost second step, and a new one can be set up', async () => {
  await signUp('lost@x.test')
  const { cookie } = await signIn('lost@x.test')
  const { totpURI } = (await post('two-factor/enable', { password }, cookie)).json
  const code = totpOf(new URL(totpURI).searchParams.get('secret')!)
  expect((await post('two-factor/verify-totp', { code }, cookie)).status).toBe(200)
  const half = await signIn('lost@x.test')
  const { secondSteps } = mongoStore(connection, 'operator', Date.now)
  const person = (await secondSteps.find('lost@x.test'))!
  expect(person.hasSecondStep).toBe(true)
  for (const _ of [1, 2]) await secondSteps.remove(person.id)
  expect(await signedIn(cookie)).toBeNull()
  expect(await signedIn(half.cookie)).toBeNull()
  const again = await signIn('lost@x.test')
  expect(again.json).not.toMatchObject({ twoFactorRedirect: true })
  expect(await signedIn(again.cookie)).not.toBeNull()
  const fresh = (await post('two-factor/enable', { password }, again.cookie)).json
  const next = totpOf(new URL(fresh.totpURI).searchParams.get('secret')!)
  expect((await post('two-factor/verify-totp', { code: next }, again.cookie)).status).toBe(200)
  expect((await signIn('lost@x.test')).json).toMatchObject({ twoFactorRedirect: true })
})

test('a session without recent proof can neither replace nor remove the second step, and no request fakes the proof', async () => {
  await signUp('stale@x.test')
  const { cookie: first } = await signIn('stale@x.test')
  const { totpURI, backupCodes } = (await post('two-factor/enable', { password }, first)).json
  const on = await post('two-factor/verify-totp', { code: totpOf(new URL(totpURI).searchParams.get('secret')!) }, first)
  const cookie = on.cookie.includes('session_token') ? on.cookie : first
  await staleSessions()
  await post('update-user', { name: 'Ann', secondStepAt: signInAt }, cookie)
  for (const path of ['two-factor/enable', 'two-factor/disable']) {
    const { status, response } = await post(path, { password }, cookie)
    expect([path, status, response.headers.get('x-error-code')]).toEqual([path, 403, 'SECOND_STEP_NEEDED'])
  }
  const again = await post('two-factor/verify-backup-code', { code: backupCodes[0] }, cookie)
  expect(again.status).toBe(200)
  expect((await post('two-factor/disable', { password }, again.cookie)).status).toBe(200)
})

test('signing in again starts a new session and ends the previous one with every copy', async () => {
  await signUp('again@x.test')
  await signUp('other@x.test')
  const { cookie: first } = await signIn('again@x.test')
  const { cookie: elsewhere } = await signIn('again@x.test')
  const before = (await signedIn(first))!
  const again = (email: string, typed = password) => post('sign-in/email', { email, password: typed }, first)
  expect((await again('again@x.test', 'not the sentence')).status).toBe(401)
  await again('other@x.test')
  expect((await signedIn(first))!.sessionId).toBe(before.sessionId)
  const { cookie } = await again('again@x.test')
  const now = (await signedIn(cookie))!
  expect([now.person.id, now.sessionId === before.sessionId]).toEqual([before.person.id, false])
  expect([await signedIn(first), (await signedIn(elsewhere))!.person.id]).toEqual([null, before.person.id])
})

test('a stolen copy of a session ends when its owner proves the second step in it, by a code or a backup code', async () => {
  await signUp('copied@x.test')
  const { cookie: first } = await signIn('copied@x.test')
  const { totpURI, backupCodes } = (await post('two-factor/enable', { password }, first)).json
  const secret = new URL(totpURI).searchParams.get('secret')!
  const [code, next] = codesOf(secret)
  let { cookie } = await post('two-factor/verify-totp', { code }, first)
  for (const [path, code] of [
    ['verify-totp', next],
    ['verify-backup-code', backupCodes[0]],
  ]) {
    await staleSessions()
    const stolen = cookie
    const before = (await signedIn(stolen))!
    expect((await post(`two-factor/${path}`, { code: 'wrong' }, stolen)).status).toBeGreaterThan(399)
    expect(await signedIn(stolen)).not.toBeNull()
    const again = await post(`two-factor/${path}`, { code }, cookie)
    expect(again.status).toBe(200)
    expect(await signedIn(stolen)).toBeNull()
    const now = (await signedIn(again.cookie))!
    expect([now.person.id, now.beganAt]).toEqual([before.person.id, before.beganAt])
    expect(signInAt - now.secondStepAt!).toBeWithin(0, 60_000)
    cookie = again.cookie
  }
})

test('an old session may set up a second step, because the request has the password', async () => {
  await signUp('old@x.test')
  const { cookie } = await signIn('old@x.test')
  const createdAt = new Date(signInAt - 900_000)
  await connection.db!.collection(authCollections.session).updateMany({}, { $set: { createdAt } })
  expect((await post('two-factor/enable', { password: 'not the sentence' }, cookie)).status).toBe(400)
  expect((await post('two-factor/enable', { password }, cookie)).status).toBe(200)
})

test('a request with two sessions has none: a thief’s own second step proves nothing for the victim', async () => {
  await signUp('victim@x.test')
  await signUp('thief@x.test')
  const { cookie: victims } = await signIn('victim@x.test')
  const { cookie: first } = await signIn('thief@x.test')
  const { totpURI, backupCodes } = (await post('two-factor/enable', { password }, first)).json
  const on = await post('two-factor/verify-totp', { code: totpOf(new URL(totpURI).searchParams.get('secret')!) }, first)
  await staleSessions()
  for (const both of [`${on.cookie}; ${victims}`, `${victims}; ${on.cookie}`]) {
    expect(await signedIn(both)).toBeNull()
    expect((await post('two-factor/verify-backup-code', { code: backupCodes[0] }, both)).status).toBe(401)
    expect((await post('update-user', { name: 'Taken' }, both)).status).toBe(401)
  }
  expect(signInAt - (await signedIn(victims))!.secondStepAt!).toBeGreaterThan(800_000)
  const again = await post('two-factor/verify-backup-code', { code: backupCodes[0] }, on.cookie)
  expect(again.status).toBe(200)
  expect(signInAt - (await signedIn(again.cookie))!.secondStepAt!).toBeLessThan(800_000)
})

test('a session over https uses a host-only cookie, and a sibling domain’s cookie has no effect', async () => {
  const secureOrigin = 'https://switchyard.example'
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin: secureOrigin,
    secret: await authSecret(connection),
    send: null,
    onLink: () => {},
    onTrouble: () => {},
  })
  const ports = authWorld(connection, identity, { origin: secureOrigin })
  const secure = new Elysia().use(failures(() => {})).use(authRoutes(ports)) as unknown as typeof app
  await signUp('planted@x.test')
  const headers = { 'content-type': 'application/json', origin: secureOrigin }
  const body = JSON.stringify({ email: 'planted@x.test', password })
  const sent = new Request(`${secureOrigin}/app/auth/sign-in/email`, { method: 'POST', headers, body })
  const set = (await secure.handle(sent)).headers.getSetCookie()
  for (const each of set)
    expect(each).toMatch(/^__Host-switchyard\.[a-z_]+=(?=.*; Path=\/;)(?=.*; Secure)(?!.*Domain)/i)
  const own = set.map((each) => each.split(';')[0]!).join('; ')
  const { cookie: thiefs } = await signIn('thief@x.test')
  for (const planted of [thiefs, `${thiefs}; ${thiefs}`, thiefs.replaceAll('switchyard.', '__Secure-switchyard.')])
    expect((await identity.signedIn(new Headers({ cookie: `${planted}; ${own}` })))?.person.email).toBe(
      'planted@x.test',
    )
})

test('signing out with two sessions ends both, because the intended one is unknown', async () => {
  await signUp('twice@x.test')
  const [one, two] = [await signIn('twice@x.test'), await signIn('twice@x.test')]
  expect((await post('sign-out', {}, `${one.cookie}; ${two.cookie}`)).status).toBe(200)
  expect([await signedIn(one.cookie), await signedIn(two.cookie)]).toEqual([null, null])
})

test('unused routes of better-auth do not exist', async () => {
  for (const path of ['sign-in/social', 'delete-user', 'change-email', 'two-factor/send-otp', 'revoke-sessions'])
    expect((await post(path, {})).status).toBe(404)
})
