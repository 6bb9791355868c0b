import type { ChainId } from '../domain/chain'
import type { Address } from '../domain/hex'

/** What a webhook said of one transfer, under the id that the transfer has as a deposit. */
export type InboundWebhook = {
  id: string
  chainId: ChainId
  /** Whom it names as the recipient, in the spelling of accounts. */
  account: Address
  /** When it came: milliseconds since 1970. */
  at: number
  /** JSON, as it was said; null where it was too long to be kept. */
  text: string | null
}

/** To be read by people. Nothing is decided by it, and nothing waits for it. */
export interface InboundWebhooks {
  /**
   * Keeps what is said of our own accounts. Never throws and is not waited for: what cannot be kept is left out. What
   * was said first of a transfer stays.
   */
  note(said: readonly InboundWebhook[]): void
  /** What was said of a transfer to one of the organization's accounts. */
  find(organizationId: string, account: Address, id: string): Promise<InboundWebhook | null>
}
