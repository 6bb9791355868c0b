import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Execution } from '../domain/execution/execution'
import type { Order } from '../domain/execution/route'

/** Makes orders that no contract accepts. It needs no key. */
export interface OrderDrafter {
  /** Returns the order as it would be signed, for estimates, even for deposits that do not exist. */
  draft(execution: Execution, deadline: number): Promise<Order>
}

/** Decides whether money may leave an account: by the stored record alone, and never by the caller's word. */
export interface OrderSigner extends OrderDrafter {
  /**
   * @param deadline Seconds since 1970, by the source chain's clock.
   * @throws {RoutingError} SIGNER_REFUSED when the route does not do what the intent says.
   * @throws {WorthUnknown} while the signer's own prices do not show that the order is worth the policy's share.
   */
  sign(execution: Execution, deadline: number): Promise<Order>
}

/** One relayer key on one chain. */
export type RelayerAddress = { id: string; address: Address }

/** The addresses of the relayers, which is all that a process needs that only reads. */
export interface RelayerAddresses {
  /** Returns the relayer of a route, which is the same at every retry. */
  forRoute(chainId: ChainId, routeId: Hash): RelayerAddress
  onChain(chainId: ChainId): RelayerAddress[]
}

/** The relayer keys, which pay gas and send signed orders. */
export interface Relayers extends RelayerAddresses {
  transaction(relayerId: string, nonce: number, order: Order, fee: Fee): Promise<{ hash: Hash; bytes: Hex }>
  /** Signs an empty transfer of the relayer to itself, which fills a nonce whose bytes no node accepts. */
  filler(relayerId: string, nonce: number, fee: Fee): Promise<{ hash: Hash; bytes: Hex }>
}
