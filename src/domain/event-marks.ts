import { type DepositIntent, isSealedAgain } from './deposit/deposit-intent'
import type { HeldChange } from './deposit/held-change'
import type { Sighting } from './deposit/sighting'
import type { Execution } from './execution/execution'
import { type ApiKey, expiringAt } from './tenant/api-key'
import type { PauseScope } from './tenant/pause-scope'
import type { WebhookEndpoint } from './webhook/endpoint'

/**
 * Returns when the events of a write are due, in milliseconds since 1970, or null if it has none.
 *
 * @param before The replaced version. Null for a new record, and undefined if the writer does not have that version;
 *   the write then counts as having events, because the appender skips those in the log.
 */
type EventsOf<R> = (before: R | null | undefined, after: R) => number | null

type PauseMark = { id: PauseScope; updatedAt: number }

/** Whether a field changed, or might have. */
const isOther = <R>(before: R | null | undefined, after: R, fieldOf: (record: R) => unknown): boolean =>
  !before || fieldOf(before) !== fieldOf(after)

/**
 * The collections whose records have events, and which of their writes mark a record for the log. The mark is part of
 * the conditional write, so an event is stored if and only if its record is. A table, so the store and its fakes agree.
 */
export const eventsOf = {
  executions: (before, after) =>
    isOther(before, after, ({ seq }) => seq) || isOther(before, after, ({ refundOf }) => refundOf)
      ? after.history.at(-1)!.at
      : null,
  sightings: (before, after) => {
    if (after.stage === 'CONFIRMED') return null
    return !before || (after.stage === 'ORPHANED' && before.stage !== 'ORPHANED') ? after.updatedAt : null
  },
  intents: (before, after) => (before && isSealedAgain(before, after) ? null : after.updatedAt),
  heldChanges: (before, after) => (isOther(before, after, ({ askedAt }) => askedAt) ? after.askedAt : null),
  // The appender marks a pause again for its end.
  pauses: (_before, after) => (/^(all$|chain:)/.test(after.id) ? after.updatedAt : null),
  // A fixed time, so only a new key needs the mark. A key that ends earlier has no event.
  apiKeys: (before, after) => (before ? null : expiringAt(after)),
  webhookEndpoints: (before, after) => {
    const last = after.disablings?.at(-1)
    return last && last.at !== before?.disablings?.at(-1)?.at ? last.at : null
  },
} as const satisfies {
  executions: EventsOf<Execution>
  sightings: EventsOf<Sighting>
  intents: EventsOf<DepositIntent>
  heldChanges: EventsOf<HeldChange>
  pauses: EventsOf<PauseMark>
  apiKeys: EventsOf<ApiKey>
  webhookEndpoints: EventsOf<WebhookEndpoint>
}

/** Quota warnings never change, so their insertion marks them. */
export const markedCollections = [...(Object.keys(eventsOf) as (keyof typeof eventsOf)[]), 'quotaWarnings'] as const
export type MarkedCollection = (typeof markedCollections)[number]

const timeDigits = 15
const timeText = (at: number): string => String(Math.max(at, 0)).padStart(timeDigits, '0')

/**
 * Returns a mark: when the events are due, and the write that set it. Marks sort by time. No two writes set the same
 * mark, so a record that was marked again keeps its mark when the earlier one is cleared.
 *
 * @param writer Unique name of the write.
 */
export const markOf = (dueAt: number, writer: string): string => `${timeText(dueAt)} ${writer}`
export const dueAtOf = (mark: string): number => Number(mark.slice(0, timeDigits))
/** Returns a text that sorts before the marks of a time and of later times, and after all earlier ones. */
export const marksFrom = timeText
