import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'

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
