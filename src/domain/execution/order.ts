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

/**
 * What a block shows of one of our transactions, whether or not that block is confirmed. `at` is when we first saw it,
 * in milliseconds since 1970.
 */
export type SeenReceipt = { hash: Hash; block: number; succeeded: boolean; at: number }

/** Returns the receipt of the transaction that the chain reverted, as far as it is known; null when there is none. */
export const revertOf = ({
  facts: { receipt, spent },
}: {
  facts: { receipt?: SeenReceipt | null; spent?: unknown }
}): SeenReceipt | null => (receipt && !receipt.succeeded && !spent ? receipt : null)
