/** Roles that a first sign-in through a provider can give. A member grants higher roles. */
export const ssoRoles = ['member', 'operator'] as const
type SsoRole = (typeof ssoRoles)[number]

/** E-mail domain of an organization. It counts once its name server confirms the token. */
export type SsoDomain = {
  name: string
  token: string
  /** Null until the name server confirmed the token. */
  provedAt: number | null
}

/** Single sign-on through an organization's own OpenID provider. */
export type Sso = {
  /** A different provider or client gets a new id. It has no linked people and no sessions. */
  id: string
  issuer: string
  clientId: string
  /** Client secret, encrypted for this organization and connection. */
  secret: string
  /** Role of a person who signs in for the first time. */
  role: SsoRole
  domains: SsoDomain[]
  /** Whether members other than owners must sign in through the provider. */
  isDemanded: boolean
}

/** Organization that holds a domain; the record's id is the domain. Only one organization holds a domain at a time. */
export type DomainClaim = { id: string; version: number; organizationId: string; provedAt: number }

/** Connection that a session began with. The session is limited to that organization. */
export type Via = { organizationId: string; connectionId: string; at: number }

export const ssoDomainsMax = 10
/** Longest session. A person who leaves the organization's directory loses access within this time. */
export const ssoSessionMs = 12 * 3_600_000

/** DNS name in ASCII and lower case. */
export const domainForm = /^(?=.{4,190}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** A single address. Non-ASCII letters are refused, because they can look alike or be converted to each other. */
const emailForm = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([a-z0-9.-]{4,190})$/

/** Returns the address in lower case and its domain; null unless the text is one plain address. */
export function addressOf(text: unknown): { email: string; domain: string } | null {
  if (typeof text !== 'string' || /[^\x21-\x7e]/.test(text)) return null
  const email = text.toLowerCase()
  const domain = emailForm.exec(email)?.[1]
  return domain !== undefined && domainForm.test(domain) ? { email, domain } : null
}

/** Returns the TXT record that proves a domain for an organization. Only the operator of its name server can set it. */
export const proofOf = ({ name, token }: Pick<SsoDomain, 'name' | 'token'>) => ({
  name: `_switchyard.${name}`,
  value: `switchyard-domain=${token}`,
})

/**
 * Returns when the person authenticated at the provider. The provider states the time, because it admits a signed-in
 * person without authentication. Without a stated time, the person counts as just authenticated.
 */
export const provedAtBy = ({ auth_time: at }: Readonly<Record<string, unknown>>, now: number): number =>
  typeof at === 'number' ? Math.min(at * 1_000, now) : now

/** Person that a provider claims to have signed in. */
export type Asserted = { sub: string; email: string; name: string }
/** Why a person signed in by a provider is refused. */
export type SsoObjection = 'NO_EMAIL' | 'EMAIL_NOT_VERIFIED' | 'DOMAIN_NOT_PROVED' | 'NO_SUBJECT'

/**
 * Returns the trusted part of a provider's claims. The provider belongs to the organization and can claim anything. An
 * address therefore counts only if the organization proved its domain and the provider verified the address.
 */
export function assertedBy(
  claims: Readonly<Record<string, unknown>>,
  domains: readonly SsoDomain[],
): Asserted | SsoObjection {
  const { sub, name } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return 'NO_SUBJECT'
  const address = addressOf(claims['email'])
  if (!address) return 'NO_EMAIL'
  // Some providers send the string "true".
  if (claims['email_verified'] !== true && claims['email_verified'] !== 'true') return 'EMAIL_NOT_VERIFIED'
  if (!domains.some((each) => each.name === address.domain && each.provedAt !== null)) return 'DOMAIN_NOT_PROVED'
  return { sub, email: address.email, name: typeof name === 'string' ? name : '' }
}
