import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'

/**
 * What a webhook said of one transfer. A token transfer has the id of its deposit. A transfer of native coin has an id
 * of its own, because its deposit is the amount by which the account's balance rose.
 */
export type InboundWebhook = {
  id: string
  chainId: ChainId
  /** The recipient that it names, in the spelling of accounts. */
  account: Address
  /** The zero address stands for the native coin. */
  token: Address
  /** The block that the webhook names, or null. */
  block: number | null
  /** When it arrived, in milliseconds since 1970. */
  at: number
  /** The webhook's JSON; null when it was too long to be kept. */
  text: string | null
}

/** The native coin of an account in the blocks above `after` and up to `to`. */
type CoinBlocks = { account: Address; chainId: ChainId; after: number; to: number }

/** Keeps what webhooks said, for people to read. No step decides by it or waits for it. */
export interface InboundWebhooks {
  /**
   * Keeps what was said of our own accounts. It never throws and is not waited for; what cannot be stored is lost. The
   * first message about a transfer stays.
   */
  note(said: readonly InboundWebhook[]): void
  /** Returns what was said of a transfer to one of the organization's accounts. */
  find(organizationId: string, account: Address, id: string): Promise<InboundWebhook | null>
  /** Returns what was said of native coin for one of the organization's accounts, by block: the oldest `limit`. */
  ofCoin(organizationId: string, blocks: CoinBlocks, limit: number): Promise<InboundWebhook[]>
}
