import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'

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
