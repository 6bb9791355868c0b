import type { Collection, IndexDescription } from 'mongodb'
import {
  type Connection,
  type IndexDefinition,
  type IndexOptions,
  type Model,
  Schema,
  type SchemaDefinition,
} from 'mongoose'
import { makeIndexes } from './make-indexes'
import type { Documents, Stored, Versioned } from './records'
import { taken } from './taken'

export type Index = [fields: IndexDefinition, options?: IndexOptions]

/** A collection by its name: its fields, of which none may be unknown, and its indexes. */
export function collection<R extends object>(
  connection: Connection,
  name: string,
  fields: SchemaDefinition,
  indexes: Index[] = [],
): Model<R> {
  const known = connection.models[name]
  if (known) return known as unknown as Model<R>
  const schema = new Schema(
    { _id: { type: String, required: true }, ...fields },
    { strict: 'throw', autoIndex: false, autoCreate: false, minimize: false, versionKey: false, id: false },
  )
  for (const [keys, options] of indexes) schema.index(keys, options)
  return connection.model(name, schema, name) as unknown as Model<R>
}

const { Mixed } = Schema.Types
export const text = { type: String, required: true } as const
export const textOrNull = { type: String, default: null } as const
export const whole = { type: Number, required: true } as const
export const wholeOrNull = { type: Number, default: null } as const
export const flag = { type: Boolean, required: true } as const
export const any = { type: Mixed, required: true } as const
export const anyOrNull = { type: Mixed, default: null } as const
export const anyList = { type: [Mixed], required: true } as never

/** What every record that is written on a condition has. */
export const versioned = { version: whole, writer: text } as const

/**
 * The collection without Mongoose between: what it would cast are records that the types have checked already, and it
 * costs more than the driver itself. Only that no field is unknown is looked at here.
 */
export function documentsOf<R extends Versioned>(model: Model<Stored<R>>): Documents<R> {
  const collection = model.collection as unknown as Collection<Stored<R>>
  const known = new Set(['_id', 'keys', ...Object.keys(model.schema.paths)])
  return {
    async bulkWrite(operations, options) {
      for (const operation of operations)
        for (const field of fieldsOf(operation as Operation))
          if (!known.has(field)) throw new Error(`Field \`${field}\` is not in the schema of ${model.modelName}`)
      return taken(model.db, () => collection.bulkWrite(operations as never, options))
    },
    find: (filter, projection) =>
      collection.find<Stored<R>>(filter, projection === undefined ? {} : { projection }).toArray(),
  }
}

type Operation = { insertOne: { document: object } } | { updateOne: { update: { $set: object } } }

const fieldsOf = (operation: Operation): string[] =>
  'insertOne' in operation
    ? Object.keys(operation.insertOne.document)
    : Object.keys(operation.updateOne.update.$set).map((path) => path.split('.', 1)[0]!)

/** Makes every index of the connection's collections, one after the other: together they take longer. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const { schema, collection } of Object.values(connection.models)) {
    const wanted = schema.indexes().map(([key, { background: _, ...options }]) => ({ key, ...options }))
    await makeIndexes(collection as unknown as Collection, wanted as IndexDescription[])
  }
}
