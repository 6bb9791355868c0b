import type { Records } from '../../ports/records'

/** Decides on what is stored; the loser of two writers decides anew. Null: it is as it should be. */
export async function upserted<R extends { id: string; version: number }>(
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
