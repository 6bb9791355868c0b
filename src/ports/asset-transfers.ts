import type { Address, Hash } from '../domain/chain/hex'

/**
 * A pointer to a transaction in which money arrived. It also covers native coin sent by contracts, which leaves no log.
 */
export type AssetTransfer = { hash: Hash; isNative: boolean }

export interface AssetTransfers {
  /** Yields what an address received from a block on, oldest first. */
  to(address: Address, fromBlock: number): AsyncIterable<AssetTransfer[]>
}
