import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { Sighting } from '../domain/deposit/sighting'
import type { Routed, Unsupported } from '../domain/deposit/unsupported'
import type { Execution } from '../domain/execution/execution'
import type { Records } from './records'
import type { Telemetry } from './telemetry'

/**
 * How far the own scanner has read a chain without a gap. `id` is the chain's key; that of the scan for tokens on no
 * list has `:any` behind it.
 */
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

/** As much of one as tells what of it is routed. */
export type OfLane = Pick<Unsupported, 'account' | 'chainId' | 'token' | 'newest'>

export interface UnsupportedDeposits extends Records<Unsupported> {
  /** What of each is a deposit that is routed by now, in their order. */
  routedOf(records: readonly OfLane[]): Promise<Routed[]>
  /** How many records an account has on a chain; `most` where there are more. */
  countOf(account: Address, chainId: ChainId, most: number): Promise<number>
  /** Those that are wanted and to be measured by then, the longest due first. */
  due(chainId: ChainId, now: number, limit: number): Promise<Unsupported[]>
  /** Those of which it is to be asked by then whether anybody prices them. */
  unjudged(chainId: ChainId, now: number, limit: number): Promise<Unsupported[]>
  /** Those with something at or below a block that was pointed at and is not counted. */
  pointedAt(chainId: ChainId, block: number, limit: number): Promise<Unsupported[]>
}

/** What detection tells of what it finds, each once, by whoever was first. */
export type DepositNews = {
  /** The first sight of a deposit. */
  onSeen?: ((id: string, chainId: ChainId) => void) | undefined
  /** It is confirmed, and the record of its execution is stored. */
  onBegun?: ((execution: Execution) => void) | undefined
  telemetry: Telemetry
}

/** Where money arrived: a pointer. Native coins that contracts send are among it, which leave no log. */
export type AssetTransfer = { hash: Hash; isNative: boolean }

export interface AssetTransfers {
  /** What an address received from a block on, oldest first. */
  to(address: Address, fromBlock: number): AsyncIterable<AssetTransfer[]>
}
