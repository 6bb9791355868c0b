/** The roles, in falling order of what they may do. */
export const memberRoles = ['owner', 'admin', 'operator', 'member'] as const

export type MemberRole = (typeof memberRoles)[number]
