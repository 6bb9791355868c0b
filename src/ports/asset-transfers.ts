import type { Address, Hash } from '../domain/chain/hex'

/** Where money arrived: a pointer. Native coins that contracts send are among it, which leave no log. */
export type AssetTransfer = { hash: Hash; isNative: boolean }

export interface AssetTransfers {
  /** What an address received from a block on, oldest first. */
  to(address: Address, fromBlock: number): AsyncIterable<AssetTransfer[]>
}
