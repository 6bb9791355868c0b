import type { Address } from '../chain/hex'
import { type Claim, isSealed, type Seals, sealedForSaving } from '../seals'
import type { Appointment } from '../tenant/member-role'
import { approvalMs } from '../tenant/recipient-hold'
import type { DepositIntent } from './deposit-intent'

/** The fields that say where money goes. */
export type HeldTarget = Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress' | 'targetAddress' | 'refundAddress'>

/** A change of an intent that does not count yet. An intent has one at a time, and `id` is the account's address. */
export type HeldChange = {
  id: Address
  version: number
  organizationId: string
  userId: string
  target: HeldTarget
  /** The version of the intent that it is to replace. It replaces no other. */
  of: number
  askedBy: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string }
  /** The member who asked or who created the key that asked, and who may not approve it; null where nobody did. */
  personId: string | null
  askedAt: number
  /** When it takes effect by itself; null for as long as a second member has to approve it. */
  from: number | null
  /** From `APPLYING` on nobody withdraws it: the next version of the intent may be stored already. */
  state: 'WAITING' | 'APPLYING' | 'DONE' | 'WITHDRAWN' | 'VOID'
  /** Made by the process that authenticated whoever asked, so that a rewritten database redirects nothing. */
  seal: string | null
}

/** A held change as it was asked for, which nothing that becomes of it changes. An intent has one of each time. */
export type AskedChange = Pick<HeldChange, 'id' | 'organizationId' | 'userId' | 'target' | 'of' | 'askedAt' | 'from'>

/** What the seal of a held change covers: all that decides where money goes, when, and who may not approve it. */
const claimOfHeld = ({ askedBy, target, seal, ...change }: HeldChange): Claim => {
  const { id, organizationId, userId, of, personId, askedAt, from } = change
  const asked = { askedByKind: askedBy.kind, askedById: askedBy.id, personId, askedAt }
  return { subject: 'held change', fields: { id, organizationId, userId, ...target, of, ...asked, from }, seal }
}

export const sealedHeld = (seals: Seals, change: HeldChange): HeldChange => ({
  ...change,
  seal: seals.seal('held change', claimOfHeld(change).fields),
})

const isGood = (seals: Seals, change: HeldChange): boolean => {
  const { fields, seal } = claimOfHeld(change)
  return seals.isGood('held change', fields, seal)
}

/** Whether it has not ended in any way. */
export const isOpen = ({ state }: HeldChange): boolean => state === 'WAITING' || state === 'APPLYING'

/** Whether it asks for this recipient, token, chain and refund address. */
export const isFor = (change: HeldChange, target: HeldTarget): boolean =>
  (Object.keys(change.target) as (keyof HeldTarget)[]).every((name) => change.target[name] === target[name])

/** Whether a change that has not ended is about the intent as it stands. */
export const isAbout = (seals: Seals, change: HeldChange, intent: DepositIntent): boolean =>
  isOpen(change) && change.of === intent.version && isGood(seals, change)

/** Whether it counts now without anybody's approval. */
export const isDue = (seals: Seals, change: HeldChange, now: number): boolean =>
  isOpen(change) && change.from !== null && change.from <= now && isGood(seals, change)

type Placed = { personId: string; appointed: Pick<Appointment, 'at'> }

/**
 * The two people of an approval. `asker` is null if no person asked: the key that did was made outside of the
 * dashboard.
 */
type Approval = { approver: Placed & { appointed: Appointment }; asker: Placed | null }

/** Why a member's approval does not count. */
export const approvalObjections = {
  NOT_WAITING: 'This change waits for no approval',
  OWN: 'Another member has to approve this change: you asked for it, or made the key that did',
  APPOINTED_BY_ASKER: 'Another member has to approve this change: the person who asked for it invited or promoted you',
  TOO_NEW: 'Another member has to approve this change: you became an owner or admin less than 24 hours before it',
  ASKER_TOO_NEW: 'The person who asked became an owner or admin less than 24 hours before: have an older member ask',
} as const
export type ApprovalObjection = keyof typeof approvalObjections

/**
 * Returns why a member does not count as the second of two, or null. One person with two accounts must not pass for
 * two: an account that they invited or promoted approves nothing that they ask for. Both accounts must be older than
 * the request by as long as it takes to give up the safeguard, in which time the others notice a new one.
 */
export function objectionToApproval(
  seals: Seals,
  change: HeldChange,
  { approver, asker }: Approval,
): ApprovalObjection | null {
  if (change.state !== 'WAITING' || change.from !== null || !isGood(seals, change)) return 'NOT_WAITING'
  const isNew = ({ appointed }: Placed) => appointed.at + approvalMs > change.askedAt
  if (change.personId === approver.personId) return 'OWN'
  if (change.personId !== null && approver.appointed.by === change.personId) return 'APPOINTED_BY_ASKER'
  if (isNew(approver)) return 'TOO_NEW'
  return asker && isNew(asker) ? 'ASKER_TOO_NEW' : null
}

/** The change once a second member has approved it: it counts from now on. */
export const approved = (seals: Seals, change: HeldChange, now: number): HeldChange =>
  sealedHeld(seals, { ...change, from: now })

/**
 * The intent as a held change makes it; null where it is not the intent that the change was asked for, or one that no
 * integrator gave.
 */
export function changedBy(seals: Seals, change: HeldChange, intent: DepositIntent): DepositIntent | null {
  const isMeant = change.of === intent.version && change.organizationId === intent.organizationId
  if (!isMeant || !isGood(seals, change) || !isSealed(seals, intent)) return null
  return sealedForSaving(seals, { ...intent, ...change.target, changedBy: change.askedBy })
}
