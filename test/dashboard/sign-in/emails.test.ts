import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { ensureAuthIndexes } from '../../../src/adapters/auth/auth-indexes'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { mail } from '../../../src/adapters/mail/mail'
import { authRoutes } from '../../../src/http/dashboard/sign-in/auth'
import { failures } from '../../../src/http/request/failure'
import { newDatabase } from '../../support/new-database'
import { totpOf } from '../../support/totp'
import { authWorld } from './auth-world'
import { membersWorld } from './members-world'
import { openPostbox } from './postbox'

const origin = 'http://localhost'
const sender = 'Switchyard <no-reply@switchyard.test>'
const connection = await newDatabase()
const postbox = await openPostbox()
afterAll(() => postbox.close())
let app: { handle(request: Request): Promise<Response> }

beforeAll(async () => {
  await ensureAuthIndexes(connection)
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin,
    secret: await authSecret(connection),
    send: mail(postbox.url, sender),
    onLink: () => {},
    onTrouble: () => {},
  })
  app = new Elysia().use(failures(() => {})).use(authRoutes(authWorld(connection, identity, { origin }))) as never
})

const post = (path: string, body: object, cookie = '') =>
  app.handle(
    new Request(`${origin}/app/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, cookie },
      body: JSON.stringify(body),
    }),
  )
const linkIn = (text: string) => new URL(/http:\/\/localhost\S+/.exec(text)![0])

test('a mail server confirms an address and a new password by e-mail', async () => {
  const email = 'letters@x.test'
  await post('sign-up/email', { email, password: 'a long enough sentence', name: 'Lea' })
  const confirm = await postbox.emailTo(email)
  expect(confirm.from).toBe('no-reply@switchyard.test')
  expect(confirm.text).toContain('Subject: Switchyard: confirm your address')
  expect((await post('sign-in/email', { email, password: 'a long enough sentence' })).status).toBe(403)
  await app.handle(new Request(linkIn(confirm.text)))
  expect((await post('sign-in/email', { email, password: 'a long enough sentence' })).status).toBe(200)

  postbox.emails.length = 0
  await post('request-password-reset', { email })
  const reset = await postbox.emailTo(email)
  const link = linkIn(reset.text)
  expect(link.pathname).toBe('/app/reset-password')
  const token = link.searchParams.get('token')!
  expect((await post('reset-password', { newPassword: 'another long sentence', token })).status).toBe(200)
  expect((await post('sign-in/email', { email, password: 'another long sentence' })).status).toBe(200)
})

test('a used backup code is reported by e-mail with the number that is left', async () => {
  const email = 'backup@x.test'
  const password = 'a long enough sentence'
  await post('sign-up/email', { email, password, name: 'Bo' })
  await app.handle(new Request(linkIn((await postbox.emailTo(email)).text)))
  const cookieOf = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0]!)
      .join('; ')
  const first = cookieOf(await post('sign-in/email', { email, password }))
  const enabled = (await (await post('two-factor/enable', { password }, first)).json()) as never
  const { totpURI, backupCodes } = enabled as { totpURI: string; backupCodes: string[] }
  const code = totpOf(new URL(totpURI).searchParams.get('secret')!)
  expect((await post('two-factor/verify-totp', { code }, first)).status).toBe(200)
  postbox.emails.length = 0
  const half = cookieOf(await post('sign-in/email', { email, password }))
  expect((await post('two-factor/verify-backup-code', { code: backupCodes[0] }, half)).status).toBe(200)
  const message = await postbox.emailTo(email)
  expect(message.text).toContain('Subject: Switchyard: a backup code was used')
  expect(message.text).toContain('9 are left')
})

test('an invitation is e-mailed to its recipient, and its link is then not shown to others', async () => {
  const world = await membersWorld({ send: mail(postbox.url, sender) })
  const invited = await world.as('owner', '/invitations', { body: { email: 'guest@x.test', role: 'operator' } })
  expect(invited.json.link).toBeNull()
  const message = await postbox.emailTo('guest@x.test')
  const token = linkIn(message.text).searchParams.get('token')!
  const offered = await world.as(null, `/invitation?token=${token}`)
  expect(offered.json).toMatchObject({ email: 'guest@x.test', role: 'operator' })
})
