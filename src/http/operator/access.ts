import type { Access, Caller } from '../request/caller'
import { Refusal } from '../request/failure'

export const operatorOnly: Access = { roles: ['OPERATOR'] }

/** Refuses everybody but the platform's operators, for what concerns every organization (extensions 1.1). */
export function assurePlatform({ tenant }: Pick<Caller, 'tenant'>): void {
  if (tenant !== null) throw new Refusal('INSUFFICIENT_PERMISSIONS')
}
