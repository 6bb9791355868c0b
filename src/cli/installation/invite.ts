import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { type MemberRole, roomObjection } from '../../domain/tenant/member-role'
import { newInvitationLink, randomId } from '../../http/dashboard/new-tenants'
import { Failure } from '../terminal/failure'
import { appendAudit, cliActor } from './audit'
import { findOrganization } from './find-organization'

type Store = Pick<MongoStore, 'organizations' | 'memberships' | 'invitations' | 'auditLog' | 'time'>
type InvitationOptions = { organization: string; email: string; role: MemberRole; origin: string }

/**
 * Invites a person to an organization, which may have no members yet. The link's user signs up or signs in with that
 * address.
 *
 * @returns the link, which is not stored.
 */
export async function invite(store: Store, { organization: name, email: address, role, origin }: InvitationOptions) {
  const email = address.toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw new Failure('--email must be an e-mail address.')
  const organization = await findOrganization(store, name)
  const { id: organizationId } = organization
  const now = await store.time()
  const { link, ...stored } = newInvitationLink(origin, now)
  const membership = await store.memberships.load(organizationId)
  const waiting = (await store.invitations.ofOrganization(organizationId)).filter(
    ({ acceptedAt, withdrawnAt }) => acceptedAt === null && withdrawnAt === null,
  )
  const earlier = waiting.find((each) => each.email === email)
  const open = waiting.filter((each) => each !== earlier && each.expiresAt > now)
  const objection = roomObjection(membership?.members.length ?? 0, open.length)
  if (objection !== null) throw new Failure(`${objection} of ${organization.slug}.`)
  await appendAudit(store, { organizationId, verb: 'member.invite', target: email, details: { role } })
  if (!membership) await store.memberships.save({ id: organizationId, version: 0, members: [] })
  const fresh = { id: randomId('inv_'), version: 0, organizationId, email }
  const by = { invitedBy: cliActor.label, invitedById: null }
  const unused = { createdAt: now, acceptedAt: null, withdrawnAt: null }
  if (!(await store.invitations.save({ ...fresh, ...unused, ...earlier, ...by, role, ...stored })))
    throw new Failure('The invitation was changed at the same time. Try again.')
  return { link, slug: organization.slug }
}
