import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Execution } from '../domain/execution/execution'
import type { Order } from '../domain/execution/order'

/** Makes orders that are worth nothing on a chain. It needs no key. */
export interface OrderDrafter {
  /** The order as it would be signed, for estimates; of deposits that do not exist too. */
  draft(execution: Execution, deadline: number): Promise<Order>
}

/** Decides whether money may leave an account: by the stored record alone, never by the caller's word. */
export interface OrderSigner extends OrderDrafter {
  /**
   * @param deadline seconds since 1970, by the source chain's clock.
   * @throws {RoutingError} SIGNER_REFUSED when the route does not do what the intent says.
   * @throws {WorthUnknown} while the signer's own prices do not say that the order is worth the policy's share.
   */
  sign(execution: Execution, deadline: number): Promise<Order>
}

/** Who sends, by address: all that whoever only looks has to know. */
export interface RelayerAddresses {
  /** The same key for the same route, at every retry. */
  keyFor(chainId: ChainId, routeId: Hash): { id: string; address: Address }
  keys(chainId: ChainId): { id: string; address: Address }[]
}

/** Relayer keys: they pay gas and send signed orders. */
export interface Relayers extends RelayerAddresses {
  transaction(senderId: string, nonce: number, order: Order, fee: Fee): Promise<{ hash: Hash; bytes: Hex }>
  /** An empty transfer to oneself: fills a nonce whose bytes no node takes. */
  filler(senderId: string, nonce: number, fee: Fee): Promise<{ hash: Hash; bytes: Hex }>
}
