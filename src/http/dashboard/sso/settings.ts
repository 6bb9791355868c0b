import { Elysia } from 'elysia'
import { rewrite } from '../../../domain/concurrency'
import { type } from '../../../domain/schema'
import { audit } from '../../../domain/tenant/audit'
import type { AuditVerb } from '../../../domain/tenant/audit-verb'
import type { Organization } from '../../../domain/tenant/organization'
import {
  type Admission,
  admissionOf,
  type DomainClaim,
  domainForm,
  isStricter,
  proofOf,
  type Sso,
  type SsoDomain,
  ssoDomainsMax,
  ssoGroupsMax,
  ssoRoles,
} from '../../../domain/tenant/sso'
import { urlObjection } from '../../../domain/webhook/destination'
import type { DomainClaims, LookUpTexts, OpenId } from '../../../ports/people'
import type { AuditLog, Organizations } from '../../../ports/tenants'
import type { Vault } from '../../../ports/webhooks'
import { Refusal } from '../../request/failure'
import { isoTime } from '../../views/scalar'
import { audited } from '../audited'
import { admins, assureRecent, type MemberSession, memberSession, type SessionPorts } from '../member-session'
import { randomId } from '../new-tenants'
import { changeSso, holds, redirectUriOf, sealedClientSecret } from './connection'

type Ports = SessionPorts & {
  webhooksToLoopback: boolean
  openId: OpenId
  auditLog: AuditLog
  vault: Vault
  domainClaims: DomainClaims
  lookUpTexts: LookUpTexts
}

const owners = ['owner'] as const

const Plain = (most: number) =>
  type(new RegExp(`^[\\x21-\\x7e]{1,${most}}$`)).describe(`1 to ${most} printable characters of ASCII`)
const Settings = type({
  issuer: Plain(512),
  clientId: Plain(256),
  'clientSecret?': Plain(512),
  role: type.enumerated(...ssoRoles),
})
const DomainRequest = type({ name: type(domainForm).describe('a domain in lower case, such as example.com') })
const DemandRequest = type({ isDemanded: 'boolean' })
const Group = type(/^[^\p{Cc}]{1,256}$/u).describe('1 to 256 characters without control characters')
const AdmissionRequest = type({ 'acceptsUnstatedVerification?': 'boolean', 'groups?': Group.array() })

const domainView = (domain: SsoDomain) => ({
  name: domain.name,
  record: proofOf(domain),
  provedAt: domain.provedAt === null ? null : isoTime(domain.provedAt),
})
const viewOf = ({ id, sso }: Organization, { origin }: { origin: string }) => ({
  redirectUri: redirectUriOf(origin, id),
  connection: sso ? { issuer: sso.issuer, clientId: sso.clientId, role: sso.role } : null,
  isDemanded: sso?.isDemanded ?? false,
  admission: admissionOf(sso ?? {}),
  domains: (sso?.domains ?? []).map(domainView),
})
export type SsoView = ReturnType<typeof viewOf>

/**
 * Returns the connection as owners set it. Another provider or client identifies people differently, so it gets a new
 * connection id.
 */
function connected(ports: Ports, organizationId: string, current: Sso | null, request: typeof Settings.infer): Sso {
  const { issuer, clientId, clientSecret, role } = request
  const isSame = current !== null && current.issuer === issuer && current.clientId === clientId
  if (!isSame && clientSecret === undefined)
    throw new Refusal('VALIDATION_FAILED', { message: 'clientSecret is required' })
  const id = isSame ? current.id : randomId('sso_')
  const secret =
    clientSecret === undefined ? current!.secret : sealedClientSecret(ports, organizationId, id, clientSecret)
  const admission = admissionOf(current ?? {})
  // An owner trusted the directory of the former provider, not this one. Required groups stay required.
  const trusted = isSame ? admission : { ...admission, acceptsUnstatedVerification: false }
  return { domains: [], isDemanded: false, ...current, id, issuer, clientId, secret, role, admission: trusted }
}

async function put(ports: Ports, session: MemberSession, request: typeof Settings.infer): Promise<Organization> {
  const { id, sso: before = null } = session.organization
  assureRecent(ports, session)
  const objection = urlObjection(request.issuer, ports.webhooksToLoopback)
  if (objection !== null) throw new Refusal('VALIDATION_FAILED', { message: `issuer ${objection}` })
  if (!(await ports.openId.isProvider(request.issuer)))
    throw new Refusal('VALIDATION_FAILED', { message: 'issuer must be the URL of a reachable OpenID provider' })
  connected(ports, id, before, request)
  const { clientSecret, ...publicFields } = request
  const details = { ...publicFields, isNewSecret: clientSecret !== undefined }
  await audited(ports, session, { verb: 'sso.edit', target: id, details })
  const saved = await changeSso(ports, session, (current) => connected(ports, id, current, request))
  if (before && before.id !== saved.sso!.id) await ports.identity.endVia(before.id)
  return saved
}

