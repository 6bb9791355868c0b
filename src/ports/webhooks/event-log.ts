import type { MarkedCollection } from '../../domain/event-marks'

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
  /** When it happened. It can be earlier than that of the event before. */
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
  /** @param listener Returns true if no other process needs a signal that its own process sent. */
  hear(listener: () => boolean): void
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
  /** Calls `hear` after each new event of an organization, or of any with null. @returns a function that stops it. */
  subscribe(organizationId: string | null, hear: () => void): () => void
}
