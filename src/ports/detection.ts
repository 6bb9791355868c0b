import type { ChainId } from '../domain/chain'
import type { Hash } from '../domain/hex'
import type { Sighting } from '../domain/sighting'
import type { Records } from './records'

/** How far the own scanner has read a chain without a gap. `id` is the chain's key. */
export type ScanCursor = {
  id: string
  version: number
  scannedBlock: number
  scannedBlockHash: Hash
  updatedAt: number
}

export type ScanCursors = Records<ScanCursor>

export interface Sightings extends Records<Sighting> {
  /** What is not confirmed yet on a chain, at or below a block. */
  confirming(chainId: ChainId, block: number): Promise<Sighting[]>
}
