import type { DeliveryStatus, Outcome, WebhookDelivery } from '../../domain/webhook/delivery'
import type { WebhookEndpoint, WebhookFeed } from '../../domain/webhook/endpoint'
import type { Page } from '../page'
import type { Records } from '../records'

export interface WebhookEndpoints extends Records<WebhookEndpoint> {
  /** The endpoints of an organization that are not deleted, newest first. */
  ofOrganization(organizationId: string): Promise<WebhookEndpoint[]>
  /** The endpoints of all organizations that changed at a time or later, those deleted too. */
  changedSince(time: number): Promise<WebhookEndpoint[]>
  /** Those of one organization, in no order. */
  changedSince(time: number, organizationId: string): Promise<WebhookEndpoint[]>
  /** The ids of those that are disabled and not deleted. */
  disabledIds(): Promise<string[]>
  /** The ids of those that have been enabled since before a time and are not deleted. */
  enabledIds(before: number): Promise<string[]>
}

export interface WebhookFeeds extends Records<WebhookFeed> {
  /** Counts the endpoints, of these, whose feed is read up to a time or later. */
  countRead(endpointIds: readonly string[], readTo: number): Promise<number>
}

/** Whose deliveries, and which. */
type DeliveryFilter = {
  organizationId: string
  endpointId: string
  status?: DeliveryStatus | undefined
  eventId?: string | undefined
}

export interface WebhookDeliveries extends Records<WebhookDelivery> {
  /** Newest first. */
  list(filter: DeliveryFilter, page: Page): Promise<WebhookDelivery[]>
  /** Which of these ids are stored. */
  known(ids: readonly string[]): Promise<Set<string>>
  /** The next deliveries of an endpoint by the time at which they are due, which may be later than now. */
  next(endpointId: string, limit: number): Promise<WebhookDelivery[]>
  /**
   * The deliveries that were taken up from one time to before another, oldest first, without samples.
   *
   * @param onlyFailed Only those that failed for good.
   */
  takenUpBetween(
    whose: Pick<DeliveryFilter, 'organizationId' | 'endpointId'>,
    range: { since: number; until: number; onlyFailed: boolean },
    limit: number,
  ): Promise<Pick<WebhookDelivery, 'id' | 'createdAt'>[]>
  /**
   * Deletes what was not delivered to an endpoint that is deleted, and what names endpoints of its organization and was
   * on its way then: that may be after the organization was erased.
   */
  drop(endpointId: string, deletedAt: number): Promise<void>
  /** Counts the deliveries that were due before a time, up to a limit, without those to some endpoints. */
  countDue(before: number, limit: number, withoutEndpoints: readonly string[]): Promise<number>
}

/** Posts a body once. It never throws: what went wrong is in the outcome. */
export type PostWebhook = (url: string, sent: { headers: Record<string, string>; body: string }) => Promise<Outcome>

/** Encrypts secrets for the store. What was encrypted for one purpose cannot be read for another. */
export interface Vault {
  seal(text: string, purpose: string): string
  /** @returns null when no key opens it for this purpose. */
  open(sealed: string, purpose: string): string | null
  /** Random bytes for a new secret. */
  randomBytes(length: number): Uint8Array
}

/**
 * An event as it is posted. The body is only made of those that are new. It is sorted by its `place`, which is its id
 * but where it is told once more at a later place.
 *
 * What took long to store is told at a later place, and so with another id, to whoever reads the feed afterwards. The
 * `fact` is the same then.
 */
export type PostableEvent = {
  id: string
  place: string
  fact: string
  type: string
  at: number
  body: () => string
}

/** The events of an organization, oldest first, from one place of the feed to before another. */
export type EventsBetween = (
  asked: { organizationId: string; types: readonly string[] },
  range: { from: number; to: number; after: string | null; limit: number },
) => Promise<{ events: PostableEvent[]; readTo: number }>
