import type { Execution, HistoryEntry } from './execution'

/** An entry that is stored later than this after it happened gets the time of storing as its place in the feed. */
const lateMs = 2_000

/**
 * Returns the entry's place in the feed of events. Readers move forward along the feed, so they would never see what is
 * added behind them.
 */
export const feedPlaceOf = ({ at, storedAt }: HistoryEntry): number => storedAt ?? at

/** A deposit's detection has its place already: its sighting's, or that of the moment its record was begun. */
const isSeenBefore = ({ event }: HistoryEntry): boolean => event === 'deposit detected'

/**
 * Returns the record with places in the feed for its new entries. No entry gets a place before an earlier one, whatever
 * the clocks of the processes say.
 *
 * @param storedSeq The number of the last stored history entry; null when it is not known.
 */
export function placedInFeed(record: Execution, storedSeq: number | null, now: number): Execution {
  if (storedSeq === null || record.seq <= storedSeq) return record
  let last = 0
  const history = record.history.map((entry) => {
    const isNew = entry.seq > storedSeq && entry.storedAt === undefined && !isSeenBefore(entry)
    const least = isNew && entry.at < now - lateMs ? Math.max(last, now) : last
    const placed = isNew && entry.at < least ? { ...entry, storedAt: least } : entry
    last = Math.max(last, feedPlaceOf(placed))
    return placed
  })
  return { ...record, history }
}

/**
 * Returns the record with later places for entries that took too long to store, because readers have passed them by
 * now.
 */
export function placedAnew(record: Execution, storedSeq: number, now: number): Execution {
  const history = record.history.map((entry) =>
    entry.seq > storedSeq && feedPlaceOf(entry) < now ? { ...entry, storedAt: now } : entry,
  )
  return { ...record, history }
}
