import { Elysia } from 'elysia'
import { chainKeyOf } from '../../domain/chain/chain'
import { rewrite } from '../../domain/concurrency'
import {
  type ApprovalObjection,
  approvalObjections,
  approved,
  type HeldChange,
  objectionToApproval,
} from '../../domain/deposit/held-change'
import { type as schema } from '../../domain/schema'
import type { Seals } from '../../domain/seals'
import { appointmentOf, isDeciding } from '../../domain/tenant/member-role'
import type { Organization } from '../../domain/tenant/organization'
import { holdAt, holdHours, type RecipientHold, withHold } from '../../domain/tenant/recipient-hold'
import { applyHeldChange } from '../../intents/held-changes'
import type { Alone } from '../../intents/leads-back'
import type { Accounts, ApiKeys, AuditLog, DepositIntents, HeldChanges } from '../../ports/tenants'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { assureSeen, SeenBody, SeenQuery, versionOf } from '../request/seen'
import { isoTime } from '../views/scalar'
import { audited } from './audited'
import { admins, assureRecent, everybody, type MemberSession, memberSession, type SessionPorts } from './member-session'

type Ports = SessionPorts & {
  heldChanges: HeldChanges
  seals: Seals
  apiKeys: ApiKeys
  auditLog: AuditLog
  intents: DepositIntents
  accounts: Pick<Accounts, 'load'>
  alone: Alone
}

type ChangeVersion = { id: string; version: string }

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

/**
 * Returns since when the requester of a change has had a deciding role. For a former member, it is the creation of the
 * key that sent the request, or the request itself.
 */
async function requesterSince({ apiKeys }: Ports, { membership }: MemberSession, change: HeldChange) {
  const member = membership.members.find(({ personId }) => personId === change.personId)
  if (member) return appointmentOf(member).at
  const key = change.askedBy.kind === 'API_KEY' ? await apiKeys.load(change.askedBy.id) : null
  return key?.createdAt ?? change.askedAt
}

async function objectionOf(
  ports: Ports,
  session: MemberSession,
  change: HeldChange,
): Promise<ApprovalObjection | null> {
  const { personId } = change
  const own = session.membership.members.find((each) => each.personId === session.person.id)!
  return objectionToApproval(ports.seals, change, {
    approver: { personId: own.personId, appointed: appointmentOf(own) },
    requester: personId === null ? null : { personId, appointed: { at: await requesterSince(ports, session, change) } },
  })
}

const changeView = (ports: Ports, session: MemberSession) => async (change: HeldChange) => {
  const objection = isDeciding(session.role) ? await objectionOf(ports, session, change) : 'NOT_WAITING'
  return {
    id: change.id,
    version: versionOf(change),
    userId: change.userId,
    ...change.target,
    targetChainKey: chainKeyOf(change.target.targetChainId),
    askedBy: change.askedBy.label,
    askedAt: isoTime(change.askedAt),
    from: change.from === null ? null : isoTime(change.from),
    mayApprove: objection === null,
    /** Why an owner or admin cannot approve a change that waits for an approval. */
    objection: objection === null || objection === 'NOT_WAITING' ? null : approvalObjections[objection],
  }
}
export type HeldChangeView = Awaited<ReturnType<ReturnType<typeof changeView>>>

const requestedHold = ({ kind, hours }: typeof HoldRequest.infer): RecipientHold | null => {
  if (kind !== 'DELAY') return kind === 'NONE' ? null : { kind }
  if (hours === undefined) throw new Refusal('VALIDATION_FAILED', { message: 'hours is required' })
  return { kind, hours }
}

async function putHold(ports: Ports, session: MemberSession, request: typeof HoldRequest.infer) {
  const { id, recipientHold } = session.organization
  assureRecent(ports, session)
  const wanted = requestedHold(request)
  const details = { from: holdAt(recipientHold, ports.now()), to: wanted }
  await audited(ports, session, { verb: 'organization.recipient_hold', target: id, details })
  const saved = await rewrite(
    ports.organizations,
    id,
    (current) => current && { ...current, recipientHold: withHold(current.recipientHold, wanted, ports.now()) },
  )
  if (!saved) throw new Refusal('CHANGED_MEANWHILE')
  return holdView(saved, ports.now())
}

/** Returns the change that the person saw, if it belongs to the session's organization and is still pending. */
async function waitingChange(
  ports: Ports,
  session: MemberSession,
  { id, version }: ChangeVersion,
): Promise<HeldChange> {
  const change = await ports.heldChanges.load(id)
  if (change?.organizationId !== session.organization.id || change.state !== 'WAITING')
    throw new Refusal('NOT_FOUND', { message: 'No such change' })
  assureSeen(change, version)
  return change
}

/** While another process stores such an intent, an approved change stays APPLYING, and is applied within seconds. */
function isLater(error: unknown): true {
  if (error instanceof Refusal && error.code === 'CHANGED_MEANWHILE') return true
  throw error
}

async function approve(ports: Ports, session: MemberSession, shown: ChangeVersion): Promise<void> {
  const { id } = shown
  assureRecent(ports, session)
  const change = await waitingChange(ports, session, shown)
  const objection = await objectionOf(ports, session, change)
  if (objection) throw new Refusal('INSUFFICIENT_PERMISSIONS', { message: approvalObjections[objection] })
  const details = { ...change.target, askedBy: change.askedBy.label }
  await audited(ports, session, { verb: 'intent.approve_change', target: id, details })
  const counts = await ports.heldChanges.save({ ...approved(ports.seals, change, ports.now()), state: 'APPLYING' })
  if (!counts || !(await applyHeldChange(ports, counts).catch(isLater))) throw new Refusal('CHANGED_MEANWHILE')
}

async function withdraw(ports: Ports, session: MemberSession, shown: ChangeVersion): Promise<void> {
  const change = await waitingChange(ports, session, shown)
  await audited(ports, session, { verb: 'intent.withdraw_change', target: shown.id, details: { ...change.target } })
  if (!(await ports.heldChanges.save({ ...change, state: 'WITHDRAWN' }))) throw new Refusal('CHANGED_MEANWHILE')
}

/** Serves pending recipient changes: every member sees them, owners and admins decide. */
export const heldChangeRoutes = (ports: Ports) =>
  new Elysia()
    .use(
      new Elysia()
        .use(memberSession(ports, everybody))
        .get('/recipient-hold', ({ session }) => holdView(session.organization, ports.now()))
        .get('/recipient-changes', async ({ session }) =>
          Promise.all((await ports.heldChanges.waiting(session.organization.id)).map(changeView(ports, session))),
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
        .post(
          '/recipient-changes/:id/approve',
          async ({ session, params: { id }, body: { version }, set }) => {
            await approve(ports, session, { id, version })
            set.status = 204
          },
          { body: SeenBody },
        )
        .delete('/recipient-changes/:id', async ({ session, params: { id }, request, set }) => {
          await withdraw(ports, session, { id, ...readQuery(request, SeenQuery, true) })
          set.status = 204
        }),
    )
