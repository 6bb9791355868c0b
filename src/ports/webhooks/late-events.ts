import type { Address } from '../../domain/chain/hex'
import type { TenantScope } from '../page'

/**
 * That an event became readable when readers of the list may have been past its place: it is told once more at `at`,
 * under its own id. `organizationId` is null for what happens to all organizations.
 */
export type LateEvent = {
  eventId: string
  organizationId: string | null
  at: number
  /** The version of an intent that it tells; null for what else is rare. */
  intent: { id: Address; version: number } | null
}

export interface LateEvents {
  note(late: readonly LateEvent[]): Promise<void>
  /** Those of an organization, and of all, from one time to before another. */
  between(tenant: TenantScope, from: number, to: number): Promise<LateEvent[]>
}
