import type { Outcome } from '../domain/webhook/delivery'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type {
  EventReader,
  PostWebhook,
  Vault,
  WebhookDeliveries,
  WebhookEndpoints,
  WebhookFeeds,
} from '../ports/webhooks'

export type RunPorts = {
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: WebhookFeeds
  webhookDeliveries: WebhookDeliveries
  events: EventReader
  post: PostWebhook
  vault: Pick<Vault, 'open'>
  /** A name that is unique to this process. */
  holder: string
  now: () => number
  /** From 0 to 1. */
  random: () => number
  onAttempt: (outcome: Outcome) => void
  onDisabled: (endpoint: WebhookEndpoint) => void
  onTrouble: (error: unknown) => void
}

type Whose = Pick<WebhookEndpoint, 'id' | 'organizationId'>
/** The permits for attempts that the endpoints of an organization share in this process. */
export type AttemptPermits = {
  /**
   * @param isQuick Whether the endpoint responds quickly, and so needs none of the permits that slow endpoints share.
   */
  take(endpoint: Whose, isQuick: boolean): boolean
  free(endpoint: Whose): void
}
/** Capacity for unstored events of all endpoints in this process. */
export type Capacity = { take(): boolean; free(count: number): void }
