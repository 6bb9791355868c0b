import { Elysia } from 'elysia'
import { plainText } from '../../domain/plain-text'
import { type } from '../../domain/schema'
import type { Invitation } from '../../ports/members'
import { Refusal } from '../request/failure'
import { audited } from './audited'
import { takeLetter } from './letter-budget'
import { admins, type MemberSession, memberSession, signedInOnly } from './member-session'
import { checkMayGrant, mayGrant, Role } from './members'
import { invitationDigest, newInvitationLink, randomId } from './new-tenants'
import type { MemberPorts } from './ports'

const openMax = 100
const nameMax = 64

const Email = type(/^[^\s@]{1,64}@[^\s@]{1,190}\.?[^\s@]+$/).describe('an e-mail address')
const InviteRequest = type({ email: Email, role: Role })
const AcceptRequest = type({ token: /^[A-Za-z0-9_-]{43}$/ })

const isOpen = ({ acceptedAt, withdrawnAt, expiresAt }: Invitation, now: number): boolean =>
  acceptedAt === null && withdrawnAt === null && expiresAt > now

const viewOf = (invitation: Invitation, now: number) => {
  const { id, email, role, invitedBy, createdAt, expiresAt } = invitation
  const [created, expires] = [new Date(createdAt).toISOString(), new Date(expiresAt).toISOString()]
  return { id, email, role, invitedBy, createdAt: created, expiresAt: expires, isOpen: isOpen(invitation, now) }
}

