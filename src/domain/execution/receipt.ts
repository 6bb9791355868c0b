import type { Hash } from '../chain/hex'

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
