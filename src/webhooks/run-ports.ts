import type { Outcome } from '../domain/webhook/delivery'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type {
  EventsBetween,
  PostWebhook,
  Vault,
  WebhookDeliveries,
  WebhookEndpoints,
  WebhookFeeds,
} from '../ports/webhooks/webhooks'

export type RunPorts = {
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: WebhookFeeds
  webhookDeliveries: WebhookDeliveries
  eventsBetween: EventsBetween
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
/** The places for attempts that the endpoints of an organization share in this process. */
export type Seats = {
  /** @param isQuick whether the endpoint answers at once, and so needs none of what the slow ones share. */
  take(endpoint: Whose, isQuick: boolean): boolean
  free(endpoint: Whose): void
}
/** How many events the endpoints of this process may hold that are not stored yet. */
export type Room = { take(): boolean; free(count: number): void }
