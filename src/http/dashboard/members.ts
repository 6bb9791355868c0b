import { Elysia } from 'elysia'
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

/** The members of the organization and their roles. */
export const memberRoutes = (ports: Ports) => {
  const { identity, memberships } = ports

  async function change(session: MemberSession, personId: string, verb: AuditVerb, role: MemberRole | null) {
    const member = session.membership.members.find((each) => each.personId === personId)
    if (!member) throw new Refusal('NOT_FOUND', { message: 'No such member' })
    checkMayGrant(session, member.role)
    assureRecent(ports, session)
    if (role) checkMayGrant(session, role)
    const given = { at: ports.now(), by: session.person.id }
    const members = session.membership.members.flatMap((each): Member[] => {
      if (each !== member) return [each]
      return role ? [withRole(each, role, given)] : []
    })
    if (!members.some((each) => each.role === 'owner')) throw new Refusal('LAST_OWNER')
    await audited(ports, session, { verb, target: personId, details: { from: member.role, to: role } })
    const membership: Membership = {
      ...session.membership,
      members,
      ...(!role && (await removedWith(session, personId))),
    }
    if (!(await memberships.save(membership))) throw new Refusal('CHANGED_MEANWHILE')
  }

  /** A removed person comes back only by an invitation, even after the account is deleted. */
  async function removedWith({ membership: { removed = [] } }: MemberSession, personId: string) {
    const [person] = await identity.people([personId])
    const address = person ? await identity.traceOf(person.email) : null
    return { removed: [...removed.filter((each) => each.personId !== personId), { personId, address }] }
  }

  const readRoutes = new Elysia()
    .use(memberSession(ports, everybody))
    .get('/members', async ({ session }) => {
      const { members } = session.membership
      const people = new Map((await identity.people(members.map(({ personId }) => personId))).map((p) => [p.id, p]))
      return members.map((member) => memberView(member, people.get(member.personId), session))
    })
    .post('/members/leave', async ({ session, set }) => {
      const members = session.membership.members.filter(({ personId }) => personId !== session.person.id)
      if (!members.some(({ role }) => role === 'owner')) throw new Refusal('LAST_OWNER')
      await audited(ports, session, { verb: 'member.leave', target: session.person.id })
      if (!(await memberships.save({ ...session.membership, members }))) throw new Refusal('CHANGED_MEANWHILE')
      set.status = 204
    })

  const adminRoutes = new Elysia()
    .use(memberSession(ports, admins))
    .patch(
      '/members/:personId',
      async ({ session, params, body, set }) => {
        await change(session, params.personId, 'member.role', body.role)
        set.status = 204
      },
      { body: RoleRequest },
    )
    .delete('/members/:personId', async ({ session, params, set }) => {
      await change(session, params.personId, 'member.remove', null)
      set.status = 204
    })
  return new Elysia().use(readRoutes).use(adminRoutes)
}