async function remove(ports: Ports, session: MemberSession): Promise<void> {
  const { id, sso } = session.organization
  assureRecent(ports, session)
  await audited(ports, session, { verb: 'sso.remove', target: id, details: { issuer: sso?.issuer ?? null } })
  await changeSso(ports, session, () => null)
  if (sso) await ports.identity.endVia(sso.id)
}

const withDomains = (current: Sso | null, change: (domains: SsoDomain[]) => SsoDomain[]): Sso => {
  if (!current) throw new Refusal('NOT_FOUND', { message: 'Set the provider first' })
  return { ...current, domains: change(current.domains) }
}

async function addDomain(ports: Ports, session: MemberSession, name: string): Promise<Organization> {
  assureRecent(ports, session)
  const token = Buffer.from(ports.vault.randomBytes(24)).toString('base64url')
  const change = (current: Sso | null) =>
    withDomains(current, (domains) => {
      if (domains.some((each) => each.name === name)) return domains
      if (domains.length >= ssoDomainsMax)
        throw new Refusal('LIMIT_REACHED', { message: `No more than ${ssoDomainsMax} domains` })
      return [...domains, { name, token, provedAt: null }]
    })
  change(session.organization.sso ?? null)
  await audited(ports, session, { verb: 'sso.domain_add', target: name })
  return changeSso(ports, session, change)
}

async function removeDomain(ports: Ports, session: MemberSession, name: string): Promise<Organization> {
  assureRecent(ports, session)
  const change = (current: Sso | null) =>
    withDomains(current, (domains) => domains.filter((each) => each.name !== name))
  change(session.organization.sso ?? null)
  await audited(ports, session, { verb: 'sso.domain_remove', target: name })
  return changeSso(ports, session, change)
}

/**
 * Owners keep a way in without the provider: their password and a second step. The member who demands single sign-on
 * must have both.
 */
async function demand(ports: Ports, session: MemberSession, isDemanded: boolean): Promise<Organization> {
  const { id, sso } = session.organization
  assureRecent(ports, session)
  if (isDemanded && (session.via !== null || !session.person.hasSecondStep))
    throw new Refusal('VALIDATION_FAILED', { message: 'First sign in with your own password and second step' })
  if (isDemanded && !sso?.domains.some(({ provedAt }) => provedAt !== null))
    throw new Refusal('VALIDATION_FAILED', { message: 'Prove a domain first' })
  const details = { from: sso?.isDemanded ?? false, to: isDemanded }
  await audited(ports, session, { verb: 'organization.sso_demand', target: id, details })
  return changeSso(ports, session, (current) => current && { ...current, isDemanded })
}

/** Changes whom the connection admits. A stricter setting ends the connection's sessions. */
async function admit(
  ports: Ports,
  session: MemberSession,
  request: typeof AdmissionRequest.infer,
): Promise<Organization> {
  const { id, sso } = session.organization
  assureRecent(ports, session)
  if (!sso) throw new Refusal('NOT_FOUND', { message: 'Set the provider first' })
  if (request.groups && request.groups.length > ssoGroupsMax)
    throw new Refusal('LIMIT_REACHED', { message: `No more than ${ssoGroupsMax} groups` })
  const before = admissionOf(sso)
  const changed = (current: Admission): Admission => ({ ...current, ...request })
  const details = Object.fromEntries(
    (['acceptsUnstatedVerification', 'groups'] as const).flatMap((field) =>
      request[field] === undefined ? [] : [[field, { from: before[field], to: request[field] }]],
    ),
  )
  await audited(ports, session, { verb: 'sso.admission', target: id, details })
  let isTighter = false
  const saved = await changeSso(ports, session, (current) => {
    if (current?.id !== sso.id) throw new Refusal('CHANGED_MEANWHILE')
    const admission = changed(admissionOf(current))
    isTighter = isStricter(admission, admissionOf(current))
    return { ...current, admission }
  })
  if (isTighter) await ports.identity.endVia(sso.id)
  return saved
}

