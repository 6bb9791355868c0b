import type { Records } from '../../../ports/records'

/**
 * Copies the stored version of a record before a new version replaces it. If the replacement then fails, the copy is of
 * the current version, and the next attempt makes it again.
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
