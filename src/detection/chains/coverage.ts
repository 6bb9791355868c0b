import { type ChainId, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Chains } from '../../ports/chain-client'
import type { ScanCursors } from '../../ports/detection'
import type { Coverage } from '../../ports/watch'

/**
 * Returns the block up to which every deposit of a chain is recorded; -1 before the first scan. Any process may ask.
 */
export const scannedTo =
  (cursors: ScanCursors) =>
  async (chainId: ChainId): Promise<number> =>
    (await cursors.load(chainKeyOf(chainId)))?.scannedBlock ?? -1

const lagSeconds = 4

/** How many blocks are read twice, because some nodes know a block before they know its logs. */
export const overlapOf = (chainId: ChainId): number =>
  Math.max(2, Math.ceil(lagSeconds / chainOf(chainId).blockSeconds))

/**
 * Returns the highest block of the balance sweep. A log above it belongs to the scanner, which gives its record the id
 * of its place on the chain. At or below it, every block has been read twice, so money that no record explains belongs
 * to the sweep. No transfer ever belongs to both.
 */
export const sweepFloor = (chainId: ChainId, scannedBlock: number): number => scannedBlock - overlapOf(chainId)

/** Returns how far a chain is read, from the database and the chain's node; null before the first scan. */
export const coverageOn =
  (chains: Chains, cursors: ScanCursors) =>
  async (chainId: ChainId): Promise<Coverage | null> => {
    const cursor = await cursors.load(chainKeyOf(chainId))
    if (!cursor) return null
    const [head, scanned] = await Promise.all([chains[chainId].head(), chains[chainId].blockAt(cursor.scannedBlock)])
    return {
      chainId,
      scannedBlock: cursor.scannedBlock,
      scannedBlockHash: cursor.scannedBlockHash,
      headBlock: head.number,
      lagBlocks: Math.max(0, head.number - cursor.scannedBlock),
      lagSeconds: scanned ? Math.max(0, head.time - scanned.time) : null,
      updatedAt: cursor.updatedAt,
    }
  }
