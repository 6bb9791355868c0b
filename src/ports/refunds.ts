import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'

/** Money that just arrived. It has no transaction hash if only the balance shows it. */
export type Arrival = {
  /** The deposit's id. */
  id: string
  chainId: ChainId
  account: Address
  token: Address
  amountRaw: bigint
  txHash: Hash | null
}

/** The execution that the money belongs to. `returns` counts how often this money has been refunded so far. */
type RefundOf = { executionId: string; returns: number }

/** Distinguishes a bridge's refund from a new deposit (decision 27). */
export interface Refunds {
  /**
   * Returns the execution that sent this money, and records in it that the arrival continues it. Null if it is not a
   * refund. `UNANSWERED`: a provider that might have refunded it did not respond and must be queried again.
   */
  claim(arrival: Arrival): Promise<RefundOf | 'UNANSWERED' | null>
}
