/** How many days each kind of record is kept that nothing but people reads. No record of money is among them. */
export type RetentionDays = { inboundWebhooks: number; orphanedSightings: number; requestCounts: number }

export const retentionDays: RetentionDays = { inboundWebhooks: 90, orphanedSightings: 90, requestCounts: 400 }
