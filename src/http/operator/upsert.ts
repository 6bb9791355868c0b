import type { Records } from '../../ports/records'

/**
 * Applies a change to the stored record, and again when another writer was faster. A change of null leaves it as it is.
 */
export async function upsert<R extends { id: string; version: number }>(
  records: Records<R>,
  id: string,
  change: (known: R | null) => R | null,
): Promise<R | null> {
  for (;;) {
    const changed = change(await records.load(id))
    if (!changed) return null
    const stored = await records.save(changed)
    if (stored) return stored
  }
}
