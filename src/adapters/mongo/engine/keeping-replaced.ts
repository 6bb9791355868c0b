import type { Records } from '../../../ports/records'

/**
 * Keeps the stored version of a record before another one replaces it. When the replacement then fails, the kept
 * version is still the current one, and the next attempt keeps it again.
 */
export const keepingReplaced = <R extends { id: string; version: number }>(
  { load, save }: Records<R>,
  keep: (record: R) => Promise<void>,
): Records<R> => ({
  load,
  async save(record) {
    if (record.version === 0) return save(record)
    const stored = await load(record.id)
    if (stored?.version !== record.version) return null
    await keep(stored)
    return save(record)
  },
})
