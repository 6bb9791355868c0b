import { Elysia } from 'elysia'
import { rewrite } from '../../domain/concurrency'
import { plainText } from '../../domain/plain-text'
import { type } from '../../domain/schema'
import { newMember, roomObjection } from '../../domain/tenant/member-role'
import { emailsPerRecipient, type Organization, perPerson, planOf } from '../../domain/tenant/organization'
import type { LimitCounters } from '../../ports/limits'
import type { Identity, Invitation, Invitations, Membership, Person, SendEmail, SignedIn } from '../../ports/people'
import type { AuditLog } from '../../ports/tenants'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { assureSeen, SeenBody, SeenQuery, versionOf } from '../request/seen'
import { audited } from './audited'
import {
  admins,
  assureRecent,
  type MemberSession,
  memberSession,
  type SessionPorts,
  signedInOnly,
} from './member-session'
import { checkMayGrant, mayGrant, Role } from './members'
import { invitationDigest, newInvitationLink, randomId } from './new-tenants'

type Ports = SessionPorts & {
  invitations: Invitations
  send: SendEmail
  limitCounters: LimitCounters
  auditLog: AuditLog
}

const nameMax = 64

const Email = type(/^[^\s@]{1,64}@[^\s@]{1,190}\.?[^\s@]+$/).describe('an e-mail address')
const InviteRequest = type({ email: Email, role: Role })
const AcceptRequest = type({ token: /^[A-Za-z0-9_-]{43}$/ })

const isOpen = ({ acceptedAt, withdrawnAt, expiresAt }: Invitation, now: number): boolean =>
  acceptedAt === null && withdrawnAt === null && expiresAt > now

const viewOf = (invitation: Invitation, now: number) => {
  const { id, email, role, invitedBy, createdAt, expiresAt } = invitation
  const [created, expires] = [new Date(createdAt).toISOString(), new Date(expiresAt).toISOString()]
  const version = versionOf(invitation)
  return {
    id,
    version,
    email,
    role,
    invitedBy,
    createdAt: created,
    expiresAt: expires,
    isOpen: isOpen(invitation, now),
  }
}

export type InvitationView = ReturnType<typeof viewOf>

/** An invitation that was just sent. The link is null if an e-mail carries it. */
export type NewInvitationView = InvitationView & { link: string | null }

/** The invitation as shown before sign-in to a person with the link. */
export type InvitationOfferView = Pick<Invitation, 'email' | 'role' | 'invitedBy'> & {
  organizationName: string
  hasAccount: null
}

export type JoinedView = { organizationId: string }

type Sending = { verb: 'member.invite' | 'member.invite_again'; details?: object }

/** Throws `LIMIT_REACHED` if an organization has no room for one more person. */
function assureRoom(members: number, openInvitations?: number): void {
  const message = roomObjection(members, openInvitations)
  if (message !== null) throw new Refusal('LIMIT_REACHED', { message })
}

/**
 * Sends a new link for an invitation, and the previous link stops working. A refused call does nothing and notes
 * nothing.
 */
async function issue(
  ports: Ports,
  session: MemberSession,
  act: Sending,
  invitation: Omit<Invitation, 'tokenDigest' | 'expiresAt' | 'invitedBy' | 'invitedById'>,
): Promise<NewInvitationView> {
  const { invitations, origin, send, now } = ports
  assureRecent(ports, session)
  const others = (await invitations.ofOrganization(invitation.organizationId)).filter(({ id }) => id !== invitation.id)
  assureRoom(session.membership.members.length, others.filter((each) => isOpen(each, now())).length)
  if (send) await countEmail(ports, { ...session, to: invitation.email })
  await audited(ports, session, { ...act, target: invitation.email })
  const { link, ...stored } = newInvitationLink(origin, now())
  // The latest sender vouches for the invitation.
  const by = { invitedBy: session.person.email, invitedById: session.person.id }
  const saved = await invitations.save({ ...invitation, ...by, ...stored })
  if (!saved) throw new Refusal('CHANGED_MEANWHILE')
  const [name, organization] = [session.person.name, session.organization.name].map((each) => plainText(each, nameMax))
  await send?.({
    to: saved.email,
    subject: `Switchyard: ${name} invites you to ${organization}`,
    text: [
      'Hello,',
      `${name} (${session.person.email}) invites you to ${organization} as ${saved.role}.`,
      `The link works for 7 days: ${link}`,
    ].join('\n\n'),
  })
  // Without a mail server, the inviter passes the link on.
  return { ...viewOf(saved, now()), link: send ? null : link }
}

