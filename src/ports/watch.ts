import type { ChainId } from '../domain/chain/chain'
import type { Hash } from '../domain/chain/hex'
import type { Found } from '../domain/deposit/rescan-outcome'

export type Rescanned = { found: Found; depositIds: string[] }

/** How far a chain is read without a gap. `lagSeconds`: null while the node does not know the block. */
export type Coverage = {
  chainId: ChainId
  scannedBlock: number
  scannedBlockHash: Hash
  headBlock: number
  lagBlocks: number
  lagSeconds: number | null
  updatedAt: number
}

/** What detection can be asked. */
export interface Watch {
  /**
   * Reads a transaction now; tells only what belongs to the organization, of null what belongs to any. What it brought
   * there of a token on no list becomes a deposit that is routed. Throws RPC_ codes.
   */
  rescan(chainId: ChainId, txHash: Hash, organizationId: string | null): Promise<Rescanned>
  /** The same for one deposit of stage UNSUPPORTED, by its id. Null: there is none of the organization's. */
  rescanUnsupported(id: string, organizationId: string | null): Promise<Rescanned | null>
  /** Null before the first scan. Throws RPC_ codes. */
  coverageOf(chainId: ChainId): Promise<Coverage | null>
}
