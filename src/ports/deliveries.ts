import type { Records } from './records'

/** One transfer on a destination chain, named by its place there, and the only execution whose delivery it is. */
export type DeliveryClaim = { id: string; version: number; executionId: string }

/** Who comes first has it, for good. */
export type Deliveries = Records<DeliveryClaim>
