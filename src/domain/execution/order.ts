import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import type { RouteKind } from './route'

/**
 * What may leave an account. The signature covers the whole intent, the order uses its route once, and it is void after
 * its deadline.
 */
export type Order = {
  /** The EIP-712 hash that was signed. */
  id: Hash
  routeId: Hash
  accountSalt: Hash
  account: Address
  chainId: ChainId
  kind: RouteKind
  token: Address
  amountIn: string
  minSpent: string
  protocolFee: string
  gasFee: string
  collector: Address
  intent: { toChainId: ChainId; tokenOut: Address; recipient: Address; minOut: string }
  target: Address
  spender: Address
  nativeFee: string
  minGas: string
  /** Seconds since 1970, by the chain's own clock. */
  deadline: number
  data: Hex
  signature: Hex
  /** The gas limit of its transaction. */
  gasLimit: string
  /**
   * The id of the relayer key that sends it. It is fixed when the order is signed, so a key that is added later takes
   * over no order.
   */
  sender?: string
}
