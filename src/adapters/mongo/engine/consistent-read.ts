import type { Collection, Document, Filter, FindCursor } from 'mongodb'

/** As many rows as fit into a response of 16 MB, instead of the driver's hundred. */
export const answerRows = 1_000_000

/**
 * `rows` are read. `among` covers all rows that may enter or leave them. Versions of these rows never decrease, and the
 * rows are never deleted.
 */
type ConsistentQuery<Stored extends Document> = {
  rows: Filter<Stored>
  among: Filter<Stored>
  fields: Document
  answerMax?: number
}

/** Returns null if the rows take more than one response. */
export async function inOneAnswer<Row>(cursor: FindCursor<Row>, answerMax = answerRows): Promise<Row[] | null> {
  const isAny = await cursor.batchSize(answerMax).hasNext()
  if (isAny && cursor.id && !cursor.id.isZero()) {
    await cursor.close()
    return null
  }
  return cursor.toArray()
}

/**
 * Reads the rows that decide about money as of one moment. A single response of FerretDB is one moment. A query on
 * MongoDB yields to writes after 10 ms, so its response is one moment only if it takes less, as for a usual lane. Read
 * concern `snapshot` would extend that, but FerretDB does not have it. Rows read in several parts may miss a concurrent
 * write or show it twice. They count only if nothing was written during the read: the number of rows and the sum of
 * their versions must be the same before and after.
 *
 * @returns Null if something was written during the read.
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
