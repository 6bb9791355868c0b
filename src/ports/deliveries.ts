import type { Records } from './records'

/** One transfer on a destination chain, named by its place there, and the only execution whose delivery it proves. */
export type DeliveryClaim = { id: string; version: number; executionId: string }

/** Claims of deliveries. The first to claim a transfer has it for good. */
export type Deliveries = Records<DeliveryClaim>
