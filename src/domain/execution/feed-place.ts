import type { Execution, HistoryEntry } from './execution'

/** Longer than that after it happened, what is stored takes its place in the feed when it is stored. */
const lateMs = 2_000

/** Where it stands in the feed: readers go along it, and what came behind them they would never meet. */
export const feedPlaceOf = ({ at, storedAt }: HistoryEntry): number => storedAt ?? at

/** Seen before it was confirmed, it was told then. */
const isSeenBefore = ({ event }: HistoryEntry): boolean => event === 'deposit detected'

/**
 * The record with places in the feed for what is new in it. None stands before what happened to it earlier, whatever
 * the clocks of the processes say.
 *
 * @param storedSeq of what is stored of it; null where nobody here knows.
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

/** The record with a later place for what took too long to be stored: it was read past meanwhile. */
export function placedAnew(record: Execution, storedSeq: number, now: number): Execution {
  const history = record.history.map((entry) =>
    entry.seq > storedSeq && feedPlaceOf(entry) < now ? { ...entry, storedAt: now } : entry,
  )
  return { ...record, history }
}
