import type { Connection, Model } from 'mongoose'
import { rememberingRefusal } from './write-refusal'

const duplicateKey = 11000

/**
 * Inserts a document that never changes, unless it exists.
 *
 * @returns Whether the document was inserted.
 */
export async function insertedOnce<Row extends { _id: string }>(
  connection: Connection,
  model: Model<Row>,
  row: Row,
): Promise<boolean> {
  try {
    await rememberingRefusal(connection, () => model.collection.insertOne(row as never))
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== duplicateKey) throw error
    return false
  }
}
