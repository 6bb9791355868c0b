import type { MarkedCollection } from '../domain/event-marks'
import type { DeliveryStatus, Outcome, WebhookDelivery } from '../domain/webhook/delivery'
import type { WebhookEndpoint, WebhookFeed } from '../domain/webhook/endpoint'
import type { Page, Records } from './records'

/** What names an event in the log. `seq` is 0 for an event without a lifecycle. */
export type EventName = { id: string; dataId: string; seq: number; type: string }

/** An event of the log. It never changes. */
export type LoggedEvent = EventName & {
  /** From 1, without gaps. It never leaves the service, because it counts the events of all organizations. */
  position: number
  /** Null for an event of all organizations. */
  organizationId: string | null
  /** Null for an event without a user. */
  userId: string | null
  /** When it happened. It can be earlier than the time of the previous event. */
  at: number
  /** When the event was appended. Times in the log never decrease. */
  loggedAt: number
  /** The event as one line of JSON, as its organization gets it. */
  text: string
}

/**
 * Whose events are read. Null stands for all organizations, and is for the platform. Events of all organizations are
 * always among them.
 */
export type EventScope = {
  organizationId: string | null
  userId?: string | undefined
  dataId?: string | undefined
}

/** The log of events: appended in one order, and read by position. */
export interface EventLog {
  /** Returns the last event, or null if the log is empty. */
  head(): Promise<LoggedEvent | null>
  /**
   * Appends events at their positions, in order, and stops at the first that is taken.
   *
   * @returns false if a position was taken.
   */
  append(events: readonly LoggedEvent[]): Promise<boolean>
  /** Returns the names of the logged events of these objects, in no particular order. */
  named(dataIds: readonly string[]): Promise<EventName[]>
  /** Returns the events after a position, in order. */
  after(position: number, scope: EventScope, limit: number): Promise<LoggedEvent[]>
  /** Returns the position of an event by its id, or null if the log does not have it. */
  positionOf(id: string): Promise<number | null>
  /** Returns the last position before the first event that was logged at `time` or later. */
  positionBefore(time: number): Promise<number>
}

/** Mark of a record with events that might not be in the log. Each further event replaces `mark` by another one. */
export type EventMark = { collection: MarkedCollection; id: string; dueAt: number; mark: string }

/** A mark that this process has just set, and the record as it was stored with it. */
export type OwnMark = EventMark & { record: object }

export interface EventMarks {
  /** Returns the marks in (after, to], the earliest first. */
  due(collection: MarkedCollection, after: number, to: number, limit: number): Promise<EventMark[]>
  /**
   * Removes marks, or moves them to `next`. A record that was marked again keeps its mark.
   */
  clear(marks: readonly (EventMark & { next: number | null })[]): Promise<void>
}

/** Announces something new to all processes. A lost signal costs half a second. */
export interface Signal {
  send(): void
  /**
   * @param listener Called with whether its own process sent the signal. Returns true if no other process needs such a
   * signal.
   */
  subscribe(listener: (isOwn: boolean) => boolean): void
}

/** Part of the log: the events after a position, and how far reading has come. */
export type EventPage = {
  events: LoggedEvent[]
  /** Every event of the scope up to this position is in this page or before it. */
  to: number
  /** When the event at `to` was logged; 0 if unknown. */
  loggedAt: number
  /** Whether there might be more now. */
  isMore: boolean
}

/** Reads the log, from memory where possible. */
export interface EventReader {
  after(position: number, scope: EventScope, limit: number): Promise<EventPage>
  positionBefore(time: number): Promise<number>
  /** Returns the position of the last event. */
  head(): Promise<number>
  /**
   * Calls `listener` after each new event of an organization, or of any with null.
   *
   * @returns a function that stops it.
   */
  subscribe(organizationId: string | null, listener: () => void): () => void
}

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

/** The number of deliveries with a status that were created in a period. `at` is its beginning. */
export type DeliveryCount = { status: DeliveryStatus; at: number; count: number }

export interface WebhookDeliveries extends Records<WebhookDelivery> {
  /** Returns the deliveries, newest first. */
  list(filter: DeliveryFilter, page: Page): Promise<WebhookDelivery[]>
  /** Counts the newest deliveries of each status, up to a limit, by the period in which they were created. */
  countByPeriod(
    filter: Omit<DeliveryFilter, 'statuses' | 'text' | 'eventId'>,
    limits: { stepMs: number; most: number },
  ): Promise<DeliveryCount[]>
  /** Returns which of these ids are stored. */
  stored(ids: readonly string[]): Promise<Set<string>>
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
