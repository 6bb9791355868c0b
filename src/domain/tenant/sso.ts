/** The roles in which somebody may come in by a provider. A person who may do more is given that by a member. */
export const ssoRoles = ['member', 'operator'] as const
type SsoRole = (typeof ssoRoles)[number]

/** An e-mail domain of an organization, and what its name server has to say before it counts. */
export type SsoDomain = {
  name: string
  token: string
  /** Null until the name server said it. */
  provedAt: number | null
}

/** How the members of an organization sign in by its own OpenID provider. */
export type Sso = {
  /** Another provider or client is another connection, with no link to anybody and no session. */
  id: string
  issuer: string
  clientId: string
  /** Encrypted for this organization and connection. */
  secret: string
  /** The role of whoever comes in for the first time. */
  role: SsoRole
  domains: SsoDomain[]
  /** Whether members who are not owners come in by the provider alone. */
  isDemanded: boolean
}

/** Which organization holds a domain; its id is the domain. One organization holds it at a time. */
export type DomainClaim = { id: string; version: number; organizationId: string; provedAt: number }

/** By which connection a session began. It shows that one organization. */
export type Via = { organizationId: string; connectionId: string; at: number }

export const ssoDomainsMax = 10
/** Whoever leaves the organization's directory is out after this long. */
export const ssoSessionMs = 12 * 3_600_000

/** A domain name in ASCII and in lower case. */
export const domainForm = /^(?=.{4,190}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** One address and nothing else. Other letters than those of ASCII may look alike or become each other. */
const emailForm = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([a-z0-9.-]{4,190})$/

/** The address in lower case and its domain; null for whatever is not one plain address. */
export function addressOf(text: unknown): { email: string; domain: string } | null {
  if (typeof text !== 'string' || /[^\x21-\x7e]/.test(text)) return null
  const email = text.toLowerCase()
  const domain = emailForm.exec(email)?.[1]
  return domain !== undefined && domainForm.test(domain) ? { email, domain } : null
}

/** The TXT record by which whoever runs a domain's name server gives it to an organization. */
export const proofOf = ({ name, token }: Pick<SsoDomain, 'name' | 'token'>) => ({
  name: `_switchyard.${name}`,
  value: `switchyard-domain=${token}`,
})

/**
 * When somebody proved to a provider who they are: as it says, since whoever is signed in there is let through without
 * being asked. A provider that does not say it is believed to have asked.
 */
export const provedAtBy = ({ auth_time: at }: Readonly<Record<string, unknown>>, now: number): number =>
  typeof at === 'number' ? Math.min(at * 1_000, now) : now

/** Whom a provider says that it has signed in. */
export type Asserted = { sub: string; email: string; name: string }
/** Why somebody whom a provider signed in is not let in. */
export type SsoObjection = 'NO_EMAIL' | 'EMAIL_NOT_VERIFIED' | 'DOMAIN_NOT_PROVED' | 'NO_SUBJECT'

/**
 * What counts of a provider's claims. The provider belongs to the organization and may say anything, so an address
 * counts only where the organization has proved its domain, and the provider has verified it.
 */
export function assertedBy(
  claims: Readonly<Record<string, unknown>>,
  domains: readonly SsoDomain[],
): Asserted | SsoObjection {
  const { sub, name } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return 'NO_SUBJECT'
  const address = addressOf(claims['email'])
  if (!address) return 'NO_EMAIL'
  // Some providers write the word.
  if (claims['email_verified'] !== true && claims['email_verified'] !== 'true') return 'EMAIL_NOT_VERIFIED'
  if (!domains.some((each) => each.name === address.domain && each.provedAt !== null)) return 'DOMAIN_NOT_PROVED'
  return { sub, email: address.email, name: typeof name === 'string' ? name : '' }
}
