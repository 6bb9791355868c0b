import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { RescanOutcome } from '../domain/deposit/rescan-outcome'
import type { Sighting } from '../domain/deposit/sighting'
import type { RoutedPart, Unsupported } from '../domain/deposit/unsupported'
import type { Execution } from '../domain/execution/execution'
import type { Telemetry } from './observing'
import type { Records } from './records'

/**
 * How far the scanner has read a chain without a gap. `id` is the chain's key; for the scan of unlisted tokens, `:any`
 * is appended to it.
 */
export type ScanCursor = {
  id: string
  version: number
  scannedBlock: number
  scannedBlockHash: Hash
  /** The highest block that the scan had reached when a reorganization set it back. Absent if none ever did. */
  wasAt?: number
  updatedAt: number
}

export type ScanCursors = Records<ScanCursor>

/**
 * The process that watches a chain, and what all processes report to it. `id` is the chain's key. `until`: when the
 * lease ends unless its holder renews it. `wantedBlock`: the highest block known to hold something unconfirmed.
 * `pointedAt` and `missedAt`: when webhooks last started to report deposits, and to miss them.
 */
export type ChainLease = {
  id: string
  version: number
  holder: string | null
  until: number
  wantedBlock: number
  pointedAt: number | null
  missedAt: number | null
}

export type ChainLeases = Records<ChainLease>

export interface Sightings extends Records<Sighting> {
  /** Returns the unconfirmed deposits of a chain, at or below a block. */
  confirming(chainId: ChainId, block: number): Promise<Sighting[]>
}

/** The part of a record that determines which of its transfers are routed. */
export type OfLane = Pick<Unsupported, 'account' | 'chainId' | 'token' | 'newest'>

export interface UnsupportedDeposits extends Records<Unsupported> {
  /** Returns, in the order of the records, the transfers of each that are now routed deposits. */
  routedOf(records: readonly OfLane[]): Promise<RoutedPart[]>
  /** Counts the records of an account on a chain, up to `most`. */
  countOf(account: Address, chainId: ChainId, most: number): Promise<number>
  /** Returns the records that are wanted and due to be measured, the longest overdue first. */
  due(chainId: ChainId, now: number, limit: number): Promise<Unsupported[]>
  /** Returns the records whose token is due for a price check. */
  unjudged(chainId: ChainId, now: number, limit: number): Promise<Unsupported[]>
  /** Returns the records with a transfer that a webhook reported, at or below a block, and that is not counted. */
  pointedAt(chainId: ChainId, block: number, limit: number): Promise<Unsupported[]>
}

/** Events of detection. Each fires once per deposit, in the process that stored the deposit first. */
export type DepositListeners = {
  /** A deposit was seen for the first time. */
  onSeen?: ((id: string, chainId: ChainId) => void) | undefined
  /** The deposit was confirmed, and the record of its execution is stored. */
  onBegun?: ((execution: Execution) => void) | undefined
  telemetry: Telemetry
}

/**
 * A hint to a transaction in which money arrived. It also covers native coin sent by contracts, which leaves no log.
 */
export type AssetTransfer = { hash: Hash; isNative: boolean }

export interface AssetTransfers {
  /** Yields the transfers that an address received from a block on, oldest first. */
  to(address: Address, fromBlock: number): AsyncIterable<AssetTransfer[]>
}

/** `isUntraced`: deposits were found, but coin that contracts pay in the transaction was not searched for. */
export type RescanResult = { found: RescanOutcome; depositIds: string[]; isUntraced?: true }

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
  rescan(chainId: ChainId, txHash: Hash, organizationId: string | null): Promise<RescanResult>
  /**
   * Does the same for one deposit of stage UNSUPPORTED, by its id. Returns null if the organization has no such
   * deposit.
   */
  rescanUnsupported(id: string, organizationId: string | null): Promise<RescanResult | null>
  /**
   * Returns null before the first scan.
   *
   * @throws {RoutingError} An RPC_ code if the chain cannot be read.
   */
  coverageOf(chainId: ChainId): Promise<Coverage | null>
}

/** Money that just arrived. It has no transaction hash if only the balance shows it. */
export type Arrival = {
  /** The deposit's id. */
  id: string
  chainId: ChainId
  account: Address
  token: Address
  amountRaw: bigint
  txHash: Hash | null
}

/** The execution that the money belongs to. `returns` counts how often this money has been refunded so far. */
type RefundOf = { executionId: string; returns: number }

/** Distinguishes a bridge's refund from a new deposit (decision 27). */
export interface Refunds {
  /**
   * Returns the execution that sent this money, and records in it that the arrival continues it. Null if it is not a
   * refund. `UNANSWERED`: a provider that might have refunded it did not respond and must be queried again.
   */
  claim(arrival: Arrival): Promise<RefundOf | 'UNANSWERED' | null>
}

/**
 * A webhook's report of one transfer. A token transfer has the id of its deposit. A transfer of native coin has its own
 * id, because its deposit is the amount by which the account's balance rose.
 */
export type InboundWebhook = {
  id: string
  chainId: ChainId
  /** The recipient that the webhook names, in the spelling of accounts. */
  account: Address
  /** The zero address stands for the native coin. */
  token: Address
  /** The block that the webhook names, or null. */
  block: number | null
  /** Arrival time, in milliseconds since 1970. */
  at: number
  /** The webhook's JSON; null if it was too long to keep. */
  text: string | null
}

/** The native coin of an account in the blocks above `after` and up to `to`. */
type CoinBlocks = { account: Address; chainId: ChainId; after: number; to: number }

/** Keeps the reports of webhooks for people to read. No step depends on it or waits for it. */
export interface InboundWebhooks {
  /**
   * Keeps reports about our own accounts. It never throws, and callers do not wait for it. A report that cannot be
   * stored is lost. The first report of a transfer stays.
   */
  note(said: readonly InboundWebhook[]): void
  /** Returns the report of a transfer to one of the organization's accounts. */
  find(organizationId: string, account: Address, id: string): Promise<InboundWebhook | null>
  /** Returns the reports of native coin for one of the organization's accounts, by block: the oldest `limit`. */
  ofCoin(organizationId: string, blocks: CoinBlocks, limit: number): Promise<InboundWebhook[]>
}

/** The signing keys by chain. Each webhook has its own key, and a chain has several during a key change. */
export type SigningKeys = Partial<Record<ChainId, readonly string[]>>

export type NotifyWebhook = {
  id: string
  /** Null if the SDK does not know the network's spelling. */
  chainId: ChainId | null
  url: string
  isActive: boolean
  signingKey: string
  createdAt: number
}

/** The provider of webhooks: the part of Alchemy's Notify API that we use. */
export interface Notify {
  webhooks(): Promise<NotifyWebhook[]>
  addresses(webhookId: string): AsyncIterable<string[]>
  create(chainId: ChainId, url: string, addresses: readonly Address[]): Promise<NotifyWebhook>
  add(webhookId: string, addresses: readonly Address[]): Promise<void>
  activate(webhookId: string): Promise<void>
}
