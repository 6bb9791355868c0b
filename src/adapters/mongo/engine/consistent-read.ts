import type { Collection, Document, Filter, FindCursor } from 'mongodb'

/** As many rows as fit into an answer of 16 MB, instead of the driver's hundred. */
export const answerRows = 1_000_000

/**
 * `rows` are read; `among` are all rows that may enter or leave them, whose versions never decrease and which are never
 * deleted.
 */
type ConsistentQuery<Stored extends Document> = {
  rows: Filter<Stored>
  among: Filter<Stored>
  fields: Document
  answerMax?: number
}

/** Null when the rows take more than one answer. */
export async function inOneAnswer<Row>(cursor: FindCursor<Row>, answerMax = answerRows): Promise<Row[] | null> {
  const isAny = await cursor.batchSize(answerMax).hasNext()
  if (isAny && cursor.id && !cursor.id.isZero()) {
    await cursor.close()
    return null
  }
  return cursor.toArray()
}

/**
 * Reads the rows that decide about money as of one moment. A single answer is such a moment. Rows read in several parts
 * may miss a concurrent write or show it twice, so they count only when nothing was written meanwhile: when there were
 * as many rows with the same versions before as after.
 *
 * @returns null when something was written meanwhile.
 */
export async function consistentRead<Stored extends Document>(
  collection: Collection<Stored>,
  { rows, among, fields, answerMax }: ConsistentQuery<Stored>,
): Promise<Stored[] | null> {
  const find = () => collection.find<Stored>(rows, { projection: fields })
  const all = await inOneAnswer(find(), answerMax)
  if (all) return all
  const total = { _id: null, rows: { $sum: 1 }, versions: { $sum: '$version' } }
  const stamp = async () => {
    const [counted] = await collection.aggregate([{ $match: among }, { $group: total }]).toArray()
    return `${counted?.['rows']}:${counted?.['versions']}`
  }
  const before = await stamp()
  const parts = await find().toArray()
  return before === (await stamp()) ? parts : null
}
