import type { Organization } from './tenant/organization'

/**
 * Retention of the signed order and the provider's call of an execution in SUCCESS. `days` count from the execution's
 * start, and `archiveDays` follow in the archive: 0 for none, null for no end.
 */
export type OrderRetention = { days: number; archiveDays: number | null }

/**
 * Lowest allowed `days`. After that time no order can be executed, no delivery is in doubt, and no money comes back.
 */
export const orderDaysLeast = 30

/** Retention in days of each kind of record that only people read. None of them is a record of money. */
export type RetentionDays = {
  inboundWebhooks: number
  orphanedSightings: number
  requestCounts: number
  /** By plan. Organizations of other plans keep all orders in their executions permanently. */
  orders: Partial<Record<Organization['plan'], OrderRetention>>
}

export const retentionDays: RetentionDays = {
  inboundWebhooks: 90,
  orphanedSightings: 90,
  requestCounts: 400,
  orders: {},
}

const dayMs = 24 * 60 * 60_000
/** Events are listed for this long. */
export const eventsListedMs = 7 * dayMs
/**
 * Events older than this are not appended again. The log deletes them two days later, so a younger event that is not in
 * the log was never appended.
 */
export const eventRetentionMs = 8 * dayMs
export const eventsForgottenMs = 10 * dayMs
