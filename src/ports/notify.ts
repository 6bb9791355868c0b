import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'

/** The signing keys by chain. Each webhook has its own, and a chain has several while keys are being changed. */
export type SigningKeys = Partial<Record<ChainId, readonly string[]>>

export type NotifyWebhook = {
  id: string
  /** Null when the SDK does not know the network's spelling. */
  chainId: ChainId | null
  url: string
  isActive: boolean
  signingKey: string
  createdAt: number
}

/** The provider of webhooks: Alchemy's Notify API, as far as we use it. */
export interface Notify {
  webhooks(): Promise<NotifyWebhook[]>
  addresses(webhookId: string): AsyncIterable<string[]>
  create(chainId: ChainId, url: string, addresses: readonly Address[]): Promise<NotifyWebhook>
  add(webhookId: string, addresses: readonly Address[]): Promise<void>
  activate(webhookId: string): Promise<void>
}
