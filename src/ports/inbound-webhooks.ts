import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'

/**
 * What a webhook said of one transfer. That of a token has the id of its deposit; that of a native coin an id of its
 * own, for its deposit is what the account's balance rose by.
 */
export type InboundWebhook = {
  id: string
  chainId: ChainId
  /** Whom it names as the recipient, in the spelling of accounts. */
  account: Address
  /** The zero address is the native coin. */
  token: Address
  /** As the webhook says; null where it does not. */
  block: number | null
  /** When it came: milliseconds since 1970. */
  at: number
  /** JSON, as it was said; null where it was too long to be kept. */
  text: string | null
}

/** After a block, and up to another. */
type CoinBlocks = { account: Address; chainId: ChainId; after: number; to: number }

/** To be read by people. Nothing is decided by it, and nothing waits for it. */
export interface InboundWebhooks {
  /**
   * Keeps what is said of our own accounts. Never throws and is not waited for: what cannot be kept is left out. What
   * was said first of a transfer stays.
   */
  note(said: readonly InboundWebhook[]): void
  /** What was said of a transfer to one of the organization's accounts. */
  find(organizationId: string, account: Address, id: string): Promise<InboundWebhook | null>
  /** What was said of native coins to one of the organization's accounts, by block: the oldest `limit`. */
  ofCoin(organizationId: string, blocks: CoinBlocks, limit: number): Promise<InboundWebhook[]>
}
