import { BulkheadRejectedError, bulkhead } from 'cockatiel'
import { Elysia } from 'elysia'
import { addressHeader } from '../../../domain/tenant/sign-in'
import { cookieNamesOf, cookieOf, cookieScopeOf } from '../../../domain/tenant/sign-in-cookies'
import type { LimitCounters } from '../../../ports/limits'
import type { Identity, Invitations, Memberships, Person, SignedIn } from '../../../ports/people'
import type { AuditLog } from '../../../ports/tenants'
import { hidden } from '../../openapi/operation-docs'
import { Refusal } from '../../request/failure'
import { readBody } from '../../request/read-body'
import { assureRecent } from '../member-session'
import { invitationDigest } from '../new-tenants'
import { checkOrigin } from '../origin'
import { countAttempt, type SignInCount, tooMany } from './attempts'
import { endReplaced } from './end-replaced'
import { auditPerson, verbOf } from './sign-in-audit'

/** The only paths of better-auth that are served, whatever else it and its plugins offer. */
const gets = ['get-session', 'list-sessions', 'verify-email']
const posts = [
  'sign-in/email',
  'sign-up/email',
  'sign-out',
  'request-password-reset',
  'reset-password',
  'change-password',
  'update-user',
  'send-verification-email',
  'revoke-session',
  'revoke-other-sessions',
  'two-factor/enable',
  'two-factor/disable',
  'two-factor/verify-totp',
  'two-factor/verify-backup-code',
  'two-factor/generate-backup-codes',
]
/** All served paths, by method. */
export const authPaths = { GET: gets, POST: [...posts, 'sso/start'] }

/** Paths that end the trust in all devices, because a person who had the old password might have trusted one. */
const endTrust = ['change-password', 'reset-password', 'two-factor/enable', 'two-factor/disable']
/** Paths that replace or remove the second step, or a part of it. */
const ofSecondStep = ['two-factor/enable', 'two-factor/disable', 'two-factor/generate-backup-codes']
const byEmail = ['sign-in/email', 'sign-up/email', 'request-password-reset']
/**
 * The paths that a session begun by an organization's provider may use. The person is the same in other organizations,
 * so account settings are closed to it.
 */
const openToProviders = ['sign-out', 'get-session', 'verify-email', 'reset-password', ...byEmail]
const hashing = ['sign-in/email', 'sign-up/email', 'two-factor/generate-backup-codes', ...endTrust]

const bodyBytesMax = 8 * 1024
/**
 * A hash takes 19 MiB and about 30 ms of a core. More at once are not faster, and callers in a longer queue would time
 * out.
 */
const [hashesMax, waitingMax] = [4, 64]
const deviceSeconds = 180 * 86_400

export type AuthPorts = {
  identity: Identity
  limitCounters: LimitCounters
  auditLog: AuditLog
  memberships: Pick<Memberships, 'ofPerson'>
  invitations: Pick<Invitations, 'findByToken'>
  origin: string
  /** Whether sign-up is open; otherwise an invitation is required (decision 45). */
  isOpen: boolean
  /** Whether a password reset link reaches only its owner. */
  mayReset: boolean
  addressOf: (request: Request) => string | undefined
  noteTrouble: (error: unknown) => void
  now: () => number
}

type AuthExchange = { request: Request; params: { '*': string } }

type Answer = (path: string, request: Request) => Promise<Response>

/** Returns the responses of better-auth, with a limit on concurrent requests that hash a password. */
function limitedAnswers({ identity }: AuthPorts): Answer {
  const hashes = bulkhead(hashesMax, waitingMax)
  return async (path, request) => {
    if (!hashing.includes(path)) return identity.answer(request)
    return hashes
      .execute(() => identity.answer(request))
      .catch((error) => {
        throw error instanceof BulkheadRejectedError ? tooMany(1_000) : error
      })
  }
}

type Outcome = {
  path: string
  answer: Response
  hadSession: boolean
  hadSecondStep: boolean
  address: string
  only: string | null
}

/**
 * Writes the outcome to the audit log. The response does not wait for a failure entry, and no entry is about a person
 * who does not exist. Otherwise the response time would reveal which accounts exist.
 */
async function audit(ports: AuthPorts, { path, answer, address, only, ...had }: Outcome, subject: Person | null) {
  const isHalf = path === 'sign-in/email' && answer.ok && (await isRedirected(answer))
  const verb = verbOf({ path, isOk: answer.ok, isHalf, ...had })
  if (!verb || !subject) return
  const written = auditPerson(ports, verb, subject, { address, only })
  if (answer.ok && path !== 'request-password-reset') await written
  else written.catch(ports.noteTrouble)
}

