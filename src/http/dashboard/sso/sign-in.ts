import { Elysia } from 'elysia'
import type { Organization } from '../../../domain/tenant/organization'
import { cookieNamesOf, cookieOf, cookieScopeOf } from '../../../domain/tenant/sign-in-cookies'
import { admissionOf, type Sso } from '../../../domain/tenant/sso'
import { StoreUnavailable } from '../../../domain/unavailable'
import type { LimitCounters } from '../../../ports/limits'
import type { DomainClaims, OpenId } from '../../../ports/people'
import type { AuditLog } from '../../../ports/tenants'
import type { Vault } from '../../../ports/webhooks'
import { hidden } from '../../openapi/operation-docs'
import { bodyBytesMax } from '../../request/authenticate'
import { Refusal } from '../../request/failure'
import { readBody } from '../../request/read-body'
import { type SessionPorts, signedInNow } from '../member-session'
import { checkOrigin } from '../origin'
import { countAttempt } from '../sign-in/attempts'
import { endReplaced } from '../sign-in/end-replaced'
import { admit, type NotAdmitted } from './admit'
import { organizationFor, providerOf, redirectUriOf } from './connection'

type Ports = SessionPorts & {
  openId: OpenId
  vault: Vault
  addressOf: (request: Request) => string | undefined
  limitCounters: LimitCounters
  domainClaims: DomainClaims
  auditLog: AuditLog
}

/** Time limit for the return from the provider. Later, the sign-in must begin again. */
const awaySeconds = 600
const purpose = 'sso sign-in'
const notAnswering =
  'Your organization’s provider does not respond. Try again in a minute. If this continues, inform an owner'

/**
 * The sealed state that the browser keeps during the visit to the provider. No other browser can finish the sign-in.
 */
type Away = {
  state: string
  nonce: string
  verifier: string
  organizationId: string
  connectionId: string
  isAgain: boolean
  /** Whether the sign-in runs in a second window. The original page continues afterwards. */
  isBeside?: boolean
  until: number
}

/** The error that the redirect address passes to the pages. */
type Trouble = 'expired' | 'failed' | 'cancelled' | 'unavailable' | NotAdmitted

/** Sign-in by an organization's own provider. */
export function ssoSignInRoutes(ports: Ports) {
  const unread = { parse: 'none', ...hidden } as const
  return new Elysia()
    .post('/app/auth/sso/start', ({ request }) => begin(ports, request), unread)
    .get(
      '/app/auth/sso/callback/:organizationId',
      ({ request, params }) => finish(ports, request, params.organizationId),
      unread,
    )
}

type Owner = Organization & { sso: Sso }
const needsGroupsOf = ({ sso }: Owner): boolean => admissionOf(sso).groups.length > 0

/**
 * Returns the organization whose provider must sign the person in. Found by an e-mail address, or by the session
 * that must be proved again.
 */
async function wanted(ports: Ports, request: Request, body: Record<string, unknown>): Promise<Owner | null> {
  if (body['again'] !== true) return organizationFor(ports, body['email'])
  const via = (await signedInNow(ports, request.headers))?.via
  const organization = via && (await ports.organizations.load(via.organizationId))
  return organization?.sso ? (organization as Owner) : null
}

