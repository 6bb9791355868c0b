/** The roles, in falling order of what they may do. */
export const memberRoles = ['owner', 'admin', 'operator', 'member'] as const

export type MemberRole = (typeof memberRoles)[number]

/** When a member got their place and from whom: the person who invited or promoted them, or null if no member did. */
export type Appointment = { at: number; by: string | null }

type Placed = { role: MemberRole; joinedAt: number; appointed?: Appointment }

/** Whether members of this role decide for others: they invite, promote and approve. */
export const isDeciding = (role: MemberRole): boolean => role === 'owner' || role === 'admin'

/**
 * Returns the appointment of a member. Records of earlier releases have none: their members are as old as their
 * membership, and appointed by no one.
 */
export const appointmentOf = ({ joinedAt, appointed }: Omit<Placed, 'role'>): Appointment =>
  appointed ?? { at: joinedAt, by: null }

/** Gives a member another role. A promotion to a deciding role is a new appointment; nothing else is. */
export const withRole = <M extends Placed>(member: M, role: MemberRole, given: Appointment): M =>
  isDeciding(role) && !isDeciding(member.role) ? { ...member, role, appointed: given } : { ...member, role }

/** A member who has just joined. Every way in uses it, so that no member lacks an appointment. */
export const newMember = (personId: string, role: MemberRole, appointed: Appointment) => ({
  personId,
  role,
  joinedAt: appointed.at,
  appointed,
})
