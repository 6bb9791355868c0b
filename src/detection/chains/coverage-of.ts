import { type ChainId, chainKeyOf } from '../../domain/chain/chain'
import type { Chains } from '../../ports/chain-client'
import type { ScanCursors } from '../../ports/detection'
import type { Coverage } from '../../ports/watch'

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
