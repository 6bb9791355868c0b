import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import type { MemberRole } from '../../domain/tenant/member-role'
import type { Organization } from '../../domain/tenant/organization'
import { isRecent } from '../../domain/tenant/sign-in'
import { ssoSessionMs } from '../../domain/tenant/sso'
import type { Identity, Member, Membership, Memberships, SignedIn } from '../../ports/people'
import type { Organizations } from '../../ports/tenants'
import { bodyBytesMax } from '../request/authenticate'
import type { Call } from '../request/caller'
import { Refusal } from '../request/failure'
import { readBody } from '../request/read-body'
import { checkOrigin } from './origin'

/** What the session of a signed-in member reads. */
export type SessionPorts = {
  identity: Identity
  memberships: Memberships
  organizations: Organizations
  origin: string
  now: () => number
}

/** A signed-in person with the selected organization, and the person's role in it. */
export type MemberSession = SignedIn & { organization: Organization; membership: Membership; role: MemberRole }

/**
 * Selects one of the person's own organizations; any other is not found. The default is the
 * organization that the person joined first.
 */
const organizationHeader = 'x-organization-id'

/** Returns the signed-in person. A session that a provider began ends after a few hours, or with the connection. */
export async function signedInNow(
  { identity, organizations, now }: Pick<SessionPorts, 'identity' | 'organizations' | 'now'>,
  headers: Headers,
): Promise<SignedIn | null> {
  const signedIn = await identity.signedIn(headers)
  if (!signedIn?.via) return signedIn
  const { organizationId, connectionId, at } = signedIn.via
  if (now() - at >= ssoSessionMs) return null
  return (await organizations.load(organizationId))?.sso?.id === connectionId ? signedIn : null
}

async function enterSignedIn(ports: SessionPorts, { request }: Call): Promise<SignedIn> {
  checkOrigin(request, ports.origin)
  const signedIn = await signedInNow(ports, request.headers)
  if (!signedIn) throw new Refusal('NOT_SIGNED_IN')
  return signedIn
}

/** Orders memberships by the time of joining, then by organization id. */
const joinedBy = (personId: string) => {
  const joinedAt = ({ members }: Membership) => members.find((each) => each.personId === personId)!.joinedAt
  return (a: Membership, b: Membership) => joinedAt(a) - joinedAt(b) || (a.id < b.id ? -1 : 1)
}

/**
 * Returns the organizations that a session shows, the earliest membership first. A session that a provider began
 * shows only the provider's own organization.
 */
export const visibleMemberships = async (
  { memberships }: Pick<SessionPorts, 'memberships'>,
  { person, via }: SignedIn,
): Promise<Membership[]> =>
  (await memberships.ofPerson(person.id))
    .filter(({ id }) => via === null || id === via.organizationId)
    .toSorted(joinedBy(person.id))

/** Whether an organization requires a session of its provider, and this session is from elsewhere. */
const isSsoMissing = ({ sso }: Organization, { via }: SignedIn, role: MemberRole): boolean =>
  sso?.isDemanded === true && via === null && role !== 'owner'

function assureDemands(organization: Organization, signedIn: SignedIn, role: MemberRole): void {
  if (isSsoMissing(organization, signedIn, role)) throw new Refusal('SSO_DEMANDED')
  // Owners can sign in without the provider. That way in must not be the weakest one.
  const isDemanded = organization.demandsSecondStep || organization.sso?.isDemanded
  if (isDemanded && !signedIn.person.hasSecondStep) throw new Refusal('SECOND_STEP_DEMANDED')
}

const notMember = 'You are not a member of this organization: choose another one, or ask an owner for an invitation'

