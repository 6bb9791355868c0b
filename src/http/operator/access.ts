import type { Access, Caller } from '../request/caller'
import { Refusal } from '../request/failure'

export const operatorOnly: Access = { roles: ['OPERATOR'] }

/** What an operator does may decide who is paid, and when. So may ending a pause, or putting its end sooner. */
export const operatorVerbs: Access = { ...operatorOnly, needsRecentStep: true }

/** Refuses everybody but the platform's operators, for what concerns every organization (extensions 1.1). */
export function assurePlatform({ tenant }: Pick<Caller, 'tenant'>): void {
  if (tenant !== null) throw new Refusal('INSUFFICIENT_PERMISSIONS')
}
