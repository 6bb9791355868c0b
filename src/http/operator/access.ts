import type { Access, Caller } from '../request/caller'
import { Refusal } from '../request/failure'

export const operatorOnly: Access = { roles: ['OPERATOR'] }

/** Access to operators' actions, which can decide who is paid, and when. Ending or shortening a pause is one. */
export const operatorVerbs: Access = { ...operatorOnly, needsRecentStep: true }

/** Refuses all callers but the platform's operators, for data that concerns every organization (extensions 1.1). */
export function assurePlatform({ tenant }: Pick<Caller, 'tenant'>): void {
  if (tenant !== null) throw new Refusal('INSUFFICIENT_PERMISSIONS')
}
