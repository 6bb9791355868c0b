import { rewrite } from '../../../domain/concurrency'
import { plainText } from '../../../domain/plain-text'
import { audit } from '../../../domain/tenant/audit'
import type { AuditVerb } from '../../../domain/tenant/audit-verb'
import { newMember } from '../../../domain/tenant/member-role'
import type { Organization } from '../../../domain/tenant/organization'
import { type Asserted, assertedBy, provedAtBy, type Sso, type SsoObjection } from '../../../domain/tenant/sso'
import type { Person, SignedIn } from '../../../ports/identity'
import { audited } from '../audited'
import { isProvedLately } from '../member-session'
import { randomId } from '../new-tenants'
import type { MemberPorts } from '../ports'
import { heldDomains } from './connection'

type Ports = Pick<MemberPorts, 'identity' | 'memberships' | 'domainClaims' | 'auditLog' | 'now'>
type Owner = Organization & { sso: Sso }

/** Why somebody whom the provider has signed in is not let in. */
type Objection = SsoObjection | 'NOT_CONFIRMED' | 'OTHER_ACCOUNT' | 'PASSWORD_FIRST' | 'REMOVED'

/**
 * How the person is told. What follows from the provider's own claims is said; whom else we know is not, since whoever
 * runs a provider could ask it of everybody.
 */
export type NotLetIn = 'refused' | 'password' | 'address' | 'domain'
const toldOf: Partial<Record<Objection, NotLetIn>> = {
  PASSWORD_FIRST: 'password',
  NO_EMAIL: 'address',
  EMAIL_NOT_VERIFIED: 'address',
  DOMAIN_NOT_PROVED: 'domain',
}

const nameMax = 64

/**
 * Lets in whom a provider has signed in, and makes a new one a member. The organization's owner runs the provider and
 * may have it say anything. So the session shows this organization alone, whoever the person is elsewhere; an address
 * counts only at a domain that the organization has proved; and a person who has a password is linked only in a browser
 * where that person is signed in with it, and with the second step, and was so lately. Else whoever registered the
 * address before, with a password of their own, would become a member, and the provider would get past the second step
 * of an owner, as would whoever runs it and has stolen the owner's session.
 *
 * Each step may run twice: whoever was interrupted signs in again.
 *
 * @param signedIn Who is signed in where the answer of the provider came back.
 */
export async function comeIn(
  ports: Ports,
  organization: Owner,
  claims: Record<string, unknown>,
  { address, signedIn }: { address: string; signedIn: SignedIn | null },
): Promise<Response | NotLetIn> {
  const { identity, now } = ports
  const { id: connectionId, role } = organization.sso
  const asserted = assertedBy(claims, await heldDomains(ports, organization))
  const found = typeof asserted === 'string' ? asserted : await personOf(ports, organization, asserted, signedIn)
  if (typeof found === 'string') {
    await refused(ports, organization, { objection: found, address, ...named(asserted) })
    return toldOf[found] ?? 'refused'
  }
  const { person, sub } = found
  if (found.isNew) {
    await audited(
      ports,
      { person, organization },
      { verb: 'member.join', target: person.id, details: { role, by: 'sso' } },
    )
    await rewrite(ports.memberships, organization.id, (membership) => {
      if (!membership || membership.members.some(({ personId }) => personId === person.id)) return null
      // The provider names whom its owner likes, so only the wait after joining bounds what a new admin approves.
      return { ...membership, members: [...membership.members, newMember(person.id, role, { at: now(), by: null })] }
    })
  }
  if (!(await identity.link(connectionId, sub, person.id))) {
    await refused(ports, organization, { objection: 'OTHER_ACCOUNT', address, ...named(asserted) })
    return 'refused'
  }
  const details = { email: person.email, address, by: 'sso' }
  await audited(ports, { person, organization }, { verb: 'person.sign_in', target: person.id, details })
  const at = now()
  return identity.beginVia(person.id, { organizationId: organization.id, connectionId, at }, provedAtBy(claims, at))
}

type Found = { person: Person; sub: string; isNew: boolean }

async function personOf(
  { identity, memberships, now }: Ports,
  { id, sso }: Owner,
  { sub, email, name }: Asserted,
  signedIn: SignedIn | null,
): Promise<Found | Objection> {
  const { members = [], removed = [] } = (await memberships.load(id)) ?? {}
  const isMember = ({ id: personId }: Person) => members.some((each) => each.personId === personId)
  const linked = await identity.linkedWith(sso.id, sub)
  // Whoever was removed comes back by an invitation, and not by signing in again.
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
  return { person, sub, isNew: !isMember(person) }
}

const named = (asserted: Asserted | SsoObjection) => (typeof asserted === 'string' ? {} : { email: asserted.email })

/** Tells the organization whom it did not let in, and why: its owners see whether the provider says what is needed. */
const refused = ({ auditLog, now }: Ports, { id }: Owner, details: object): Promise<void> =>
  audit(auditLog, {
    id: randomId('aud_'),
    at: now(),
    actor: { kind: 'SYSTEM', id: 'sign-in', label: 'Somebody at the sign-in' },
    organizationId: id,
    verb: 'sso.refused' satisfies AuditVerb,
    target: id,
    details,
  })
