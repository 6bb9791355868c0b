import type { Connection, Model } from 'mongoose'
import { tellingRefusal } from './write-refusal'

const duplicateKey = 11000

/** Inserts a document that never changes, unless it is there. @returns whether it was not. */
export async function insertedOnce<Row extends { _id: string }>(
  connection: Connection,
  model: Model<Row>,
  row: Row,
): Promise<boolean> {
  try {
    await tellingRefusal(connection, () => model.collection.insertOne(row as never))
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== duplicateKey) throw error
    return false
  }
}

/** Inserts documents that never change, in one write, but for those that are there. */
export async function insertedAll<Row extends { _id: string }>(
  connection: Connection,
  model: Model<Row>,
  rows: readonly Row[],
): Promise<void> {
  try {
    await tellingRefusal(connection, () => model.collection.insertMany(rows as never, { ordered: false }))
  } catch (error) {
    const errors = [(error as { writeErrors?: { code: number } | { code: number }[] }).writeErrors ?? []].flat()
    if (errors.length === 0 || errors.some(({ code }) => code !== duplicateKey)) throw error
  }
}
