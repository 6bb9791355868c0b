import type { Execution, HistoryEntry } from './execution'

/** An entry stored later than this after its event is placed in the feed at its storage time. */
const lateMs = 2_000

/**
 * Returns the entry's position in the feed of events. Readers move forward along the feed and would miss an entry added
 * behind them.
 */
export const feedPlaceOf = ({ at, storedAt }: HistoryEntry): number => storedAt ?? at

/**
 * Whether an entry already has its position. A deposit's detection uses that of its sighting, or the start of its
 * record.
 */
const isSeenBefore = ({ event }: HistoryEntry): boolean => event === 'deposit detected'

/**
 * Returns the record with feed positions for its new entries. No entry precedes an earlier entry, even if the clocks of
 * the processes differ.
 *
 * @param storedSeq Number of the last stored history entry; null if unknown.
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
 * Returns the record with later positions for entries that took too long to store, because readers have already passed
 * them.
 */
export function placedAnew(record: Execution, storedSeq: number, now: number): Execution {
  const history = record.history.map((entry) =>
    entry.seq > storedSeq && feedPlaceOf(entry) < now ? { ...entry, storedAt: now } : entry,
  )
  return { ...record, history }
}
