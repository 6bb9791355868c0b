import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'

/** Money that has just arrived; without a hash where only the balance shows it. */
export type Arrival = {
  /** The deposit's id. */
  id: string
  chainId: ChainId
  account: Address
  token: Address
  amountRaw: bigint
  txHash: Hash | null
}

/** `returns`: how often this money has come back by now. */
type RefundOf = { executionId: string; returns: number }

/** Tells what a bridge sends back from what somebody pays in (decision 27). */
export interface Refunds {
  /**
   * The execution whose money this is, which from then on says who continues it; null when it is nobody's.
   * `UNANSWERED`: somebody who may have sent it back did not say, and has to be asked again.
   */
  claim(arrival: Arrival): Promise<RefundOf | 'UNANSWERED' | null>
}
