/** Roles, from most to least powerful. */
export const memberRoles = ['owner', 'admin', 'operator', 'member'] as const

export type MemberRole = (typeof memberRoles)[number]

/** When a member was appointed and by whom: the person who invited or promoted them, or null if no member did. */
export type Appointment = { at: number; by: string | null }

type AppointedMember = { role: MemberRole; joinedAt: number; appointed?: Appointment }

/** Whether members of this role decide for others: they invite, promote and approve. */
export const isDeciding = (role: MemberRole): boolean => role === 'owner' || role === 'admin'

/**
 * Returns the appointment of a member. Records of earlier releases have none. Their members count as appointed at
 * joining, by no member.
 */
export const appointmentOf = ({ joinedAt, appointed }: Omit<AppointedMember, 'role'>): Appointment =>
  appointed ?? { at: joinedAt, by: null }

/** Gives a member another role. Only a promotion to a deciding role is a new appointment. */
export const withRole = <M extends AppointedMember>(member: M, role: MemberRole, appointment: Appointment): M =>
  isDeciding(role) && !isDeciding(member.role) ? { ...member, role, appointed: appointment } : { ...member, role }

/** Returns a new member. Every way to join uses it, so every member has an appointment. */
export const newMember = (personId: string, role: MemberRole, appointed: Appointment) => ({
  personId,
  role,
  joinedAt: appointed.at,
  appointed,
})
