import type { DeliveryStatus, Outcome, WebhookDelivery } from '../../domain/webhook/delivery'
import type { WebhookEndpoint, WebhookFeed } from '../../domain/webhook/endpoint'
import type { Page } from '../page'
import type { Records } from '../records'

export interface WebhookEndpoints extends Records<WebhookEndpoint> {
  /** Returns the endpoints of an organization that are not deleted, newest first. */
  ofOrganization(organizationId: string): Promise<WebhookEndpoint[]>
  /** Returns the endpoints of all organizations changed at or after a time, including deleted ones. */
  changedSince(time: number): Promise<WebhookEndpoint[]>
  /** Returns the ids of the endpoints that are disabled and not deleted. */
  disabledIds(): Promise<string[]>
  /** Returns the ids of the endpoints enabled since before a time and not deleted. */
  enabledIds(before: number): Promise<string[]>
}

export interface WebhookFeeds extends Records<WebhookFeed> {
  /** Counts how many of these endpoints have their feed read up to a time or later. */
  countRead(endpointIds: readonly string[], readTo: number): Promise<number>
}

/** The endpoint whose deliveries are selected, and the conditions. */
export type DeliveryFilter = {
  organizationId: string
  endpointId: string
  statuses?: readonly DeliveryStatus[] | undefined
  types?: readonly string[] | undefined
  eventId?: string | undefined
  /** A text that the event contains. */
  text?: string | undefined
  /** Inclusive. */
  createdFrom?: number | undefined
  /** Exclusive. */
  createdTo?: number | undefined
}

export interface WebhookDeliveries extends Records<WebhookDelivery> {
  /** Returns the deliveries, newest first. */
  list(filter: DeliveryFilter, page: Page): Promise<WebhookDelivery[]>
  /** Counts the deliveries by status, each up to a limit. */
  count(
    filter: Omit<DeliveryFilter, 'statuses' | 'text' | 'eventId'>,
    most: number,
  ): Promise<Record<DeliveryStatus, number>>
  /** Returns which of these ids are stored. */
  known(ids: readonly string[]): Promise<Set<string>>
  /** Returns the next deliveries of an endpoint by due time, which may be in the future. */
  next(endpointId: string, limit: number): Promise<WebhookDelivery[]>
  /**
   * Returns the deliveries created in [since, until), oldest first, without samples.
   *
   * @param statuses Only deliveries with one of these; undefined for all.
   */
  takenUpBetween(
    whose: Pick<DeliveryFilter, 'organizationId' | 'endpointId'>,
    range: { since: number; until: number; statuses?: readonly DeliveryStatus[] | undefined },
    limit: number,
  ): Promise<Pick<WebhookDelivery, 'id' | 'createdAt'>[]>
  /**
   * Deletes the undelivered deliveries of a deleted endpoint. Events that name disabled endpoints and were under way at
   * the deletion are deleted too, because they might be stored after their organization was erased.
   */
  drop(endpointId: string, deletedAt: number): Promise<void>
  /** Counts the deliveries due before a time, up to a limit, except those of some endpoints. */
  countDue(before: number, limit: number, withoutEndpoints: readonly string[]): Promise<number>
}

/** Posts a body once. It never throws: the outcome contains any error. */
export type PostWebhook = (url: string, sent: { headers: Record<string, string>; body: string }) => Promise<Outcome>

/** Encrypts secrets for the store. A secret encrypted for one purpose cannot be decrypted for another. */
export interface Vault {
  seal(text: string, purpose: string): string
  /** @returns null if no key decrypts it for this purpose. */
  open(sealed: string, purpose: string): string | null
  /** Random bytes for a new secret. */
  randomBytes(length: number): Uint8Array
}