/** Invites an address. If an open invitation exists for it, that one is changed and sent again. */
async function invite(ports: Ports, session: MemberSession, request: typeof InviteRequest.infer) {
  const { identity, invitations, now } = ports
  const { role } = request
  checkMayGrant(session, role)
  const email = request.email.toLowerCase()
  const invitee = await identity.findByEmail(email)
  if (invitee && session.membership.members.some(({ personId }) => personId === invitee.id))
    throw new Refusal('ALREADY_MEMBER')
  const earlier = await invitations.ofOrganization(session.organization.id)
  const same = earlier.find((each) => each.email === email && isOpen(each, now()))
  if (same) checkMayGrant(session, same.role)
  const act = { verb: 'member.invite', details: { role } } as const
  if (same) return issue(ports, session, act, { ...same, role })
  return issue(ports, session, act, {
    id: randomId('inv_'),
    version: 0,
    organizationId: session.organization.id,
    email,
    role,
    createdAt: now(),
    acceptedAt: null,
    withdrawnAt: null,
  })
}

/** Returns the invitation that the member saw, if it is neither accepted nor withdrawn and the member may change it. */
async function waitingOne(
  { invitations }: Ports,
  session: MemberSession,
  id: string,
  version: string,
): Promise<Invitation> {
  const invitation = await invitations.load(id)
  if (invitation?.organizationId !== session.organization.id)
    throw new Refusal('NOT_FOUND', { message: 'No such invitation' })
  if (invitation.acceptedAt !== null || invitation.withdrawnAt !== null) throw new Refusal('INVITATION_OVER')
  assureSeen(invitation, version)
  checkMayGrant(session, invitation.role)
  return invitation
}

const adminRoutes = (ports: Ports) =>
  new Elysia()
    .use(memberSession(ports, admins))
    .get('/invitations', async ({ session }) => {
      const invitations = await ports.invitations.ofOrganization(session.organization.id)
      const waiting = invitations.filter(({ acceptedAt, withdrawnAt }) => acceptedAt === null && withdrawnAt === null)
      return waiting.map((each) => viewOf(each, ports.now()))
    })
    .post(
      '/invitations',
      async ({ session, body, set }) => {
        const invited = await invite(ports, session, body)
        set.status = 201
        return invited
      },
      { body: InviteRequest },
    )
    .post(
      '/invitations/:id/resend',
      async ({ session, params, body }) => {
        const invitation = await waitingOne(ports, session, params.id, body.version)
        return issue(ports, session, { verb: 'member.invite_again' }, invitation)
      },
      { body: SeenBody },
    )
    .delete('/invitations/:id', async ({ session, params, request, set }) => {
      const { version } = readQuery(request, SeenQuery, true)
      const invitation = await waitingOne(ports, session, params.id, version)
      await audited(ports, session, { verb: 'member.withdraw_invitation', target: invitation.email })
      const withdrawn = { ...invitation, withdrawnAt: ports.now() }
      if (!(await ports.invitations.save(withdrawn))) throw new Refusal('CHANGED_MEANWHILE')
      set.status = 204
    })

/**
 * Returns the id of the inviter. Older invitations name the inviter by address. An invitation from the command line
 * names no member.
 */
const inviterOf = async (
  identity: Pick<Identity, 'findByEmail'>,
  { invitedBy, invitedById }: Invitation,
): Promise<string | null> =>
  invitedById === undefined ? ((await identity.findByEmail(invitedBy))?.id ?? null) : invitedById

/** Whether the inviter may still grant the role. The invitation of a removed admin admits no one. */
async function isVouchedFor({ identity, memberships }: Ports, invitation: Invitation): Promise<boolean> {
  const { organizationId, invitedBy, invitedById, role } = invitation
  const id = await inviterOf(identity, invitation)
  if (!id) return invitedById === null || !invitedBy.includes('@')
  const inviter = (await memberships.load(organizationId))?.members.find(({ personId }) => personId === id)
  return inviter !== undefined && (admins as readonly string[]).includes(inviter.role) && mayGrant(inviter, role)
}

/** Returns the invitation that a link offers. */
async function offered(ports: Ports, token: string): Promise<Invitation> {
  const invitation = await ports.invitations.findByToken(invitationDigest(token))
  if (!invitation || !isOpen(invitation, ports.now()) || !(await isVouchedFor(ports, invitation)))
    throw new Refusal('INVITATION_OVER')
  return invitation
}

