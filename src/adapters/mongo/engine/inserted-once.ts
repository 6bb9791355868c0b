import type { Connection, Model } from 'mongoose'
import type { Records } from '../../../ports/records'
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

/**
 * Copies the stored version of a record before a new version replaces it. If the replacement then fails, the copy is of
 * the current version, and the next attempt makes it again.
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