/**
 * Notes the verified second step in the session that the response begins, otherwise in the request's session. The
 * request's session gets a new cookie, because a stolen copy of the old cookie verified nothing.
 */
async function noteSecondStep(
  { identity, origin, now }: AuthPorts,
  answer: Response,
  session: string | null,
): Promise<void> {
  const name = cookieNamesOf(origin).session
  const set = answer.headers.getSetCookie().map((each) => each.split(';')[0]!)
  const cookie = set.findLast((each) => each.startsWith(`${name}=`) && each.length > name.length + 1)
  const begun = cookie ? (await identity.signedIn(new Headers({ cookie })))?.sessionId : null
  if (begun) await identity.noteSecondStep(begun, now())
  if (cookie || session === null) return
  const renewed = await identity.renew(session, now())
  for (const each of renewed.headers.getSetCookie()) answer.headers.append('set-cookie', each)
}

async function deviceOf({ identity, origin }: AuthPorts, headers: Headers, email: string): Promise<string | null> {
  const mark = cookieOf(headers, cookieNamesOf(origin).device) ?? ''
  return /^[\w.-]{1,200}$/.test(mark) && (await identity.isMarkOf(email, mark)) ? mark : null
}

/** Makes the cookie that identifies a device from now on. */
async function markFor({ identity, origin }: AuthPorts, email: string): Promise<string> {
  const { path, secure } = cookieScopeOf(origin)
  const mark = `${cookieNamesOf(origin).device}=${await identity.markOf(email)}`
  return `${mark}; Path=${path}; Max-Age=${deviceSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

/** Sign-in, sign-up and account settings, only for the pages of the dashboard. */
export function authRoutes(ports: AuthPorts) {
  const answerWithin = limitedAnswers(ports)
  const serve = ({ request, params }: AuthExchange) => answerAuth(ports, answerWithin, request, params['*'])

  // Each method has its own route: a wildcard for all methods would lose against the GET wildcard of the pages.
  const unread = { parse: 'none', ...hidden } as const
  return new Elysia().get('/app/auth/*', serve, unread).post('/app/auth/*', serve, unread)
}

async function answerAuth(ports: AuthPorts, answerWithin: Answer, request: Request, path: string): Promise<Response> {
  const isPost = request.method === 'POST'
  if (!(isPost ? posts : request.method === 'GET' ? gets : []).includes(path)) throw new Refusal('ROUTE_NOT_FOUND')
  checkOrigin(request, ports.origin)
  const address = ports.addressOf(request) ?? '127.0.0.1'
  const headers = new Headers(request.headers)
  headers.set(addressHeader, address)
  // This includes a session that our own rules have ended, because better-auth does not know those rules.
  const signedIn = await ports.identity.signedIn(headers)
  if (signedIn?.via && !openToProviders.includes(path)) throw new Refusal('SIGNED_IN_BY_SSO')
  if (!isPost) return ports.identity.answer(new Request(request.url, { headers }))
  return answerPost(ports, answerWithin, { request, path, headers, address, signedIn })
}

type Posted = { request: Request; path: string; headers: Headers; address: string; signedIn: SignedIn | null }

async function answerPost(ports: AuthPorts, answerWithin: Answer, posted: Posted) {
  const { request, path, headers, address, signedIn } = posted
  const { identity } = ports
  const read: unknown = (await readBody(request, bodyBytesMax)) ?? {}
  if (typeof read !== 'object' || read === null) throw new Refusal('MALFORMED_BODY')
  const body: Record<string, unknown> = { ...read }
  if (path === 'request-password-reset' && !ports.mayReset) throw new Refusal('NO_MAIL_SERVER')
  if (path === 'sign-up/email' || (path === 'update-user' && 'name' in body)) checkName(body['name'])
  const email = typeof body['email'] === 'string' ? body['email'].toLowerCase().slice(0, 256) : null
  const device = email === null ? null : await deviceOf(ports, headers, email)
  const session = signedIn?.sessionId ?? null
  // Otherwise a stolen session and password could replace this second step. A person without one authenticates by this
  // very request, which contains the password.
  if (ofSecondStep.includes(path) && signedIn?.person.hasSecondStep) assureRecent(ports, signedIn)
  const counted = await countAttempt(ports, path, { address, email, device, session })
  if (path === 'sign-up/email')
    await checkRegistration(ports, email, body['invitation']).catch(async (error) => {
      await counted.notBegun() // attempts in the name of an invited person must not count against that person
      throw error
    })
  const subject = await identity.subjectOf(headers, namedIn(path, email, body['token']))
  if (path === 'two-factor/verify-totp' && subject)
    await assureFirstUse(ports, subject, body['code']).catch(async (error) => {
      // A replayed code suggests that another person saw it, so its owner gets an entry.
      const failed = { address, only: signedIn?.via?.organizationId ?? null }
      if (error instanceof Refusal)
        await auditPerson(ports, 'person.second_step_failed', subject, failed).catch(ports.noteTrouble)
      throw error
    })

  headers.delete('content-length')
  // A password is often changed because another person is signed in, so the change ends all other sessions.
  const sent = path === 'change-password' ? passwordChange(body) : body
  const answer = await answerWithin(
    path,
    new Request(request.url, { method: 'POST', headers, body: JSON.stringify(sent) }),
  )
  if (answer.ok) await counted.succeeded()
  else await noteLeft(answer, counted)
  if (answer.ok && endTrust.includes(path) && subject) await identity.forgetDevices(subject.id)
  const person = path === 'sign-up/email' && email !== null ? await identity.findByEmail(email) : subject
  const isNew = path !== 'sign-up/email' || subject === null
  if (answer.ok && path.startsWith('two-factor/verify-')) await noteSecondStep(ports, answer, session)
  if (answer.ok && path === 'two-factor/verify-backup-code' && subject)
    // The response does not wait for the mail server.
    identity.reportBackupCode(subject.id).catch(ports.noteTrouble)
  if (path === 'sign-in/email' && answer.ok && signedIn?.person.email === email && !(await isRedirected(answer)))
    await endReplaced(ports, request)
  const had = { hadSession: session !== null, hadSecondStep: signedIn?.person.hasSecondStep ?? false }
  const only = signedIn?.via?.organizationId ?? null
  await audit(ports, { path, answer, ...had, address, only }, isNew ? person : null)
  // better-auth responds differently to a taken and a free address, so neither response is passed on.
  if (answer.ok && path === 'sign-up/email') return Response.json({ isDone: true })
  if (answer.ok && path === 'sign-in/email' && email !== null && device === null)
    answer.headers.append('set-cookie', await markFor(ports, email))
  answer.headers.set('cache-control', 'no-store')
  return answer
}

/** Adds the number of guesses that are left to a refusal. The page shows it when few are. */
async function noteLeft({ headers }: Response, counted: SignInCount): Promise<void> {
  const left = await counted.left()
  if (left !== null) headers.set('ratelimit-remaining', String(left))
}

/**
 * Returns the address or link token that a request names. Only these paths act on an address. Elsewhere, a caller could
 * write any address into the body.
 */
function namedIn(path: string, email: string | null, token: unknown): { email?: string; token?: string } {
  if (byEmail.includes(path)) return { email: email ?? '' }
  return path === 'reset-password' ? { token: String(token) } : {}
}

const passwordChange = ({ currentPassword, newPassword }: Record<string, unknown>) => ({
  currentPassword,
  newPassword,
  revokeOtherSessions: true,
})

const isRedirected = async (answer: Response): Promise<boolean> =>
  ((await answer.clone().json()) as { twoFactorRedirect?: boolean } | null)?.twoFactorRedirect === true

/**
 * Throws unless a name is valid. Names appear in e-mails to others, so line breaks, direction marks and links are
 * refused.
 */
function checkName(name: unknown): void {
  const isName = typeof name === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(name) && !/:\/\/|www\./i.test(name)
  if (!isName || name.trim() === '')
    throw new Refusal('VALIDATION_FAILED', { message: 'name must be 1 to 64 characters without a link' })
}

type Registration = { isOpen: boolean; invitations: Pick<Invitations, 'findByToken'>; now: () => number }

/** Throws if registration is by invitation and the address is not the invited one, with the token of its link. */
async function checkRegistration(
  { isOpen, invitations, now }: Registration,
  email: string | null,
  token: unknown,
): Promise<void> {
  if (isOpen) return
  const invitation = typeof token === 'string' ? await invitations.findByToken(invitationDigest(token)) : null
  const isGood =
    invitation && invitation.acceptedAt === null && invitation.withdrawnAt === null && invitation.expiresAt > now()
  if (!isGood || invitation.email !== email) throw new Refusal('BY_INVITATION')
}

/** Longer than the validity of any code. */
const codeMs = 5 * 60_000

/** Refuses a code that was used before, so a code that another person saw is worthless (RFC 6238, 5.2). */
async function assureFirstUse(
  { limitCounters, now }: { limitCounters: LimitCounters; now: () => number },
  { id }: Person,
  code: unknown,
): Promise<void> {
  const window = Math.floor(now() / codeMs)
  const used = (n: number) => `totp:${id}:${Bun.SHA256.hash(String(code), 'hex')}:${n}`
  // The previous window counts as well, because a code can be valid on both sides of its end.
  for (const n of [window - 1, window])
    if (!(await limitCounters.take(used(n), 1, (window + 2) * codeMs))) throw new Refusal('CODE_USED')
}
