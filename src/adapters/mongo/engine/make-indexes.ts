import type { Collection, CreateIndexesOptions, IndexDescription } from 'mongodb'

/** Two processes that start together may refuse each other: DocumentDB answers one of them with a deadlock. */
const attempts = 4
/**
 * An index of a million rows takes minutes; every other answer is given up after seconds. The driver's own calls give
 * the option, its types do not have it, and its `timeoutMS` does nothing any more.
 */
const patience = { socketTimeoutMS: 3_600_000 } as CreateIndexesOptions

/**
 * By one command, which costs next to nothing where all of them are there. What stands in the way is thrown, with the
 * collection's name.
 */
export async function makeIndexes(
  collection: Collection,
  wanted: readonly IndexDescription[],
  attempt = 1,
): Promise<void> {
  if (wanted.length === 0) return
  try {
    await collection.createIndexes([...wanted], patience)
  } catch (error) {
    const { collectionName } = collection
    if (attempt === attempts)
      throw new Error(`The indexes of ${collectionName} could not be made: ${(error as Error).message}`, {
        cause: error,
      })
    await new Promise((resolve) => setTimeout(resolve, attempt * 250 * (0.5 + Math.random())))
    await makeIndexes(collection, wanted, attempt + 1)
  }
}
