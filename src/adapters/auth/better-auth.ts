import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mongodbAdapter } from 'better-auth/adapters/mongodb'
import { betterAuth } from 'better-auth/minimal'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Db, Filter } from 'mongodb'
import type { Connection } from 'mongoose'
import { addressHeader, isOwnName } from '../../domain/tenant/sign-in'
import {
  cookieNamesOf,
  cookieOf,
  cookieScopeOf,
  isAmbiguous,
  onePerSession,
  withCookie,
} from '../../domain/tenant/sign-in-cookies'
import type { Identity, Person } from '../../ports/people'
import { withStoreErrors } from '../mongo/engine/store-errors'
import { authCollections } from './auth-indexes'
import { linkedPeople } from './linked-people'
import { providerSessions, viaFields, viaOf } from './provider-sessions'
import { type EmailSettings, signInEmails } from './sign-in-emails'

type IdentitySettings = EmailSettings & {
  /** Signs cookies and encrypts second-step secrets: 32 characters or more. */
  secret: string
  now: () => number
}

const daySeconds = 86_400
const basePath = '/app/auth'
const makeId = (): string => randomBytes(16).toString('hex')
/** OWASP's minimum for argon2id. Bun computes it off the event loop. */
const argon = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Signs people in with better-auth. Our own code decides permissions. */
export function betterAuthIdentity(connection: Connection, settings: IdentitySettings): Identity {
  const db = connection.getClient().db(connection.name)
  const auth = authOf(db, settings)
  const people = storedPeople(db)
  const cookies = cookieNamesOf(settings.origin)
  const verifications = db.collection<Verification>(authCollections.verification)
  const emails = signInEmails(settings)
  const backupCodesLeft = async (userId: string): Promise<number> =>
    (await auth.api.viewBackupCodes({ body: { userId } })).backupCodes.length
  /** better-auth hides a database outage behind an error without a cause, so this pings the database. */
  const assureThere = () => db.command({ ping: 1 })
  /**
   * Answers a request that names several sessions. It counts as signed out, but a sign-out ends every session that it
   * names.
   */
  async function answerAmbiguous(request: Request): Promise<Response> {
    const isSignOut = new URL(request.url).pathname === `${basePath}/sign-out`
    const requests = isSignOut ? onePerSession(request, cookies) : []
    for (const each of requests) {
      const response = await auth.handler(each)
      if (!response.ok) return response
    }
    return auth.handler(withCookie(request, null))
  }
  return withStoreErrors<Identity>({
    async answer(request) {
      const response = await (isAmbiguous(request.headers, cookies) ? answerAmbiguous(request) : auth.handler(request))
      if (response.status >= 500) await assureThere()
      return response
    },
    async subjectOf(headers, { email, token }) {
      if (email !== undefined) return people.findByEmail(email)
      if (token === undefined && isAmbiguous(headers, cookies)) return null
      const session = token === undefined ? await auth.api.getSession({ headers }) : null
      if (session) return people.find(session.user.id)
      // better-auth checks the cookie's signature, after the dot, when it acts on the challenge.
      const challenge = /^[\w-]+/.exec(cookieOf(headers, cookies.challenge) ?? '')?.[0]
      const identifier = token === undefined ? challenge : `reset-password:${token}`
      const verification = identifier ? await verifications.findOne({ identifier }) : null
      return people.find(verification?.value)
    },
    async noteSecondStep(sessionId, at) {
      await db
        .collection<{ _id: string }>(authCollections.session)
        .updateOne({ _id: sessionId }, { $max: { secondStepAt: at } })
    },
    renew: (sessionId, secondStepAt) =>
      auth.api.renewSession({ body: { sessionId, secondStepAt } as never, asResponse: true }),
    backupCodesLeft,
    async reportBackupCode(personId) {
      const person = await people.find(personId)
      if (person && settings.send) emails.backupCodeUsed({ user: person, left: await backupCodesLeft(personId) })
    },
    async forgetDevices(personId) {
      await verifications.deleteMany({ value: personId, identifier: /^trust-device-/ })
    },
    ...deviceMarks(settings.secret),
    ...linkedPeople(db, makeId, settings.now),
    beginVia: (personId, via, provedAt) =>
      auth.api.beginProviderSession({ body: { personId, via, provedAt } as never, asResponse: true }),
    async signedIn(headers) {
      const readSession = async () => (isAmbiguous(headers, cookies) ? null : auth.api.getSession({ headers }))
      const active = await readSession().catch(async (error) => {
        await assureThere()
        throw error
      })
      if (!active) return null
      const { id, email, name, emailVerified, twoFactorEnabled } = active.user
      const person = { id, email, name, hasSecondStep: twoFactorEnabled === true, isVerified: emailVerified }
      const via = viaOf(active.session)
      const { id: sessionId, secondStepAt } = active.session as { id: string; secondStepAt?: number | null }
      const beganAt = new Date(active.session.createdAt).getTime()
      // For a person who came through an identity provider, the provider is the second step. The previous release
      // stored no separate time for it.
      if (via)
        return {
          person: { ...person, hasSecondStep: true },
          sessionId,
          beganAt,
          secondStepAt: secondStepAt ?? via.at,
          via,
        }
      return { person, sessionId, beganAt, secondStepAt: secondStepAt ?? null, via }
    },
    people: people.findAll,
    findByEmail: people.findByEmail,
    async create({ email, name, password }) {
      const existing = await people.findByEmail(email)
      if (existing) return existing
      await auth.api.signUpEmail({ body: { email, name, password } })
      await people.verify(email)
      return (await people.findByEmail(email))!
    },
  })
}

