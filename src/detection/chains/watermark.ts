import { type ChainId, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { ScanCursors } from '../../ports/detection'

/** Up to where every deposit of a chain is recorded; -1 before the first scan. Any process may ask. */
export const scannedTo =
  (cursors: ScanCursors) =>
  async (chainId: ChainId): Promise<number> =>
    (await cursors.load(chainKeyOf(chainId)))?.scannedBlock ?? -1

const lagSeconds = 4

/** Blocks that are read twice, for nodes that know a block before they know its logs. */
export const overlapOf = (chainId: ChainId): number =>
  Math.max(2, Math.ceil(lagSeconds / chainOf(chainId).blockSeconds))

/**
 * What is above is the scanner's: a log there gets the record that its place on the chain names. What is at or below
 * has been read twice, so money that no record explains is the balance sweep's. No transfer is ever both.
 */
export const sweepFloor = (chainId: ChainId, scannedBlock: number): number => scannedBlock - overlapOf(chainId)
