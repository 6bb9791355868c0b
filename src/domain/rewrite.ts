type Stored<R> = { load(id: string): Promise<R | null>; save(record: R): Promise<R | null> }

/** An attempt fails only when another writer succeeded, so this many failures in a row are a fault and not a race. */
const attemptsMax = 100

/**
 * Applies a change to the stored record, and again when another writer was faster.
 *
 * @param change Returns the changed record, or null to leave it as it is.
 * @param first The record as it was read a moment ago, which saves the first read.
 * @returns the record as it stands afterwards, whether this changed it or not.
 * @throws when other writers are faster a hundred times in a row.
 */
export async function rewrite<R>(
  records: Stored<R>,
  id: string,
  change: (known: R | null) => R | null | Promise<R | null>,
  first?: R | null,
): Promise<R | null> {
  for (let n = 0; n < attemptsMax; n++) {
    const known = n === 0 && first !== undefined ? first : await records.load(id)
    const changed = await change(known)
    if (!changed) return known
    const stored = await records.save(changed)
    if (stored) return stored
  }
  throw new Error(`${id} keeps being changed by other writers`)
}