async function begin(ports: Ports, request: Request): Promise<Response> {
  const { origin, openId, vault, now } = ports
  checkOrigin(request, origin)
  const body = ((await readBody(request, bodyBytesMax)) ?? {}) as Record<string, unknown>
  const email = typeof body['email'] === 'string' ? body['email'].toLowerCase().slice(0, 256) : null
  const address = ports.addressOf(request) ?? '127.0.0.1'
  await countAttempt(ports, 'sso/start', { address, email, device: null, session: null })
  const organization = await wanted(ports, request, body)
  const provider = organization && providerOf(ports, organization.id, organization.sso)
  if (!provider) throw new Refusal('NO_SSO')
  // Otherwise a person who is signed in to the provider as another user returns as that user each time, without a
  // prompt.
  const isAgain = body['again'] === true || body['asAnother'] === true
  const redirectUri = redirectUriOf(origin, organization.id)
  const needsGroups = needsGroupsOf(organization)
  const begun = await openId.begin(provider, { redirectUri, email, isAgain, needsGroups })
  if (!begun) throw new Refusal('IDENTITY_PROVIDER_UNAVAILABLE', { message: notAnswering })
  const { url, ...checks } = begun
  const whose = { organizationId: organization.id, connectionId: organization.sso.id }
  const how = { isAgain, isBeside: body['beside'] === true }
  const away: Away = { ...checks, ...whose, ...how, until: now() + awaySeconds * 1_000 }
  const cookie = awayCookie(origin, vault.seal(JSON.stringify(away), purpose), awaySeconds)
  return Response.json({ url }, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } })
}

function awayCookie(origin: string, value: string, seconds: number): string {
  const { path, secure } = cookieScopeOf(origin)
  const name = cookieNamesOf(origin).away
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

async function finish(ports: Ports, request: Request, organizationId: string): Promise<Response> {
  const { origin } = ports
  const came = await cameBack(ports, request, organizationId).catch((error: unknown): Trouble => {
    // The browser shows this response as a page, so a JSON body would not be read.
    if (error instanceof StoreUnavailable) return 'unavailable'
    throw error
  })
  const headers = new Headers(typeof came === 'string' ? {} : came.answer.headers)
  headers.delete('content-type')
  headers.delete('content-length')
  const shown = typeof came === 'string' ? `/sso?trouble=${came}` : came.isBeside ? '/sso?done' : ''
  headers.set('location', `${origin}/app${shown}`)
  headers.set('cache-control', 'no-store')
  headers.set('referrer-policy', 'no-referrer')
  headers.append('set-cookie', awayCookie(origin, '', 0))
  return new Response(null, { status: 302, headers })
}

type CameBack = { answer: Response; isBeside: boolean }

async function cameBack(ports: Ports, request: Request, organizationId: string): Promise<CameBack | Trouble> {
  const { origin, openId, organizations } = ports
  const away = await awayOf(ports, request, organizationId)
  const organization = away && (await organizations.load(organizationId))
  // A connection that changed in the meantime has another id.
  if (!away || organization?.sso?.id !== away.connectionId) return 'expired'
  const provider = providerOf(ports, organizationId, organization.sso)
  const query = new URL(request.url).searchParams
  const redirectUri = redirectUriOf(origin, organizationId)
  const needsGroups = needsGroupsOf(organization as Owner)
  const claims = provider && (await openId.finish(provider, { ...away, redirectUri, query, needsGroups }))
  if (!claims) return 'failed'
  if (claims === 'DENIED') return 'cancelled'
  if (claims === 'UNAVAILABLE') return 'unavailable'
  const address = ports.addressOf(request) ?? '127.0.0.1'
  const signedIn = await signedInNow(ports, request.headers)
  // An owner can have changed the connection while the provider was responding.
  const current = await organizations.load(organizationId)
  if (current?.sso?.id !== away.connectionId) return 'expired'
  const answer = await admit(ports, current as Owner, claims, { address, signedIn })
  if (typeof answer === 'string') return answer
  if (signedIn?.via) await endReplaced(ports, request)
  return { answer, isBeside: away.isBeside === true }
}

/** Returns the sign-in that this browser began. Works once: a second response to it is rejected. */
async function awayOf(
  { origin, vault, limitCounters, now }: Ports,
  request: Request,
  organizationId: string,
): Promise<Away | null> {
  const sealed = cookieOf(request.headers, cookieNamesOf(origin).away)
  const text = sealed === undefined ? null : vault.open(sealed, purpose)
  if (text === null) return null
  const away = JSON.parse(text) as Away
  if (away.organizationId !== organizationId || away.until <= now()) return null
  const isFirst = await limitCounters.take(`sso:${Bun.SHA256.hash(away.state, 'hex')}`, 1, away.until + 60_000)
  return isFirst ? away : null
}
