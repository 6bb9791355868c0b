import type { ChainId } from '../domain/chain/chain'
import type { Hash } from '../domain/chain/hex'
import type { RescanOutcome } from '../domain/deposit/rescan-outcome'

export type Rescanned = { found: RescanOutcome; depositIds: string[] }

/** How far a chain has been read without a gap. `lagSeconds` is null while the node does not know the block. */
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
   * Reads a transaction now and reports only what belongs to the organization, or everything for null. What it brought
   * there of an unlisted token becomes a deposit that is routed.
   *
   * @throws {RoutingError} an RPC_ code when the chain cannot be read.
   */
  rescan(chainId: ChainId, txHash: Hash, organizationId: string | null): Promise<Rescanned>
  /**
   * Does the same for one deposit of stage UNSUPPORTED, by its id. Returns null when the organization has no such
   * deposit.
   */
  rescanUnsupported(id: string, organizationId: string | null): Promise<Rescanned | null>
  /**
   * Returns null before the first scan.
   *
   * @throws {RoutingError} an RPC_ code when the chain cannot be read.
   */
  coverageOf(chainId: ChainId): Promise<Coverage | null>
}
