import type { Collection, CreateIndexesOptions, IndexDescription } from 'mongodb'

/** Two processes that start together may block each other: DocumentDB then returns a deadlock to one of them. */
const attempts = 4
/**
 * Indexing a million rows takes minutes, while every other request times out after seconds. The driver's calls accept
 * this option although its types lack it. Its `timeoutMS` no longer has any effect.
 */
const patience = { socketTimeoutMS: 3_600_000 } as CreateIndexesOptions

/** A sharded collection has unique indexes on its shard key only, see `uniqueAcrossShards`. */
const notOnShards = 67
const withoutUnique = ({ unique: _, ...index }: IndexDescription): IndexDescription => index

/**
 * Creates the indexes with one command, which costs almost nothing if all of them exist.
 *
 * @throws The reason why an index cannot be created, with the name of the collection.
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
    const isUnique = wanted.some(({ unique }) => unique)
    if (isUnique && (error as { code?: unknown }).code === notOnShards)
      return makeIndexes(collection, wanted.map(withoutUnique), attempt)
    if (attempt === attempts)
      throw new Error(`The indexes of ${collectionName} could not be created: ${(error as Error).message}`, {
        cause: error,
      })
    await new Promise((resolve) => setTimeout(resolve, attempt * 250 * (0.5 + Math.random())))
    await makeIndexes(collection, wanted, attempt + 1)
  }
}
