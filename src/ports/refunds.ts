import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'

/** Money that has just arrived. It has no transaction hash when only the balance shows it. */
export type Arrival = {
  /** The deposit's id. */
  id: string
  chainId: ChainId
  account: Address
  token: Address
  amountRaw: bigint
  txHash: Hash | null
}

/** The execution that the money belongs to. `returns` is how often this money has come back so far. */
type RefundOf = { executionId: string; returns: number }

/** Tells money that a bridge sends back from money that somebody pays in (decision 27). */
export interface Refunds {
  /**
   * Returns the execution whose money this is, and stores in it who continues it; null when it is nobody's.
   * `UNANSWERED`: a provider that may have sent it back did not answer and has to be asked again.
   */
  claim(arrival: Arrival): Promise<RefundOf | 'UNANSWERED' | null>
}
