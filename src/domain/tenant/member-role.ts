/** Roles, from most to least powerful. */
export const memberRoles = ['owner', 'admin', 'operator', 'member'] as const

export type MemberRole = (typeof memberRoles)[number]

/** When a member was appointed and by whom: the person who invited, admitted or promoted them, or null if none did. */
export type Appointment = {
  at: number
  by: string | null
  /** After a promotion, who had let the member in. Absent until then. */
  admittedBy?: string | null
  /** Further owners whose changes of the single sign-on let the member in. Absent if none. */
  alsoBy?: readonly string[]
}

type AppointedMember = { role: MemberRole; joinedAt: number; appointed?: Appointment }

/**
 * Most members of an organization, with the open invitations to it. Members share one document with their saved views:
 * 20 views of the longest form take 39 kB of UTF-8, and a document takes 16 MB.
 */
export const membersMax = 250
export const openInvitationsMax = 100

/** Why an organization admits no further person, as a sentence; null if it admits one. */
export function roomObjection(members: number, openInvitations = 0): string | null {
  if (openInvitations >= openInvitationsMax) return `No more than ${openInvitationsMax} open invitations`
  return members + openInvitations < membersMax ? null : `No more than ${membersMax} members and open invitations`
}

/** Whether members of this role decide for others: they invite, promote and approve. */
export const isDeciding = (role: MemberRole): boolean => role === 'owner' || role === 'admin'

/**
 * Returns the appointment of a member. Records of earlier releases have none. Their members count as appointed at
 * joining, by no member.
 */
export const appointmentOf = ({ joinedAt, appointed }: Omit<AppointedMember, 'role'>): Appointment =>
  appointed ?? { at: joinedAt, by: null }

/**
 * Gives a member another role. Only a promotion to a deciding role is a new appointment. It keeps who let the member
 * in: otherwise a promotion by a second member would hide the first.
 */
export function withRole<M extends AppointedMember>(member: M, role: MemberRole, appointment: Appointment): M {
  if (!isDeciding(role) || isDeciding(member.role)) return { ...member, role }
  const { by, admittedBy = by, alsoBy } = appointmentOf(member)
  return { ...member, role, appointed: { ...appointment, admittedBy, ...(alsoBy && { alsoBy }) } }
}

/** Whether a person let the member in, or gave the member the power to decide. */
export const isAppointedBy = ({ by, admittedBy = null, alsoBy = [] }: Appointment, personId: string): boolean =>
  [by, admittedBy, ...alsoBy].includes(personId)

/** Returns a new member. Every way to join uses it, so every member has an appointment. */
export const newMember = (personId: string, role: MemberRole, appointed: Appointment) => ({
  personId,
  role,
  joinedAt: appointed.at,
  appointed,
})
