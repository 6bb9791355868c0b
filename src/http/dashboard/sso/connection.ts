import { rewrite } from '../../../domain/concurrency'
import type { Organization } from '../../../domain/tenant/organization'
import { addressOf, changedSso, type Sso } from '../../../domain/tenant/sso'
import type { DomainClaims, Provider } from '../../../ports/people'
import type { Organizations } from '../../../ports/tenants'
import type { Vault } from '../../../ports/webhooks'
import { Refusal } from '../../request/failure'
import type { MemberSession } from '../member-session'

/** The encryption purpose of a client secret. A copy in another organization's record cannot be decrypted. */
const purposeOf = (organizationId: string, connectionId: string): string =>
  `client secret of ${organizationId} ${connectionId}`

export const sealedClientSecret = (
  { vault }: { vault: Vault },
  organizationId: string,
  connectionId: string,
  secret: string,
): string => vault.seal(secret, purposeOf(organizationId, connectionId))

/** Returns the provider of a connection; null if the key that encrypted its secret is gone. */
export function providerOf(
  { vault }: { vault: Vault },
  organizationId: string,
  { id, issuer, clientId, secret }: Sso,
): Provider | null {
  const clientSecret = vault.open(secret, purposeOf(organizationId, id))
  return clientSecret === null ? null : { issuer, clientId, clientSecret }
}

/** Each organization has its own callback address, so one provider's response is never taken for another's. */
export const redirectUriOf = (origin: string, organizationId: string): string =>
  `${origin}/app/auth/sso/callback/${organizationId}`

/** Applies an owner's change to the stored connection of the organization. */
export async function changeSso(
  { organizations }: { organizations: Organizations },
  { person, organization }: Pick<MemberSession, 'person' | 'organization'>,
  change: (current: Sso | null) => Sso | null,
): Promise<Organization> {
  const saved = await rewrite(organizations, organization.id, (current) => {
    if (!current) return null
    const before = current.sso ?? null
    return { ...current, sso: changedSso(before, change(before), person.id) }
  })
  if (!saved) throw new Refusal('CHANGED_MEANWHILE')
  return saved
}

/** Returns the organization whose provider signs an address in: it holds the domain, and has not given it up. */
export async function organizationFor(
  { organizations, domainClaims }: { organizations: Organizations; domainClaims: DomainClaims },
  email: unknown,
): Promise<(Organization & { sso: Sso }) | null> {
  const address = addressOf(email)
  const claim = address && (await domainClaims.load(address.domain))
  const organization = claim && (await organizations.load(claim.organizationId))
  return organization && holds(organization, address!.domain) ? (organization as Organization & { sso: Sso }) : null
}

/** Whether an organization has proved a domain and not removed it since. */
export const holds = ({ sso }: Pick<Organization, 'sso'>, domain: string): boolean =>
  sso?.domains.some(({ name, provedAt }) => name === domain && provedAt !== null) ?? false

/** Returns the domains that an organization has proved and that no other organization has taken over since. */
export async function provedDomains(
  { domainClaims }: { domainClaims: DomainClaims },
  { id, sso }: Organization,
): Promise<Sso['domains']> {
  const proved = (sso?.domains ?? []).filter(({ provedAt }) => provedAt !== null)
  const claims = await Promise.all(proved.map(({ name }) => domainClaims.load(name)))
  return proved.filter((_, n) => claims[n]?.organizationId === id)
}
