import { BoundedMap } from '../domain/bounded-map'
import type { Records } from '../ports/records'

const recordsMax = 10_000

/** Records in this process's memory, for state that is not shared with other processes. */
export function memoryRecords<R extends { id: string; version: number }>(): Records<R> {
  const stored = new BoundedMap<string, R>(recordsMax)
  return {
    load: async (id) => stored.get(id) ?? null,
    async save(record) {
      if ((stored.get(record.id)?.version ?? 0) !== record.version) return null
      const saved = { ...record, version: record.version + 1 }
      stored.set(record.id, saved)
      return saved
    },
  }
}
