import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'

/** Each webhook has a key of its own, so each chain has; more than one while keys are being changed. */
export type SigningKeys = Partial<Record<ChainId, readonly string[]>>

export type NotifyWebhook = {
  id: string
  /** Null where the SDK does not know the network's spelling. */
  chainId: ChainId | null
  url: string
  isActive: boolean
  signingKey: string
  createdAt: number
}

/** Who posts to us what happens at addresses: Alchemy's Notify API, as far as we use it. */
export interface Notify {
  webhooks(): Promise<NotifyWebhook[]>
  addresses(webhookId: string): AsyncIterable<string[]>
  create(chainId: ChainId, url: string, addresses: readonly Address[]): Promise<NotifyWebhook>
  add(webhookId: string, addresses: readonly Address[]): Promise<void>
  activate(webhookId: string): Promise<void>
}
