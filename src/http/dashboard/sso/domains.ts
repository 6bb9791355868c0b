import { rewrite } from '../../../domain/concurrency'
import { audit } from '../../../domain/tenant/audit'
import type { AuditVerb } from '../../../domain/tenant/audit-verb'
import type { Organization } from '../../../domain/tenant/organization'
import { type DomainClaim, proofOf, type SsoDomain } from '../../../domain/tenant/sso'
import type { DomainClaims, LookUpTexts } from '../../../ports/people'
import type { AuditLog, Organizations } from '../../../ports/tenants'
import { Refusal } from '../../request/failure'
import { audited } from '../audited'
import { assureRecent, type MemberSession } from '../member-session'
import { randomId } from '../new-tenants'
import { changeSso, holds } from './connection'

type Ports = {
  lookUpTexts: LookUpTexts
  organizations: Organizations
  auditLog: AuditLog
  domainClaims: DomainClaims
  now: () => number
}

/** Whether the name server assigns a domain to an organization; null if no name server answered. */
async function isAssigned({ lookUpTexts }: Ports, domain: SsoDomain): Promise<boolean | null> {
  const { name, value } = proofOf(domain)
  const texts = await lookUpTexts(name)
  return texts === null ? null : texts.some((text) => text.trim() === value)
}

/**
 * Throws `DOMAIN_TAKEN` if another organization holds the domain and its TXT record is still there. An organization
 * whose record is gone loses its claim, which stops a former owner from blocking the current one.
 */
async function assureFree(ports: Ports, claim: DomainClaim, organizationId: string): Promise<void> {
  if (claim.organizationId === organizationId) return
  const holder = await ports.organizations.load(claim.organizationId)
  if (!holder || !holds(holder, claim.id)) return
  const said = await isAssigned(ports, holder.sso!.domains.find(({ name }) => name === claim.id)!)
  if (said === null) throw new Refusal('IDENTITY_PROVIDER_UNAVAILABLE')
  if (said) throw new Refusal('DOMAIN_TAKEN')
}

/** Writes the loss to the audit log of the former holder, without the name of the new holder. */
const noteLoss = ({ auditLog, now }: Ports, { id: name, organizationId }: DomainClaim): Promise<void> =>
  audit(auditLog, {
    id: randomId('aud_'),
    at: now(),
    actor: { kind: 'SYSTEM', id: 'name-server', label: 'The name server of the domain' },
    organizationId,
    verb: 'sso.domain_remove' satisfies AuditVerb,
    target: name,
  })

/** Checks the TXT record of a domain for the displayed text, and assigns the domain to the organization. */
export async function proveDomain(ports: Ports, session: MemberSession, name: string): Promise<Organization> {
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
  await rewrite(ports.domainClaims, name, async (known) => {
    if (known) await assureFree(ports, known, organization.id)
    return { ...(known ?? { id: name, version: 0 }), organizationId: organization.id, provedAt }
  })
  return changeSso(
    ports,
    organization.id,
    (known) =>
      known && {
        ...known,
        // A domain that was removed and added again in the meantime has another text.
        domains: known.domains.map((each) => (each.token === domain.token ? { ...each, provedAt } : each)),
      },
  )
}
