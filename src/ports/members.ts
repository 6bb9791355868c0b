import type { Appointment, MemberRole } from '../domain/tenant/member-role'
import type { NoticeBook, NoticeSettings } from '../domain/tenant/notices'
import type { Records } from './records'

/** `notices` is absent until the member chooses. `appointed` is absent in records of previous releases. */
export type Member = {
  personId: string
  role: MemberRole
  joinedAt: number
  appointed?: Appointment
  notices?: NoticeSettings
}

/**
 * All members of an organization in one document, so one condition decides each change. If two owners leave at the same
 * moment, the second is refused.
 */
export type Membership = {
  /** The organization's id. */
  id: string
  version: number
  members: Member[]
  /** People whom a member removed: an identity provider does not bring them back. The address is a keyed hash. */
  removed?: readonly { personId: string; address: string | null }[]
}

/** The notifications that are due to the members of each organization. */
export type NoticeBooks = Records<NoticeBook>

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
  /** SHA-256 of the link's token, in hex. The link itself is stored nowhere. */
  tokenDigest: string
  invitedBy: string
  /** The person who invited; null for an invitation made on the command line. Absent in older invitations. */
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