/**
 * Configures better-auth. Its MongoDB adapter gets no client, so it uses no transactions, which FerretDB does not have.
 * Ids are random: the adapter's own are counters, and a guessable id is half a token.
 */
function authOf(db: Db, settings: IdentitySettings) {
  const { origin, secret, send, onTrouble } = settings
  const { verifyAddress, resetPassword, alreadyHere } = signInEmails(settings)
  return betterAuth({
    appName: 'Switchyard',
    baseURL: origin,
    basePath,
    secret,
    database: mongodbAdapter(db as never),
    trustedOrigins: (request) => [origin, ...sameHost(request)],
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message, error) => onTrouble(message, error) },
    rateLimit: { enabled: false }, // our own limit counts by IP address and by e-mail address
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      maxPasswordLength: 128,
      // Without it, a taken e-mail address gets the same response as a free one. The page signs in with a separate
      // request.
      autoSignIn: false,
      requireEmailVerification: send !== null,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: 3_600,
      sendResetPassword: resetPassword,
      onExistingUserSignUp: alreadyHere,
      password: {
        hash: (password) => Bun.password.hash(password, argon),
        verify: ({ password, hash }) => Bun.password.verify(password, hash),
      },
    },
    emailVerification: { sendVerificationEmail: verifyAddress, sendOnSignUp: send !== null, expiresIn: daySeconds },
    user: { modelName: authCollections.user },
    account: { modelName: authCollections.account, accountLinking: { enabled: false } },
    verification: { modelName: authCollections.verification },
    session: {
      modelName: authCollections.session,
      expiresIn: 7 * daySeconds,
      updateAge: daySeconds,
      // Requests cannot set these fields.
      additionalFields: { secondStepAt: { type: 'number', required: false, input: false }, ...viaFields },
    },
    plugins: [twoFactor({ issuer: 'Switchyard', twoFactorTable: authCollections.twoFactor }), providerSessions()],
    advanced: {
      cookiePrefix: cookieNamesOf(origin).prefix,
      // `true` would put `__Secure-` before our own prefix.
      useSecureCookies: false,
      defaultCookieAttributes: { ...cookieScopeOf(origin), sameSite: 'lax', httpOnly: true },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: makeId },
    },
  })
}

type StoredUser = { _id: string; email: string; name: string }
const personOf = ({ _id, email, name }: StoredUser): Person => ({ id: _id, email, name })

type Verification = { identifier: string; value: string }

/** The users of better-auth, which stores e-mail addresses in lower case. */
function storedPeople(db: Db) {
  const users = db.collection<StoredUser>(authCollections.user)
  const findOne = async (filter: Filter<StoredUser>): Promise<Person | null> => {
    const stored = await users.findOne(filter)
    return stored && personOf(stored)
  }
  return {
    find: async (id: unknown): Promise<Person | null> => (typeof id === 'string' ? findOne({ _id: id }) : null),
    findByEmail: (email: string): Promise<Person | null> => findOne({ email: email.toLowerCase() }),
    findAll: async (ids: readonly string[]): Promise<Person[]> =>
      (await users.find({ _id: { $in: [...ids] } }).toArray()).map(personOf),
    async verify(email: string): Promise<void> {
      await users.updateOne({ email: email.toLowerCase() } as never, { $set: { emailVerified: true } } as never)
    },
  }
}

/** Marks for devices on which a person has signed in before. Making one requires the secret. */
function deviceMarks(secret: string): Pick<Identity, 'markOf' | 'isMarkOf' | 'traceOf'> {
  const signatureOf = (email: string, id: string): Buffer =>
    createHmac('sha256', secret).update(`known device\n${email.toLowerCase()}\n${id}`).digest()
  return {
    async markOf(email) {
      const id = randomBytes(12).toString('base64url')
      return `${id}.${signatureOf(email, id).toString('base64url')}`
    },
    traceOf: async (email) => createHmac('sha256', secret).update(`trace\n${email.toLowerCase()}`).digest('hex'),
    async isMarkOf(email, mark) {
      const [id = '', signature = ''] = mark.split('.')
      const [sent, made] = [Buffer.from(signature, 'base64url'), signatureOf(email, id)]
      return sent.length === made.length && timingSafeEqual(sent, made)
    },
  }
}

/**
 * Returns the origins from which the pages may be used if no public name is configured: IP addresses and localhost. Any
 * other name must be configured, because anyone can point their own name at this server.
 */
function sameHost(request: Request | undefined): string[] {
  const host = request?.headers.get('host')
  return host && isOwnName(host) ? [`http://${host}`, `https://${host}`] : []
}
