import { BoundedMap } from '../../../domain/bounded-map'
import type { Execution } from '../../../domain/execution/execution'
import { placedAnew, placedInFeed } from '../../../domain/execution/feed-place'
import type { Records } from '../../../ports/records'

/** A reader of the feed may already have passed a write that took longer than this, in milliseconds. */
const slowMs = 2_500
const knownMax = 20_000
const triesMax = 5

/**
 * Gives the new history entries of executions their position in the feed as they are stored. An entry that took long to
 * store gets a new position. So does an entry whose write got no response, as soon as the record is read here.
 */
export function placing(records: Records<Execution>, now: () => number): Records<Execution> {
  /** Number of stored history entries of each execution, as last seen here. */
  const stored = new BoundedMap<string, number>(knownMax)
  const unanswered = new BoundedMap<string, true>(knownMax)

  function know<R extends Execution | null>(record: R): R {
    if (!record) return record
    unanswered.delete(record.id)
    stored.set(record.id, record.seq)
    return record
  }

  /** @returns The record as this writer has it, without the later changes of others. */
  async function again(record: Execution, storedSeq: number): Promise<Execution> {
    let current: Execution | null = record
    for (let n = 0; current && n < triesMax; n++) {
      const began = now()
      const saved: Execution | null = await records.save(placedAnew(current, storedSeq, began))
      if (saved && now() - began <= slowMs) return n === 0 ? saved : record
      current = saved ?? (await records.load(record.id))
    }
    return record
  }

  return {
    async load(id) {
      const record = await records.load(id)
      const before = stored.get(id)
      const isUnread = record && unanswered.has(id) && before !== undefined && record.seq > before
      return know(isUnread ? await again(record, before) : record)
    },
    async save(record) {
      const storedSeq = record.version === 0 ? 0 : (stored.get(record.id) ?? null)
      const began = now()
      try {
        const saved = await records.save(placedInFeed(record, storedSeq, began))
        const isSlow = saved && storedSeq !== null && now() - began > slowMs && saved.seq > storedSeq
        return know(isSlow ? await again(saved, storedSeq) : saved)
      } catch (error) {
        if (storedSeq !== null) {
          stored.set(record.id, storedSeq)
          unanswered.set(record.id, true)
        }
        throw error
      }
    },
  }
}
