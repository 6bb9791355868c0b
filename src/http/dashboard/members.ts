import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { type } from '../../domain/schema'
import type { AuditVerb } from '../../domain/tenant/audit-verb'
import { type MemberRole, memberRoles, withRole } from '../../domain/tenant/member-role'
import type { Member, Membership, Person } from '../../ports/people'
import type { AuditLog } from '../../ports/tenants'
import { Refusal } from '../request/failure'
import { audited } from './audited'
import { admins, assureRecent, everybody, type MemberSession, memberSession, type SessionPorts } from './member-session'

type Ports = SessionPorts & {
  auditLog: AuditLog
}

export const Role = type.enumerated(...memberRoles)
const RoleRequest = type({ role: Role })

/** Whether a role is not above the member's own. A member can grant, renew or revoke only such roles. */
export const mayGrant = ({ role }: Pick<MemberSession, 'role'>, granted: MemberRole): boolean =>
  memberRoles.indexOf(granted) >= memberRoles.indexOf(role)

export function checkMayGrant(session: Pick<MemberSession, 'role'>, granted: MemberRole): void {
  if (!mayGrant(session, granted)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
}

const memberView = ({ personId, role, joinedAt }: Member, person: Person | undefined, session: MemberSession) => ({
  personId,
  name: person?.name ?? 'Unknown',
  email: person?.email ?? '',
  role,
  joinedAt: new Date(joinedAt).toISOString(),
  isYou: personId === session.person.id,
})
export type MemberView = ReturnType<typeof memberView>

const roleIn = ({ members }: Membership, id: string): MemberRole | undefined =>
  members.find(({ personId }) => personId === id)?.role

function withOwner(members: Member[]): Member[] {
  if (!members.some(({ role }) => role === 'owner')) throw new Refusal('LAST_OWNER')
  return members
}

/** A removed person comes back only by an invitation, even after the account is deleted. */
const withRemoved = (membership: Membership, gone: NonNullable<Membership['removed']>[number]): Membership => ({
  ...membership,
  removed: [...(membership.removed ?? []).filter(({ personId }) => personId !== gone.personId), gone],
})

/** The members of the organization and their roles. */
export const memberRoutes = (ports: Ports) => {
  const { identity, memberships } = ports

  async function changeMember(session: MemberSession, personId: string, verb: AuditVerb, role: MemberRole | null) {
    const member = session.membership.members.find((each) => each.personId === personId)
    if (!member) throw new Refusal('NOT_FOUND', { message: 'No such member' })
    checkMayGrant(session, member.role)
    assureRecent(ports, session)
    if (role) checkMayGrant(session, role)
    const given = { at: ports.now(), by: session.person.id }
    const rewritten = (current: Membership): Membership => {
      const members = current.members.flatMap((each): Member[] => {
        if (each.personId !== personId) return [each]
        return role ? [withRole(each, role, given)] : []
      })
      return { ...current, members: withOwner(members) }
    }
    rewritten(session.membership)
    await audited(ports, session, { verb, target: personId, details: { from: member.role, to: role } })
    const gone = role ? null : { personId, address: await traceOf(personId) }
    const isSeen = (current: Membership) =>
      [session.person.id, personId].every((id) => roleIn(current, id) === roleIn(session.membership, id))
    const change = (current: Membership | null): Membership => {
      if (!current || !isSeen(current)) throw new Refusal('CHANGED_MEANWHILE')
      return gone ? withRemoved(rewritten(current), gone) : rewritten(current)
    }
    // Members change their own settings at any time, which must not keep them from being removed.
    await rewrite(memberships, session.organization.id, change, { first: session.membership })
  }

  async function traceOf(personId: string): Promise<string | null> {
    const [person] = await identity.people([personId])
    return person ? identity.traceOf(person.email) : null
  }

  const readRoutes = new Elysia()
    .use(memberSession(ports, everybody))
    .get('/members', async ({ session }) => {
      const { members } = session.membership
      const people = new Map((await identity.people(members.map(({ personId }) => personId))).map((p) => [p.id, p]))
      return members.map((member) => memberView(member, people.get(member.personId), session))
    })
    .post('/members/leave', async ({ session, set }) => {
      const { membership, person, organization } = session
      const left = (current: Membership) => withOwner(current.members.filter(({ personId }) => personId !== person.id))
      left(membership)
      await audited(ports, session, { verb: 'member.leave', target: person.id })
      const leave = (current: Membership | null) => current && { ...current, members: left(current) }
      await rewrite(memberships, organization.id, leave, { first: membership })
      set.status = 204
    })

  const adminRoutes = new Elysia()
    .use(memberSession(ports, admins))
    .patch(
      '/members/:personId',
      async ({ session, params, body, set }) => {
        await changeMember(session, params.personId, 'member.role', body.role)
        set.status = 204
      },
      { body: RoleRequest },
    )
    .delete('/members/:personId', async ({ session, params, set }) => {
      await changeMember(session, params.personId, 'member.remove', null)
      set.status = 204
    })
  return new Elysia().use(readRoutes).use(adminRoutes)
}
