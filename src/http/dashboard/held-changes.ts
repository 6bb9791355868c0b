import { Elysia } from 'elysia'
import { chainKeyOf } from '../../domain/chain/chain'
import { rewrite } from '../../domain/concurrency'
import { approved, type HeldChange, mayApprove } from '../../domain/deposit/held-change'
import { type as schema } from '../../domain/schema'
import type { Organization } from '../../domain/tenant/organization'
import { holdAt, holdHours, type RecipientHold, withHold } from '../../domain/tenant/recipient-hold'
import { Refusal } from '../request/failure'
import { applyHeld } from '../routes/apply-held'
import { isoTime } from '../views/scalar'
import { audited } from './audited'
import { admins, assureRecent, everybody, type MemberSession, memberSession } from './member-session'
import type { MemberPorts } from './ports'

const Hours = schema(`${holdHours.least} <= number.integer <= ${holdHours.most}` as '1 <= number.integer <= 168')
const HoldRequest = schema({ kind: "'NONE' | 'DELAY' | 'APPROVAL'", 'hours?': Hours })

const holdView = ({ recipientHold = null }: Organization, now: number) => ({
  hold: holdAt(recipientHold, now),
  next:
    recipientHold?.next && recipientHold.next.from > now
      ? { hold: recipientHold.next.hold, from: isoTime(recipientHold.next.from) }
      : null,
})
export type RecipientHoldView = ReturnType<typeof holdView>

const changeView =
  ({ seals }: MemberPorts, { person, role }: MemberSession) =>
  (change: HeldChange) => ({
    id: change.id,
    userId: change.userId,
    ...change.target,
    targetChainKey: chainKeyOf(change.target.targetChainId),
    askedBy: change.askedBy.label,
    askedAt: isoTime(change.askedAt),
    from: change.from === null ? null : isoTime(change.from),
    mayApprove: role !== 'member' && role !== 'operator' && mayApprove(seals, change, person.id),
  })
export type HeldChangeView = ReturnType<ReturnType<typeof changeView>>

const wished = ({ kind, hours }: typeof HoldRequest.infer): RecipientHold | null => {
  if (kind !== 'DELAY') return kind === 'NONE' ? null : { kind }
  if (hours === undefined) throw new Refusal('VALIDATION_FAILED', { message: 'hours is required' })
  return { kind, hours }
}

async function putHold(ports: MemberPorts, session: MemberSession, wish: typeof HoldRequest.infer) {
  const { id, recipientHold } = session.organization
  assureRecent(ports, session)
  const wanted = wished(wish)
  const details = { from: holdAt(recipientHold, ports.now()), to: wanted }
  await audited(ports, session, { verb: 'organization.recipient_hold', target: id, details })
  const saved = await rewrite(
    ports.organizations,
    id,
    (known) => known && { ...known, recipientHold: withHold(known.recipientHold, wanted, ports.now()) },
  )
  if (!saved) throw new Refusal('CHANGED_MEANWHILE')
  return holdView(saved, ports.now())
}

/** A change of the session's own organization that waits. */
async function waitingChange(ports: MemberPorts, { organization }: MemberSession, id: string): Promise<HeldChange> {
  const change = await ports.heldChanges.load(id)
  if (change?.organizationId !== organization.id || change.state !== 'WAITING')
    throw new Refusal('NOT_FOUND', { message: 'No such change' })
  return change
}

async function approve(ports: MemberPorts, session: MemberSession, id: string): Promise<void> {
  assureRecent(ports, session)
  const change = await waitingChange(ports, session, id)
  if (!mayApprove(ports.seals, change, session.person.id)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
  const details = { ...change.target, askedBy: change.askedBy.label }
  await audited(ports, session, { verb: 'intent.approve_change', target: id, details })
  const counts = await ports.heldChanges.save({ ...approved(ports.seals, change, ports.now()), state: 'APPLYING' })
  if (!counts || !(await applyHeld(ports, counts))) throw new Refusal('CHANGED_MEANWHILE')
}

async function withdraw(ports: MemberPorts, session: MemberSession, id: string): Promise<void> {
  const change = await waitingChange(ports, session, id)
  await audited(ports, session, { verb: 'intent.withdraw_change', target: id, details: { ...change.target } })
  if (!(await ports.heldChanges.save({ ...change, state: 'WITHDRAWN' }))) throw new Refusal('CHANGED_MEANWHILE')
}

/** Changes of recipients that do not count yet: everybody sees them, owners and admins decide. */
export const heldChangeRoutes = (ports: MemberPorts) =>
  new Elysia()
    .use(
      new Elysia()
        .use(memberSession(ports, everybody))
        .get('/recipient-hold', ({ session }) => holdView(session.organization, ports.now()))
        .get('/recipient-changes', async ({ session }) =>
          (await ports.heldChanges.waiting(session.organization.id)).map(changeView(ports, session)),
        ),
    )
    .use(
      new Elysia()
        .use(memberSession(ports, ['owner']))
        .put('/recipient-hold', ({ session, body }) => putHold(ports, session, body), { body: HoldRequest }),
    )
    .use(
      new Elysia()
        .use(memberSession(ports, admins))
        .post('/recipient-changes/:id/approve', async ({ session, params, set }) => {
          await approve(ports, session, params.id)
          set.status = 204
        })
        .delete('/recipient-changes/:id', async ({ session, params, set }) => {
          await withdraw(ports, session, params.id)
          set.status = 204
        }),
    )
