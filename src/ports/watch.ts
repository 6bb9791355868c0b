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

/** Requests to detection. */
export interface Watch {
  /**
   * Reads a transaction now and reports only the organization's transfers, or all for null. An unlisted token that it
   * brought to an account becomes a deposit that is routed.
   *
   * @throws {RoutingError} An RPC_ code if the chain cannot be read.
   */
  rescan(chainId: ChainId, txHash: Hash, organizationId: string | null): Promise<Rescanned>
  /**
   * Does the same for one deposit of stage UNSUPPORTED, by its id. Returns null if the organization has no such
   * deposit.
   */
  rescanUnsupported(id: string, organizationId: string | null): Promise<Rescanned | null>
  /**
   * Returns null before the first scan.
   *
   * @throws {RoutingError} An RPC_ code if the chain cannot be read.
   */
  coverageOf(chainId: ChainId): Promise<Coverage | null>
}
