import type { MemberView } from '../../../http/dashboard/members'
import { capital } from '../../data/format'

export type MemberRow = MemberView

export const roleOptions = [
  { value: 'owner', label: 'Owner: everything' },
  { value: 'admin', label: 'Admin: keys and members' },
  { value: 'operator', label: 'Operator: retries and pauses' },
  { value: 'member', label: 'Member: read only' },
]

/** Returns the name of a role, without its description. */
export const roleName = (role: string): string => capital(role)
