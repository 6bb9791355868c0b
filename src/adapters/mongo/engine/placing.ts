import type { Execution } from '../../../domain/execution/execution'
import { placedAnew, placedInFeed } from '../../../domain/execution/feed-place'
import type { Records } from '../../../ports/records'

/** A write that takes longer than that may be met by nobody who goes along the feed. */
const slowMs = 2_500
const knownMax = 20_000
const triesMax = 5

/**
 * Executions whose new entries get their place in the feed as they are stored. What took long to store is placed anew,
 * and so is what was stored by a write whose answer was lost, as soon as somebody here reads it.
 */
export function placing(records: Records<Execution>, now: () => number): Records<Execution> {
  /** How much of an execution's history is stored, as it was last seen here. */
  const stored = new Map<string, number>()
  const unanswered = new Set<string>()

  function know<R extends Execution | null>(record: R): R {
    if (!record) return record
    unanswered.delete(record.id)
    stored.delete(record.id)
    stored.set(record.id, record.seq)
    if (stored.size > knownMax) stored.delete(stored.keys().next().value!)
    return record
  }

  /** @returns the record as this writer has it: what somebody else wrote meanwhile is not its own. */
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
          unanswered.add(record.id)
          if (unanswered.size > knownMax) unanswered.delete(unanswered.values().next().value!)
        }
        throw error
      }
    },
  }
}
