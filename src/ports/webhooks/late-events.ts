import type { Address } from '../../domain/chain/hex'
import type { TenantScope } from '../page'

/**
 * An event that became readable after readers of the list might have passed its position. It is listed again at `at`,
 * under its own id. `organizationId` is null for an event of all organizations.
 */
export type LateEvent = {
  eventId: string
  organizationId: string | null
  at: number
  /** The version of an intent that the event reports; null for other rare events. */
  intent: { id: Address; version: number } | null
}

export interface LateEvents {
  note(late: readonly LateEvent[]): Promise<void>
  /** Returns the late events in [from, to) of an organization and of all organizations. */
  between(tenant: TenantScope, from: number, to: number): Promise<LateEvent[]>
}
