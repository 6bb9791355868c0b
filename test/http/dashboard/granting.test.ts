import { expect, test } from 'bun:test'
import { type MemberRole, memberRoles } from '../../../src/domain/tenant/member-role'
import { type MembersWorld, membersWorld } from '../../dashboard/sign-in/members-world'
import { testAll } from '../../support/test-all'

const email = 'second@example.test'
type Given = Awaited<ReturnType<MembersWorld['as']>>

/**
 * Every way to grant a role, each after an action of an owner.
 * @returns the response to the person who tries.
 */
const ways: Record<string, (world: MembersWorld, by: MemberRole, role: MemberRole) => Promise<Given>> = {
  'an invitation': (world, by, role) => world.as(by, '/invitations', { body: { email, role } }),
  'an invitation of an owner, sent again': async (world, by, role) => {
    const { id, version } = (await world.as('owner', '/invitations', { body: { email, role } })).json
    return world.as(by, `/invitations/${id}/resend`, { body: { version } })
  },
  'an invitation of an owner, written over': async (world, by, role) => {
    await world.as('owner', '/invitations', { body: { email, role } })
    return world.as(by, '/invitations', { body: { email, role: 'member' } })
  },
  'a change of a member': async (world, by, role) => {
    await world.seat('second', 'org_a', 'member')
    return world.as(by, '/members/second', { method: 'PATCH', body: { role } })
  },
  'a change of one’s own place': (world, by, role) =>
    world.as(by, `/members/${by}`, { method: 'PATCH', body: { role } }),
}
const pairs = Object.keys(ways).flatMap((way) =>
  memberRoles.flatMap((by) => memberRoles.map((role) => [way, by, role] as const)),
)

testAll(pairs)('a member can grant only a role that is no higher than their own', async (way, by, role) => {
  const world = await membersWorld()
  // The last owner cannot be demoted, which is another rule.
  await world.seat('another', 'org_a', 'owner')
  world.people.set('second', { id: 'second', name: 'second', email })
  const { status, json } = await ways[way]!(world, by, role)
  const mayManage = by === 'owner' || by === 'admin'
  const isGiven = mayManage && memberRoles.indexOf(role) >= memberRoles.indexOf(by)
  expect([status < 300, status === 403]).toEqual([isGiven, !isGiven])

  const link = (json as { link?: string } | null)?.link
  if (link) {
    const token = new URL(link).searchParams.get('token')
    expect((await world.as('second', '/invitation', { body: { token, role: 'owner' } })).status).toBe(200)
  }
  const { members } = world.memberships.get('org_a')
  const roleOf = (name: string) => members.find(({ personId }) => personId === name)?.role
  const most = isGiven ? role : 'member'
  if (roleOf('second')) expect(memberRoles.indexOf(roleOf('second')!)).toBeGreaterThanOrEqual(memberRoles.indexOf(most))
  expect(roleOf(by)).toBe(way === 'a change of one’s own place' && isGiven ? role : by)
})

test('an admin can neither withdraw nor answer what only an owner may grant', async () => {
  const world = await membersWorld()
  const { id, version } = (await world.as('owner', '/invitations', { body: { email, role: 'owner' } })).json
  const withdrawn = await world.as('admin', `/invitations/${id}?version=${version}`, { method: 'DELETE' })
  expect(withdrawn.status).toBe(403)
  expect(world.invitations.get(id).withdrawnAt).toBeNull()
})
