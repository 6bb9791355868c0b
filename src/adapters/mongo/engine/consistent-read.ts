import type { Collection, Document, Filter, FindCursor } from 'mongodb'

/** All that fits in an answer of 16 MB, and not the driver's hundred. */
export const answerRows = 1_000_000

/** Rows that are read, and those that may enter or leave them: of these no version falls and none is ever deleted. */
type Asked<Stored extends Document> = {
  rows: Filter<Stored>
  among: Filter<Stored>
  fields: Document
  hint: string
  answerMax?: number
}

/** Null when it takes more than one answer. */
export async function inOneAnswer<Row>(cursor: FindCursor<Row>, answerMax = answerRows): Promise<Row[] | null> {
  const isAny = await cursor.batchSize(answerMax).hasNext()
  if (isAny && cursor.id && !cursor.id.isZero()) {
    await cursor.close()
    return null
  }
  return cursor.toArray()
}

/**
 * What money is decided by is read at one moment. One answer is; what comes in parts shows what is written in between
 * twice, or not at all, so it counts when nothing was: as many rows of the same versions before it as after it.
 *
 * @returns null when something was written meanwhile.
 */
export async function consistentRead<Stored extends Document>(
  collection: Collection<Stored>,
  { rows, among, fields, hint, answerMax }: Asked<Stored>,
): Promise<Stored[] | null> {
  const find = () => collection.find<Stored>(rows, { projection: fields, hint })
  const all = await inOneAnswer(find(), answerMax)
  if (all) return all
  const total = { _id: null, rows: { $sum: 1 }, versions: { $sum: '$version' } }
  const stamp = async () => {
    const [counted] = await collection.aggregate([{ $match: among }, { $group: total }], { hint }).toArray()
    return `${counted?.['rows']}:${counted?.['versions']}`
  }
  const before = await stamp()
  const parts = await find().toArray()
  return before === (await stamp()) ? parts : null
}
