import type { MongoStore } from '../../adapters/mongo/mongo-store'
import type { MemberRole } from '../../ports/members'
import { Failure } from '../terminal/failure'
import { appendAudit, cliActor } from './audit'
import { findOrganization } from './find-organization'
import { newInvitationLink, randomId } from './tenants'

type Store = Pick<MongoStore, 'organizations' | 'memberships' | 'invitations' | 'auditLog' | 'time'>
export type InvitationOptions = { organization: string; email: string; role: MemberRole; origin: string }

/**
 * A place in an organization that may have nobody yet, so that nobody in it can invite. Whoever opens the link signs up
 * or in with that address.
 *
 * @returns the link, which is kept nowhere.
 */
export async function invite(store: Store, { organization: name, email: given, role, origin }: InvitationOptions) {
  const email = given.toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw new Failure('--email must be an e-mail address.')
  const organization = await findOrganization(store, name)
  const { id: organizationId } = organization
  const now = await store.time()
  const { link, ...kept } = newInvitationLink(origin, now)
  await appendAudit(store, { organizationId, verb: 'member.invite', target: email, details: { role } })
  if (!(await store.memberships.load(organizationId)))
    await store.memberships.save({ id: organizationId, version: 0, members: [] })
  const same = (await store.invitations.ofOrganization(organizationId)).find(
    (each) => each.email === email && each.acceptedAt === null && each.withdrawnAt === null,
  )
  const fresh = { id: randomId('inv_'), version: 0, organizationId, email }
  const by = { invitedBy: cliActor.label, invitedById: null }
  const open = { createdAt: now, acceptedAt: null, withdrawnAt: null }
  if (!(await store.invitations.save({ ...fresh, ...open, ...same, ...by, role, ...kept })))
    throw new Failure('The invitation is being changed by somebody else; try again.')
  return { link, slug: organization.slug }
}
