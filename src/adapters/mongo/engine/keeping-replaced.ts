import type { Records } from '../../../ports/records'

/**
 * Records of which a version is kept, as it is stored, before another one takes its place. What was kept and then not
 * replaced is the version that stands: whoever tries again keeps it again.
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
