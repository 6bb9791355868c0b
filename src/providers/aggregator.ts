import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Offer } from '../domain/execution/route'
import type { BridgeOutcome, RouteRequest, SentTransaction } from '../ports/gate'

/**
 * Finds routes and follows sent money. There is one adapter per provider, and all pass `test/ports/aggregator.test.ts`.
 * Only a gate calls one.
 */
export interface Aggregator<Name extends string = string> {
  readonly name: Name
  /**
   * Returns the best route. Null means that there is none, which counts as a response. Throws PROVIDER_ codes and never
   * retries.
   */
  quote(request: RouteRequest, signal: AbortSignal): Promise<Offer | null>
  /**
   * Fails as `quote` would if the route of a request can no longer be carried out. Absent if only a new quote shows
   * that.
   */
  assureCarried?(request: RouteRequest): Promise<void>
  outcome(sent: SentTransaction, signal: AbortSignal): Promise<BridgeOutcome>
  /** Returns the price of a whole token in USD with 8 decimals; null when it is unknown. */
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}
