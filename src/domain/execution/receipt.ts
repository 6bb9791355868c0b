import type { Hash } from '../chain/hex'

/** What a block says of a transaction of ours, whether that block will stay or not. `at`: when it was first seen. */
export type SeenReceipt = { hash: Hash; block: number; succeeded: boolean; at: number }

/** The transaction that the chain has refused, as far as it is known. */
export const revertOf = ({
  facts: { receipt, spent },
}: {
  facts: { receipt?: SeenReceipt | null; spent?: unknown }
}): SeenReceipt | null => (receipt && !receipt.succeeded && !spent ? receipt : null)
