import type { MemberRole } from '../domain/tenant/member-role'
import type { Records } from './records'

export type Member = { personId: string; role: MemberRole; joinedAt: number }

/**
 * Everybody of an organization in one document, so that one condition decides each change: of two owners who leave at
 * once, the second is refused.
 */
export type Membership = {
  /** The organization's id. */
  id: string
  version: number
  members: Member[]
}

export interface Memberships extends Records<Membership> {
  ofPerson(personId: string): Promise<Membership[]>
}

export type Invitation = {
  id: string
  version: number
  organizationId: string
  /** Lower case. */
  email: string
  role: MemberRole
  /** SHA-256 of the link's token, hex: the link itself is kept nowhere. */
  tokenDigest: string
  invitedBy: string
  /** The person; null where it was made on the command line. Invitations from before it was noted have none. */
  invitedById?: string | null
  createdAt: number
  expiresAt: number
  acceptedAt: number | null
  withdrawnAt: number | null
}

export interface Invitations extends Records<Invitation> {
  findByToken(tokenDigest: string): Promise<Invitation | null>
  ofOrganization(organizationId: string): Promise<Invitation[]>
}