/** Makes the signed-in person a member, by the token of an invitation to that person's address. */
async function accept(ports: Ports, { person }: SignedIn, token: string): Promise<JoinedView> {
  const { invitations, memberships, now } = ports
  const invitation = await offered(ports, token)
  const { organizationId, email, role } = invitation
  if (person.email.toLowerCase() !== email)
    throw new Refusal('INSUFFICIENT_PERMISSIONS', {
      message: `This invitation is for ${email}: sign in with that address`,
    })
  const organization = { id: organizationId }
  const isMember = ({ members }: Membership) => members.some(({ personId }) => personId === person.id)
  const before = await memberships.load(organizationId)
  // Refused before the invitation is used up, which then works after another member has left.
  if (before && !isMember(before)) assureRoom(before.members.length)
  await audited(ports, { person, organization }, { verb: 'member.join', target: person.id, details: { role } })
  // The invitation is used up first: if two people use one link at the same moment, only one gets in.
  if (!(await invitations.save({ ...invitation, acceptedAt: now() }))) throw new Refusal('INVITATION_OVER')
  const trace = await ports.identity.traceOf(person.email)
  const inviterId = await inviterOf(ports.identity, invitation)
  await rewrite(memberships, organizationId, (membership) => {
    if (!membership) throw new Refusal('NOT_FOUND')
    if (isMember(membership)) return null
    assureRoom(membership.members.length)
    const removed = membership.removed?.filter((each) => each.personId !== person.id && each.address !== trace)
    return {
      ...membership,
      ...(removed && { removed }),
      members: [...membership.members, newMember(person.id, role, { at: now(), by: inviterId })],
    }
  }).catch(async (error) => {
    // Another person took the last place at the same moment. A used invitation stays used, so its link gets a new one.
    const isFull = error instanceof Refusal && error.code === 'LIMIT_REACHED'
    if (isFull) await invitations.save({ ...invitation, id: randomId('inv_'), version: 0 })
    throw error
  })
  return { organizationId }
}

/** Serves the page of the link, even without sign-in. */
const offerRoute = (ports: Ports) =>
  new Elysia().get('/invitation', async ({ query }): Promise<InvitationOfferView> => {
    const { email, role, organizationId, invitedBy } = await offered(ports, String(query['token'] ?? ''))
    const organization = await ports.organizations.load(organizationId)
    return { email, role, invitedBy, organizationName: organization?.name ?? '', hasAccount: null }
  })

const acceptRoute = (ports: Ports) =>
  new Elysia()
    .use(signedInOnly(ports))
    .post('/invitation', ({ signedIn, body }) => accept(ports, signedIn, body.token), { body: AcceptRequest })

/** Invitations: a person who owns the address and has the link may join the organization. */
export const invitationRoutes = (ports: Ports) =>
  new Elysia().use(adminRoutes(ports)).use(offerRoute(ports)).use(acceptRoute(ports))

const dayMs = 86_400_000

type EmailParties = { organization: Organization; person: Person; to: string }

/**
 * Counts an e-mail against the daily limits of the organization, the sender and the recipient. Refuses with 429 if one
 * of them is reached.
 */
async function countEmail(
  { limitCounters, now }: { limitCounters: LimitCounters; now: () => number },
  { organization, person, to }: EmailParties,
): Promise<void> {
  const at = now()
  const day = Math.floor(at / dayMs)
  const reader = Bun.SHA256.hash(to.toLowerCase(), 'hex')
  const { ofOrganization, ofAll } = emailsPerRecipient
  const limits: [counter: string, most: number, message: string][] = [
    [`of:${organization.id}:to:${reader}`, ofOrganization, 'This address has received its limit of invitations today'],
    [`to:${reader}`, ofAll, 'This address has received its limit of invitations today'],
    [`by:${person.id}`, perPerson.lettersPerDay, 'You have reached your daily limit of invitations'],
    [`of:${organization.id}`, planOf(organization).lettersPerDay, 'The organization’s plan has no e-mails left today'],
  ]
  for (const [n, [counter, most, message]] of limits.entries()) {
    if (await limitCounters.take(`letters:${counter}:${day}`, most, (day + 2) * dayMs)) continue
    await Promise.all(limits.slice(0, n).map(([spent]) => limitCounters.giveBack(`letters:${spent}:${day}`)))
    const seconds = Math.max(Math.ceil(((day + 1) * dayMs - at) / 1_000), 1)
    const headers = { 'retry-after': String(seconds) }
    throw new Refusal('RATE_LIMITED', { message: `${message}: try again tomorrow (UTC)`, headers })
  }
}
