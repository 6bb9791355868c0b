import { rewrite } from '../../../domain/concurrency'
import { plainText } from '../../../domain/plain-text'
import { audit } from '../../../domain/tenant/audit'
import type { AuditVerb } from '../../../domain/tenant/audit-verb'
import { newMember, roomObjection } from '../../../domain/tenant/member-role'
import type { Organization } from '../../../domain/tenant/organization'
import {
  admissionOf,
  appointmentBy,
  assertedBy,
  type Claims,
  provedAtBy,
  type Sso,
  type SsoObjection,
  type SsoPerson,
} from '../../../domain/tenant/sso'
import type { DomainClaims, Identity, Membership, Memberships, Person, SignedIn } from '../../../ports/people'
import type { AuditLog } from '../../../ports/tenants'
import { audited } from '../audited'
import { isProvedLately } from '../member-session'
import { randomId } from '../new-tenants'
import { provedDomains } from './connection'

type Ports = {
  identity: Identity
  memberships: Memberships
  domainClaims: DomainClaims
  auditLog: AuditLog
  now: () => number
}

type Owner = Organization & { sso: Sso }

/** Why a person whom the provider signed in is not admitted. */
type Objection = SsoObjection | 'NOT_CONFIRMED' | 'OTHER_ACCOUNT' | 'PASSWORD_FIRST' | 'REMOVED' | 'LIMIT_REACHED'

/**
 * The reason that a person sees on the sign-in page. Reasons based on the provider's claims are named. Existing
 * accounts are not revealed: anyone who runs a provider could otherwise test any address.
 */
export type NotAdmitted = 'refused' | 'password' | 'address' | 'unstated' | 'domain' | 'group' | 'full'
const reasonOf: Partial<Record<Objection, NotAdmitted>> = {
  PASSWORD_FIRST: 'password',
  NO_EMAIL: 'address',
  EMAIL_NOT_VERIFIED: 'address',
  VERIFICATION_UNSTATED: 'unstated',
  DOMAIN_NOT_PROVED: 'domain',
  GROUPS_UNSTATED: 'group',
  NOT_IN_GROUP: 'group',
  LIMIT_REACHED: 'full',
}

const nameMax = 64

/**
 * Admits a person whom a provider signed in, and makes a new person a member. The organization's owner controls the
 * provider and can make it claim anything. Three rules limit that:
 *
 * - The session shows this organization only, whatever other organizations the person belongs to.
 * - An address counts only at a domain that the organization has proved.
 * - A person with a password is linked only in a browser where that person is signed in with it, including the second
 *   step, and proved it recently.
 *
 * Without the last rule, a stranger who registered the address first, with their own password, would become a member.
 * The provider would also bypass an owner's second step, as would a person who controls it and has stolen the owner's
 * session.
 *
 * Each step is safe to repeat: an interrupted person signs in again.
 *
 * @param signedIn The person who is signed in in the browser that returned from the provider.
 */
export async function admit(
  ports: Ports,
  organization: Owner,
  claims: Claims,
  { address, signedIn }: { address: string; signedIn: SignedIn | null },
): Promise<Response | NotAdmitted> {
  const { identity, now } = ports
  const { id: connectionId, role } = organization.sso
  const asserted = assertedBy(claims, await provedDomains(ports, organization), admissionOf(organization.sso))
  const outcome = typeof asserted === 'string' ? asserted : await personOf(ports, organization, asserted, signedIn)
  const refuse = async (objection: Objection): Promise<NotAdmitted> => {
    await refused(ports, organization, { objection, address, ...named(asserted) })
    return reasonOf[objection] ?? 'refused'
  }
  if (typeof outcome === 'string') return refuse(outcome)
  const { person, sub } = outcome
  if (outcome.isNew) {
    await audited(
      ports,
      { person, organization },
      { verb: 'member.join', target: person.id, details: { role, by: 'sso' } },
    )
    const appointed = appointmentBy(organization.sso, now())
    const membership = await rewrite(ports.memberships, organization.id, (current) => {
      if (!current || isIn(current, person) || roomObjection(current.members.length) !== null) return null
      return { ...current, members: [...current.members, newMember(person.id, role, appointed)] }
    })
    if (!membership || !isIn(membership, person)) return refuse('LIMIT_REACHED')
  }
  if (!(await identity.link(connectionId, sub, person.id))) return refuse('OTHER_ACCOUNT')
  const details = { email: person.email, address, by: 'sso' }
  await audited(ports, { person, organization }, { verb: 'person.sign_in', target: person.id, details })
  const at = now()
  return identity.beginVia(person.id, { organizationId: organization.id, connectionId, at }, provedAtBy(claims, at))
}

const isIn = ({ members }: Pick<Membership, 'members'>, { id }: Person): boolean =>
  members.some(({ personId }) => personId === id)

type SsoMember = { person: Person; sub: string; isNew: boolean }

async function personOf(
  { identity, memberships, now }: Ports,
  { id, sso }: Owner,
  { sub, email, name }: SsoPerson,
  signedIn: SignedIn | null,
): Promise<SsoMember | Objection> {
  const { members = [], removed = [] } = (await memberships.load(id)) ?? {}
  const isMember = (each: Person) => isIn({ members }, each)
  const linked = await identity.linkedWith(sso.id, sub)
  // A removed person comes back only by an invitation, not by signing in again.
  if (linked) return isMember(linked) ? { person: linked, sub, isNew: false } : 'REMOVED'
  const trace = await identity.traceOf(email)
  if (removed.some(({ address }) => address === trace)) return 'REMOVED'
  const shown = plainText(name, nameMax) || email.split('@')[0]!
  const { person, isConfirmed, isTaken, hasPassword } = await identity.personAt(sso.id, { email, name: shown })
  if (removed.some(({ personId }) => personId === person.id)) return 'REMOVED'
  if (isTaken) return 'OTHER_ACCOUNT'
  if (!isConfirmed && !isMember(person)) return 'NOT_CONFIRMED'
  const isHere = signedIn?.via === null && signedIn.person.id === person.id && isProvedLately(signedIn, now())
  if (hasPassword && !isHere) return 'PASSWORD_FIRST'
  const isNew = !isMember(person)
  return isNew && roomObjection(members.length) !== null ? 'LIMIT_REACHED' : { person, sub, isNew }
}

const named = (asserted: SsoPerson | SsoObjection) => (typeof asserted === 'string' ? {} : { email: asserted.email })

/**
 * Records in the organization's audit log who was not admitted, and why. Its owners can then see whether the provider
 * sends the required claims.
 */
const refused = ({ auditLog, now }: Ports, { id }: Owner, details: object): Promise<void> =>
  audit(auditLog, {
    id: randomId('aud_'),
    at: now(),
    actor: { kind: 'SYSTEM', id: 'sign-in', label: 'Unknown person at sign-in' },
    organizationId: id,
    verb: 'sso.refused' satisfies AuditVerb,
    target: id,
    details,
  })
