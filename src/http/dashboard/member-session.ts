import { Elysia } from 'elysia'
import type { MemberRole } from '../../domain/tenant/member-role'
import type { Organization } from '../../domain/tenant/organization'
import type { SignedIn } from '../../ports/identity'
import type { Membership } from '../../ports/members'
import { bodyBytesMax } from '../request/authenticate'
import type { Call } from '../request/caller'
import { Refusal } from '../request/failure'
import { readBody } from '../request/read-body'
import { checkOrigin } from './origin'
import type { MemberPorts } from './ports'

/** Who sits where: a person, and what that person is in the organization that is looked at. */
export type MemberSession = SignedIn & { organization: Organization; membership: Membership; role: MemberRole }

/** Names one of the person's own organizations; anything else is not found. Without it: the first one. */
const organizationHeader = 'x-organization-id'

type Ports = Pick<MemberPorts, 'identity' | 'memberships' | 'organizations' | 'origin'>

async function enterSignedIn({ identity, origin }: Ports, { request }: Call): Promise<SignedIn> {
  checkOrigin(request, origin)
  const signedIn = await identity.signedIn(request.headers)
  if (!signedIn) throw new Refusal('NOT_SIGNED_IN')
  return signedIn
}

/** The membership is read again at every request: a person who was removed is out at once. */
export async function enterMemberSession(ports: Ports, call: Call): Promise<MemberSession> {
  const signedIn = await enterSignedIn(ports, call)
  const memberships = await ports.memberships.ofPerson(signedIn.person.id)
  const named = call.request.headers.get(organizationHeader)
  const membership = named === null ? memberships[0] : memberships.find(({ id }) => id === named)
  if (!membership) throw new Refusal('NOT_FOUND', { message: 'No such organization of yours' })
  const organization = await ports.organizations.load(membership.id)
  if (!organization) throw new Refusal('NOT_FOUND', { message: 'No such organization of yours' })
  const { role } = membership.members.find(({ personId }) => personId === signedIn.person.id)!
  return { ...signedIn, organization, membership, role }
}

type Seated = { seat?: MemberSession; signedIn?: SignedIn }
type Entered = Call & { set: Call['set'] & { seated?: Seated } }

/** A request that brings nothing says all it has to say in its path. */
const bodyOf = async (request: Request): Promise<unknown> => {
  const isEmpty = !request.headers.has('content-type') && !Number(request.headers.get('content-length') ?? 0)
  return request.method === 'DELETE' || isEmpty ? {} : readBody(request, bodyBytesMax)
}

/** Every route after it has a `seat` with one of the roles. Strangers are refused before a byte of the body is read. */
export const memberSession = (ports: MemberPorts, roles: readonly MemberRole[]) => {
  const enter = async (call: Call): Promise<MemberSession> => {
    const seat = await enterMemberSession(ports, call)
    if (!roles.includes(seat.role)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
    return seat
  }
  return new Elysia()
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      call.set.seated = { seat: await enter(call) }
      return bodyOf(request)
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      return { seat: call.set.seated?.seat ?? (await enter(call)) }
    })
}

/** For what a person does before there is an organization. */
export const signedInOnly = (ports: MemberPorts) =>
  new Elysia()
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      call.set.seated = { signedIn: await enterSignedIn(ports, call) }
      return bodyOf(request)
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      const call: Entered = { request, set }
      return { signedIn: call.set.seated?.signedIn ?? (await enterSignedIn(ports, call)) }
    })

export const everybody = ['owner', 'admin', 'operator', 'member'] as const
export const operators = ['owner', 'admin', 'operator'] as const
export const admins = ['owner', 'admin'] as const

/** Whose records the seat shows: the organization's own; null, everybody's, for the platform's operators. */
export const tenantOf = ({ organization, role }: MemberSession): string | null =>
  organization.isPlatform && (operators as readonly string[]).includes(role) ? null : organization.id