/** Owners connect the organization's own provider; admins can read the connection. */
export function ssoSettingsRoutes(ports: Ports) {
  const view = (organization: Organization): SsoView => viewOf(organization, ports)
  return new Elysia()
    .use(new Elysia().use(memberSession(ports, admins)).get('/sso', ({ session }) => view(session.organization)))
    .use(
      new Elysia()
        .use(memberSession(ports, owners))
        .put('/sso', async ({ session, body }) => view(await put(ports, session, body)), { body: Settings })
        .put('/sso/demand', async ({ session, body }) => view(await demand(ports, session, body.isDemanded)), {
          body: DemandRequest,
        })
        .put('/sso/admission', async ({ session, body }) => view(await admit(ports, session, body)), {
          body: AdmissionRequest,
        })
        .post('/sso/domains', async ({ session, body }) => view(await addDomain(ports, session, body.name)), {
          body: DomainRequest,
        })
        .post('/sso/domains/:name/prove', async ({ session, params }) =>
          view(await proveDomain(ports, session, params.name)),
        )
        .delete('/sso/domains/:name', async ({ session, params }) =>
          view(await removeDomain(ports, session, params.name)),
        )
        .delete('/sso', async ({ session, set }) => {
          await remove(ports, session)
          set.status = 204
        }),
    )
}

type DomainPorts = {
  lookUpTexts: LookUpTexts
  organizations: Organizations
  auditLog: AuditLog
  domainClaims: DomainClaims
  now: () => number
}

/** Whether the name server assigns a domain to an organization; null if no name server answered. */
async function isAssigned({ lookUpTexts }: DomainPorts, domain: SsoDomain): Promise<boolean | null> {
  const { name, value } = proofOf(domain)
  const texts = await lookUpTexts(name)
  return texts === null ? null : texts.some((text) => text.trim() === value)
}

/**
 * Throws `DOMAIN_TAKEN` if another organization holds the domain and its TXT record is still there. An organization
 * whose record is gone loses its claim, which stops a former owner from blocking the current one.
 */
async function assureFree(ports: DomainPorts, claim: DomainClaim, organizationId: string): Promise<void> {
  if (claim.organizationId === organizationId) return
  const holder = await ports.organizations.load(claim.organizationId)
  if (!holder || !holds(holder, claim.id)) return
  const said = await isAssigned(ports, holder.sso!.domains.find(({ name }) => name === claim.id)!)
  if (said === null) throw new Refusal('IDENTITY_PROVIDER_UNAVAILABLE')
  if (said) throw new Refusal('DOMAIN_TAKEN')
}

/** Writes the loss to the audit log of the former holder, without the name of the new holder. */
const noteLoss = ({ auditLog, now }: DomainPorts, { id: name, organizationId }: DomainClaim): Promise<void> =>
  audit(auditLog, {
    id: randomId('aud_'),
    at: now(),
    actor: { kind: 'SYSTEM', id: 'name-server', label: 'The name server of the domain' },
    organizationId,
    verb: 'sso.domain_remove' satisfies AuditVerb,
    target: name,
  })

/** Checks the TXT record of a domain for the displayed text, and assigns the domain to the organization. */
async function proveDomain(ports: DomainPorts, session: MemberSession, name: string): Promise<Organization> {
  const { organization } = session
  assureRecent(ports, session)
  const domain = organization.sso?.domains.find((each) => each.name === name)
  if (!domain) throw new Refusal('NOT_FOUND', { message: 'No such domain of this organization' })
  const said = await isAssigned(ports, domain)
  if (said === null) throw new Refusal('IDENTITY_PROVIDER_UNAVAILABLE')
  if (!said) throw new Refusal('DOMAIN_NOT_PROVED')
  const provedAt = ports.now()
  const claim = await ports.domainClaims.load(name)
  if (claim) await assureFree(ports, claim, organization.id)
  await audited(ports, session, { verb: 'sso.domain_prove', target: name })
  if (claim && claim.organizationId !== organization.id) await noteLoss(ports, claim)
  await rewrite(ports.domainClaims, name, async (domainClaim) => {
    if (domainClaim) await assureFree(ports, domainClaim, organization.id)
    return { ...(domainClaim ?? { id: name, version: 0 }), organizationId: organization.id, provedAt }
  })
  return changeSso(
    ports,
    session,
    (sso) =>
      sso && {
        ...sso,
        // A domain that was removed and added again in the meantime has another text.
        domains: sso.domains.map((each) => (each.token === domain.token ? { ...each, provedAt } : each)),
      },
  )
}
