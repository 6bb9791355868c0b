import type { Appointment } from './member-role'

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
  /** Absent in connections that never changed it: `strictAdmission`. */
  admission?: Admission
  /**
   * Owner whose change last let more people in. Appoints the members who sign in for the first time. Absent in
   * connections that an earlier release stored.
   */
  widenedBy?: string
  /** The owners who let more people in before, the last one first, at most twenty. */
  widenedBefore?: readonly string[]
}

/** Whom a connection admits, beyond the rules that no setting changes. */
export type Admission = {
  /**
   * Whether an address of a proved domain counts if the provider states nothing about its verification, as Entra ID
   * does by default. Anyone who can change addresses in the directory then decides who signs in under which address.
   */
  acceptsUnstatedVerification: boolean
  /** Groups at the provider. A person must be in at least one of them, unless the list is empty. */
  groups: readonly string[]
}
const strictAdmission: Admission = { acceptsUnstatedVerification: false, groups: [] }
export const admissionOf = ({ admission }: Pick<Sso, 'admission'>): Admission => admission ?? strictAdmission

/** Whether a change of admission can exclude a person whom the settings before it admitted. */
export const isStricter = (after: Admission, before: Admission): boolean =>
  (before.acceptsUnstatedVerification && !after.acceptsUnstatedVerification) ||
  (after.groups.length > 0 &&
    (before.groups.length === 0 || before.groups.some((group) => !after.groups.includes(group))))

/** Whether a change of a connection can admit a person whom the connection before it refused, or give another role. */
const isWider = (after: Sso, before: Sso | null): boolean =>
  before === null ||
  after.id !== before.id ||
  after.role !== before.role ||
  isStricter(admissionOf(before), admissionOf(after)) ||
  after.domains.some(({ token, provedAt }) => {
    const isProvedBefore = before.domains.some((each) => each.token === token && each.provedAt !== null)
    return provedAt !== null && !isProvedBefore
  })

const widenersMax = 20

/** Returns the connection after an owner's change, with that owner if the change let more people in. */
export function changedSso(before: Sso | null, after: Sso | null, personId: string): Sso | null {
  if (!after || !isWider(after, before)) return after
  const { widenedBy, widenedBefore = [] } = before ?? {}
  const earlier = [...(widenedBy === undefined ? [] : [widenedBy]), ...widenedBefore].filter((id) => id !== personId)
  return { ...after, widenedBy: personId, widenedBefore: [...new Set(earlier)].slice(0, widenersMax) }
}

/** Returns the appointment of a member who signs in for the first time. */
export const appointmentBy = ({ widenedBy, widenedBefore = [] }: Sso, at: number): Appointment => ({
  at,
  by: widenedBy ?? null,
  ...(widenedBefore.length > 0 && { alsoBy: widenedBefore }),
})

/** Organization that holds a domain; the record's id is the domain. Only one organization holds a domain at a time. */
export type DomainClaim = { id: string; version: number; organizationId: string; provedAt: number }

/** Connection that a session began with. The session is limited to that organization. */
export type Via = { organizationId: string; connectionId: string; at: number }

export const ssoDomainsMax = 10
export const ssoGroupsMax = 20
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

/** Returns the TXT record that proves a domain for an organization. Only its name server's administrator can set it. */
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

/** Claims of a provider. Its text is trusted in no form. */
export type Claims = Readonly<Record<string, unknown>>

/** Whether the ID token lacks a claim that a decision needs, so userinfo must be read. */
export const needsUserInfo = (idToken: Claims, { needsGroups }: { needsGroups: boolean }): boolean =>
  idToken['email'] === undefined ||
  idToken['email_verified'] === undefined ||
  (needsGroups && idToken['groups'] === undefined)

/**
 * Returns the claims about a person from the ID token and userinfo. The ID token wins, because it is signed and belongs
 * to this sign-in. Userinfo adds what it leaves out: Entra ID has groups only in the ID token, and Okta can have the
 * address only in userinfo. A stated `false` is never replaced.
 */
export function claimsOf(idToken: Claims, userInfo: Claims): Claims {
  const claims: Record<string, unknown> = { ...idToken }
  for (const name of ['email', 'name', 'groups']) if (claims[name] === undefined) claims[name] = userInfo[name]
  const both = [idToken, userInfo]
  const isStated = both.some((each) => isVerified(each) && isSameAddress(each, claims))
  return { ...claims, email_verified: both.some(isDenied) ? false : isStated ? true : undefined }
}

/** A verification of one address does not verify another. */
const isSameAddress = ({ email: one }: Claims, { email: other }: Claims): boolean =>
  typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase()

// Some providers send the string "true".
const isVerified = ({ email_verified: stated }: Claims): boolean => stated === true || stated === 'true'
/** Whether the provider states anything but that the address is verified. */
const isDenied = (claims: Claims): boolean => claims['email_verified'] !== undefined && !isVerified(claims)

/** Returns the groups that a provider states; null if it states none in a readable form. */
function groupsIn({ groups }: Claims): readonly string[] | null {
  if (typeof groups === 'string') return [groups]
  return Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : null
}

/** Person that a provider claims to have signed in. */
export type SsoPerson = { sub: string; email: string; name: string }
/** Why a person signed in by a provider is refused. */
export type SsoObjection =
  | 'NO_EMAIL'
  | 'EMAIL_NOT_VERIFIED'
  | 'VERIFICATION_UNSTATED'
  | 'DOMAIN_NOT_PROVED'
  | 'NO_SUBJECT'
  | 'GROUPS_UNSTATED'
  | 'NOT_IN_GROUP'

/**
 * Returns the trusted part of a provider's claims. The provider belongs to the organization and can claim anything. An
 * address therefore counts only if the organization proved its domain, and only if the provider verified the address or
 * an owner accepts that it states nothing. A stated `false` is always refused.
 */
export function assertedBy(
  claims: Claims,
  domains: readonly SsoDomain[],
  { acceptsUnstatedVerification, groups }: Admission,
): SsoPerson | SsoObjection {
  const { sub, name } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return 'NO_SUBJECT'
  const address = addressOf(claims['email'])
  if (!address) return 'NO_EMAIL'
  if (isDenied(claims)) return 'EMAIL_NOT_VERIFIED'
  if (!domains.some((each) => each.name === address.domain && each.provedAt !== null)) return 'DOMAIN_NOT_PROVED'
  if (!isVerified(claims) && !acceptsUnstatedVerification) return 'VERIFICATION_UNSTATED'
  if (groups.length > 0) {
    const stated = groupsIn(claims)
    if (stated === null) return 'GROUPS_UNSTATED'
    if (!stated.some((group) => groups.includes(group))) return 'NOT_IN_GROUP'
  }
  return { sub, email: address.email, name: typeof name === 'string' ? name : '' }
}