/** Reads the membership at every request, so a removed person is out immediately. */
export async function enterMemberSession(ports: SessionPorts, call: Call): Promise<MemberSession> {
  const signedIn = await enterSignedIn(ports, call)
  const memberships = await visibleMemberships(ports, signedIn)
  const named = call.request.headers.get(organizationHeader)
  const membership = named === null ? memberships[0] : memberships.find(({ id }) => id === named)
  if (!membership) throw new Refusal('NOT_FOUND', { message: notMember })
  const organization = await ports.organizations.load(membership.id)
  if (!organization) throw new Refusal('NOT_FOUND', { message: notMember })
  const { role } = membership.members.find(({ personId }) => personId === signedIn.person.id)!
  assureDemands(organization, signedIn, role)
  return { ...signedIn, organization, membership, role }
}

/** Whether a person proved the second step recently, or has none and signed in recently. */
export const isProvedLately = ({ person, secondStepAt, beganAt }: SignedIn, now: number): boolean =>
  isRecent(person.hasSecondStep ? secondStepAt : beganAt, now)

/** Refuses actions that a stolen session must not perform. */
export function assureRecent({ now }: { now: () => number }, signedIn: SignedIn): void {
  if (isProvedLately(signedIn, now())) return
  const { person } = signedIn
  throw new Refusal(person.hasSecondStep ? 'SECOND_STEP_NEEDED' : 'SIGN_IN_NEEDED')
}

/** Changes what the organization stores about the signed-in member alone. */
export async function rewriteOwn(
  { memberships }: Pick<SessionPorts, 'memberships'>,
  { organization, person }: MemberSession,
  change: (member: Member, membership: Membership) => Member,
): Promise<Member> {
  const saved = await rewrite(
    memberships,
    organization.id,
    (current) =>
      current && {
        ...current,
        members: current.members.map((one) => (one.personId === person.id ? change(one, current) : one)),
      },
  )
  const member = saved?.members.find(({ personId }) => personId === person.id)
  if (!member) throw new Refusal('CHANGED_MEANWHILE')
  return member
}

type Identified = { session?: MemberSession; signedIn?: SignedIn }
type Entered = Call & { set: Call['set'] & { identified?: Identified } }

/** The path alone describes a DELETE, or a request without a body. */
const bodyOf = async (request: Request): Promise<unknown> => {
  const isEmpty = !request.headers.has('content-type') && !Number(request.headers.get('content-length') ?? 0)
  return request.method === 'DELETE' || isEmpty ? {} : readBody(request, bodyBytesMax)
}

/** @throws {Refusal} INSUFFICIENT_PERMISSIONS if the session's role is none of these. */
export function assureRole({ role }: Pick<MemberSession, 'role'>, roles: readonly MemberRole[]): void {
  if (!roles.includes(role)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
}

/**
 * Gives every later route a `session` with one of the roles. Other callers are refused before a byte of the body is
 * read.
 */
export const memberSession = (ports: SessionPorts, roles: readonly MemberRole[]) => {
  const enter = async (call: Call): Promise<MemberSession> => {
    const session = await enterMemberSession(ports, call)
    assureRole(session, roles)
    return session
  }
  return new Elysia()
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      call.set.identified = { session: await enter(call) }
      return bodyOf(request)
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      return { session: call.set.identified?.session ?? (await enter(call)) }
    })
}

async function enterUnbound(ports: SessionPorts, call: Call): Promise<SignedIn> {
  const signedIn = await enterSignedIn(ports, call)
  if (signedIn.via) throw new Refusal('SIGNED_IN_BY_SSO')
  return signedIn
}

/** Gives later routes a `signedIn` that needs no organization. A provider's session is refused. */
export const signedInOnly = (ports: SessionPorts) =>
  new Elysia()
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      call.set.identified = { signedIn: await enterUnbound(ports, call) }
      return bodyOf(request)
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      return { signedIn: call.set.identified?.signedIn ?? (await enterUnbound(ports, call)) }
    })

export const everybody = ['owner', 'admin', 'operator', 'member'] as const
export const operators = ['owner', 'admin', 'operator'] as const
export const admins = ['owner', 'admin'] as const

/** Returns the organization whose records a session shows; null for the platform's operators, who see all of them. */
export const tenantOf = ({ organization, role }: MemberSession): string | null =>
  organization.isPlatform && (operators as readonly string[]).includes(role) ? null : organization.id
