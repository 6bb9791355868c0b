import type { Organization } from './tenant/organization'

/**
 * For how many days after it began an execution in SUCCESS keeps its signed order and the provider's call, and for how
 * many more days the archive keeps them: 0 for none, null for ever.
 */
export type OrdersKept = { days: number; archiveDays: number | null }

/** The least of such days: by then no order can be carried out, no delivery is in doubt, and nothing comes back. */
export const orderDaysLeast = 30

/** How many days each kind of record is kept that nothing but people reads. No record of money is among them. */
export type RetentionDays = {
  inboundWebhooks: number
  orphanedSightings: number
  requestCounts: number
  /** By plan. Organizations of other plans keep all orders in their executions for ever. */
  orders: Partial<Record<Organization['plan'], OrdersKept>>
}

export const retentionDays: RetentionDays = {
  inboundWebhooks: 90,
  orphanedSightings: 90,
  requestCounts: 400,
  orders: {},
}