/** Invitations: whoever owns the address and has the link may join the organization. */
export const invitationRoutes = (ports: MemberPorts) => {
  const { identity, invitations, memberships, organizations, origin, send, now } = ports

  /** Sends a new link for an invitation. The link before it stops working. */
  async function issue(
    session: MemberSession,
    invitation: Omit<Invitation, 'tokenDigest' | 'expiresAt' | 'invitedBy' | 'invitedById'>,
  ) {
    if (send) await takeLetter(ports, { ...session, to: invitation.email })
    const { link, ...kept } = newInvitationLink(origin, now())
    // Whoever sends an invitation vouches for it.
    const by = { invitedBy: session.person.email, invitedById: session.person.id }
    const saved = await invitations.save({ ...invitation, ...by, ...kept })
    if (!saved) throw new Refusal('CHANGED_MEANWHILE')
    const [name, organization] = [session.person.name, session.organization.name].map((each) =>
      plainText(each, nameMax),
    )
    await send?.({
      to: saved.email,
      subject: `Switchyard: ${name} invites you to ${organization}`,
      text: [
        'Hello,',
        `${name} (${session.person.email}) invites you to ${organization} as ${saved.role}.`,
        `The link works for 7 days: ${link}`,
      ].join('\n\n'),
    })
    // Without a mail server the inviter hands the link over.
    return { ...viewOf(saved, now()), link: send ? null : link }
  }

  async function openOne(session: MemberSession, id: string): Promise<Invitation> {
    const invitation = await invitations.load(id)
    if (invitation?.organizationId !== session.organization.id)
      throw new Refusal('NOT_FOUND', { message: 'No such invitation' })
    if (invitation.acceptedAt !== null || invitation.withdrawnAt !== null) throw new Refusal('INVITATION_OVER')
    checkMayGrant(session, invitation.role)
    return invitation
  }

  const adminRoutes = new Elysia()
    .use(memberSession(ports, admins))
    .get('/invitations', async ({ session }) => {
      const found = await invitations.ofOrganization(session.organization.id)
      const waiting = found.filter(({ acceptedAt, withdrawnAt }) => acceptedAt === null && withdrawnAt === null)
      return waiting.map((each) => viewOf(each, now()))
    })
    .post(
      '/invitations',
      async ({ session, body, set }) => {
        checkMayGrant(session, body.role)
        const email = body.email.toLowerCase()
        const known = await identity.findByEmail(email)
        if (known && session.membership.members.some(({ personId }) => personId === known.id))
          throw new Refusal('ALREADY_MEMBER')
        const earlier = (await invitations.ofOrganization(session.organization.id)).filter((each) =>
          isOpen(each, now()),
        )
        if (earlier.length >= openMax) throw new Refusal('VALIDATION_FAILED', { message: `No more than ${openMax}` })
        const same = earlier.find((each) => each.email === email)
        if (same) checkMayGrant(session, same.role)
        await audited(ports, session, { verb: 'member.invite', target: email, details: { role: body.role } })
        set.status = 201
        if (same) return issue(session, { ...same, role: body.role })
        return issue(session, {
          id: randomId('inv_'),
          version: 0,
          organizationId: session.organization.id,
          email,
          role: body.role,
          createdAt: now(),
          acceptedAt: null,
          withdrawnAt: null,
        })
      },
      { body: InviteRequest },
    )
    .post('/invitations/:id/resend', async ({ session, params }) => {
      const invitation = await openOne(session, params.id)
      await audited(ports, session, { verb: 'member.invite_again', target: invitation.email })
      return issue(session, invitation)
    })
    .delete('/invitations/:id', async ({ session, params, set }) => {
      const invitation = await openOne(session, params.id)
      await audited(ports, session, { verb: 'member.withdraw_invitation', target: invitation.email })
      if (!(await invitations.save({ ...invitation, withdrawnAt: now() }))) throw new Refusal('CHANGED_MEANWHILE')
      set.status = 204
    })

  /** Whether the inviter may still grant the role: the invitation of a removed admin lets nobody in. */
  async function isVouchedFor({ organizationId, invitedBy, invitedById, role }: Invitation): Promise<boolean> {
    // Older invitations name the inviter by address. One from the command line names nobody who is a member.
    const id = invitedById === undefined ? (await identity.findByEmail(invitedBy))?.id : invitedById
    if (!id) return invitedById === null || !invitedBy.includes('@')
    const inviter = (await memberships.load(organizationId))?.members.find(({ personId }) => personId === id)
    return inviter !== undefined && (admins as readonly string[]).includes(inviter.role) && mayGrant(inviter, role)
  }

  async function offered(token: string): Promise<Invitation> {
    const invitation = await invitations.findByToken(invitationDigest(token))
    if (!invitation || !isOpen(invitation, now()) || !(await isVouchedFor(invitation)))
      throw new Refusal('INVITATION_OVER')
    return invitation
  }

  const publicRoutes = new Elysia().get('/invitation', async ({ query }) => {
    const { email, role, organizationId, invitedBy } = await offered(String(query['token'] ?? ''))
    const organization = await organizations.load(organizationId)
    return { email, role, invitedBy, organizationName: organization?.name ?? '', hasAccount: null }
  })

  const acceptRoutes = new Elysia().use(signedInOnly(ports)).post(
    '/invitation',
    async ({ signedIn, body }) => {
      const { person } = signedIn
      const invitation = await offered(body.token)
      const { organizationId, email, role } = invitation
      if (person.email.toLowerCase() !== email)
        throw new Refusal('INSUFFICIENT_PERMISSIONS', { message: `This invitation is for ${email}: sign in as that` })
      const organization = { id: organizationId }
      await audited(ports, { person, organization }, { verb: 'member.join', target: person.id, details: { role } })
      // The invitation is used up first: of two people who use one link at once, only one gets in.
      if (!(await invitations.save({ ...invitation, acceptedAt: now() }))) throw new Refusal('INVITATION_OVER')
      for (;;) {
        const membership = await memberships.load(organizationId)
        if (!membership) throw new Refusal('NOT_FOUND')
        if (membership.members.some(({ personId }) => personId === person.id)) break
        const members = [...membership.members, { personId: person.id, role, joinedAt: now() }]
        if (await memberships.save({ ...membership, members })) break
      }
      return { organizationId }
    },
    { body: AcceptRequest },
  )
  return new Elysia().use(adminRoutes).use(publicRoutes).use(acceptRoutes)
}
