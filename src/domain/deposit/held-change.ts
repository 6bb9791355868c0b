import type { Address } from '../chain/hex'
import { type Claim, isSealed, type Seals, sealedForSaving } from '../seals'
import { type Appointment, isAppointedBy } from '../tenant/member-role'
import { approvalMs } from '../tenant/recipient-hold'
import type { DepositIntent } from './deposit-intent'

/** Fields that decide where money goes. */
export type HeldTarget = Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress' | 'targetAddress' | 'refundAddress'>

/** A pending change of an intent. An intent has one at a time, and `id` is the account's address. */
export type HeldChange = {
  id: Address
  version: number
  organizationId: string
  userId: string
  target: HeldTarget
  /** Version of the intent that the change replaces. It applies to no other version. */
  of: number
  askedBy: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string }
  /**
   * Member who requested the change, or who created the requesting key. This member may not approve it. Null if no
   * member did.
   */
  personId: string | null
  askedAt: number
  /** When the change takes effect automatically; null while a second member must approve it. */
  from: number | null
  /** From `APPLYING` on, the change cannot be withdrawn: the next version of the intent may already be stored. */
  state: 'WAITING' | 'APPLYING' | 'DONE' | 'WITHDRAWN' | 'VOID'
  /** Made by the process that authenticated the requester. A rewritten database therefore cannot redirect money. */
  seal: string | null
}

/** A pending change as requested; later events do not alter it. An intent has one per request time. */
export type RequestedChange = Pick<
  HeldChange,
  'id' | 'organizationId' | 'userId' | 'target' | 'of' | 'askedAt' | 'from'
>

/**
 * Returns the fields that the seal of a pending change covers: all that decide where money goes, when, and who may not
 * approve.
 */
const claimOfHeld = ({ askedBy, target, seal, ...change }: HeldChange): Claim => {
  const { id, organizationId, userId, of, personId, askedAt, from } = change
  const request = { askedByKind: askedBy.kind, askedById: askedBy.id, personId, askedAt }
  return { subject: 'held change', fields: { id, organizationId, userId, ...target, of, ...request, from }, seal }
}

export const sealedChange = (seals: Seals, change: HeldChange): HeldChange => ({
  ...change,
  seal: seals.seal('held change', claimOfHeld(change).fields),
})

const isGood = (seals: Seals, change: HeldChange): boolean => {
  const { fields, seal } = claimOfHeld(change)
  return seals.isGood('held change', fields, seal)
}

/** Whether the change has not ended. */
export const isOpen = ({ state }: HeldChange): boolean => state === 'WAITING' || state === 'APPLYING'

/** Whether the change requests this recipient, token, chain and refund address. */
export const isFor = (change: HeldChange, target: HeldTarget): boolean =>
  (Object.keys(change.target) as (keyof HeldTarget)[]).every((name) => change.target[name] === target[name])

/** Whether an open change applies to the intent's current version. */
export const isAbout = (seals: Seals, change: HeldChange, intent: DepositIntent): boolean =>
  isOpen(change) && change.of === intent.version && isGood(seals, change)

/** Whether the change takes effect now without a member's approval. */
export const isDue = (seals: Seals, change: HeldChange, now: number): boolean =>
  isOpen(change) && change.from !== null && change.from <= now && isGood(seals, change)

type AppointedPerson = { personId: string; appointed: Pick<Appointment, 'at'> }

/**
 * The two people of an approval. `requester` is null if no person requested the change: the requesting key was created
 * outside the dashboard.
 */
type Approval = { approver: AppointedPerson & { appointed: Appointment }; requester: AppointedPerson | null }

/** Why a member's approval does not count. */
export const approvalObjections = {
  NOT_WAITING: 'This change does not wait for an approval',
  OWN: 'Another member must approve this change: you requested it, or created the key that did',
  APPOINTED_BY_ASKER:
    'Another member must approve this change: the person who requested it invited, admitted or promoted you',
  TOO_NEW: 'Another member must approve this change: you became an owner or admin less than 24 hours before it',
  ASKER_TOO_NEW:
    'A longer-standing member must request this change: its requester became an owner or admin less than 24 hours before',
} as const
export type ApprovalObjection = keyof typeof approvalObjections

/**
 * Returns why a member does not count as the second of two, or null. One person with two accounts must not count as
 * two. A member therefore cannot approve a request of the person who let them in or promoted them. Both appointments
 * must be older than the request by 24 hours, the time needed to give up the rule. In that time the other members can
 * notice a new account.
 */
export function objectionToApproval(
  seals: Seals,
  change: HeldChange,
  { approver, requester }: Approval,
): ApprovalObjection | null {
  if (change.state !== 'WAITING' || change.from !== null || !isGood(seals, change)) return 'NOT_WAITING'
  const isNew = ({ appointed }: AppointedPerson) => appointed.at + approvalMs > change.askedAt
  if (change.personId === approver.personId) return 'OWN'
  if (change.personId !== null && isAppointedBy(approver.appointed, change.personId)) return 'APPOINTED_BY_ASKER'
  if (isNew(approver)) return 'TOO_NEW'
  return requester && isNew(requester) ? 'ASKER_TOO_NEW' : null
}

/** Returns the change after a second member's approval: it takes effect now. */
export const approved = (seals: Seals, change: HeldChange, now: number): HeldChange =>
  sealedChange(seals, { ...change, from: now })

/**
 * Returns the intent with a pending change applied. Returns null if the change targets another version, or if a seal is
 * invalid.
 */
export function changedBy(seals: Seals, change: HeldChange, intent: DepositIntent): DepositIntent | null {
  const isMeant = change.of === intent.version && change.organizationId === intent.organizationId
  if (!isMeant || !isGood(seals, change) || !isSealed(seals, intent)) return null
  return sealedForSaving(seals, { ...intent, ...change.target, changedBy: change.askedBy })
}
