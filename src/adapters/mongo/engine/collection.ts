import type { Collection, IndexDescription } from 'mongodb'
import {
  type Connection,
  type IndexDefinition,
  type IndexOptions,
  type Model,
  Schema,
  type SchemaDefinition,
} from 'mongoose'
import { dueAtOf, eventsOf, type MarkedCollection, markedCollections } from '../../../domain/event-marks'
import { type CollectionName, identities } from '../../../domain/record-identity'
import type { OwnMark } from '../../../ports/webhooks'
import { makeIndexes } from './make-indexes'
import type { Documents, StoredRecord, Versioned } from './records'
import { rememberingRefusal } from './write-refusal'

export type Index = [fields: IndexDefinition, options?: IndexOptions]

/** The schema's field for each field of a row, optional ones too: a write of any other field is refused. */
export type FieldsOf<R> = { [Field in Exclude<keyof R, '_id' | 'keys' | 'derived'>]-?: SchemaDefinition[string] }

/** Defines a collection with its fields and indexes. A write with an unknown field throws. */
export function collection<R extends object>(
  connection: Connection,
  name: string,
  fields: FieldsOf<R>,
  indexes: Index[] = [],
): Model<R> {
  const existing = connection.models[name]
  if (existing) return existing as unknown as Model<R>
  const schema = new Schema(
    { _id: { type: String, required: true }, ...fields },
    { strict: 'throw', autoIndex: false, autoCreate: false, minimize: false, versionKey: false, id: false },
  )
  for (const [keys, options] of [...indexes, ...unloggedIndex(name)]) schema.index(keys, options)
  return connection.model(name, schema, name) as unknown as Model<R>
}

/** Finds the records that wait for the log, in the order of their marks. A record without a mark is not in it. */
const unloggedIndex = (name: string): Index[] =>
  (markedCollections as readonly string[]).includes(name)
    ? [[{ 'keys.unlogged': 1 }, { name: 'unlogged', partialFilterExpression: { 'keys.unlogged': { $gt: '' } } }]]
    : []

const { Mixed } = Schema.Types
export const text = { type: String, required: true } as const
export const textOrNull = { type: String, default: null } as const
export const whole = { type: Number, required: true } as const
export const wholeOrNull = { type: Number, default: null } as const
export const flag = { type: Boolean, required: true } as const
export const any = { type: Mixed, required: true } as const
export const anyOrNull = { type: Mixed, default: null } as const
export const anyList = { type: [Mixed], required: true } as never
/** A list that documents of a previous release lack. */
export const anyListOrNone = { type: [Mixed] } as never

/** Fields of every record that is written conditionally. */
export const versioned = { version: whole, writer: text } as const

/**
 * Returns the rows without Mongoose, for queries that run several times a second: a Mongoose query costs more than the
 * driver.
 */
export const rowsOf = <R extends Versioned>(model: Model<StoredRecord<R>>) =>
  model.collection as unknown as Collection<StoredRecord<R>>

type MarkedListener = (marks: readonly OwnMark[] | null) => void
const listeners = new WeakMap<Connection, MarkedListener>()
/** Calls `listener` after each write of a connection: with the marks it set, or with null if it might have set some. */
export const onMarked = (connection: Connection, listener: MarkedListener): unknown =>
  listeners.set(connection, listener)

/**
 * Returns the collection without Mongoose in between. Mongoose would cast records that the types have already checked,
 * and costs more than the driver itself. Only two things are checked here: that the schema has each field, and that
 * each field has the schema's type. `identities` lists the fields that never change.
 */
export function documentsOf<R extends Versioned>(model: Model<StoredRecord<R>>): Documents<R> {
  const collection = rowsOf(model)
  const identity = identities[model.modelName as CollectionName]
  if (!identity) throw new Error(`identities does not list the fields of ${model.modelName} that never change`)
  const { paths } = model.schema
  const declared = new Map(
    Object.entries(paths).map(([name, { instance, isRequired }]) => [name, { type: plain[instance], isRequired }]),
  )
  for (const name of ['keys', 'derived']) declared.set(name, { type: undefined, isRequired: false })

  function wrong([field, value]: [string, unknown]): Error | null {
    const declaration = declared.get(field.split('.', 1)[0]!)
    if (!declaration) return new Error(`Field \`${field}\` is not in the schema of ${model.modelName}`)
    const { type, isRequired } = declaration
    if (type === undefined || (value === undefined && !isRequired) || (value === null && !isRequired)) return null
    return typeof value === type ? null : new Error(`Field \`${field}\` of ${model.modelName} must be a ${type}`)
  }

  return {
    identity,
    eventsOf: (eventsOf as Record<string, unknown> as Record<string, Documents<R>['eventsOf']>)[model.modelName],
    noteMarked: (saved) => listeners.get(model.db)?.(saved && saved.flatMap(ownMarkIn(model.modelName))),
    formError(operation) {
      for (const field of Object.entries(fieldsOf(operation as Operation))) {
        const error = wrong(field)
        if (error) return error
      }
      return null
    },
    bulkWrite: (operations, options) =>
      rememberingRefusal(model.db, () => collection.bulkWrite(operations as never, options)),
    find: (filter, projection) =>
      collection.find<StoredRecord<R>>(filter, projection === undefined ? {} : { projection }).toArray(),
  }
}

const ownMarkIn =
  (name: string) =>
  <R extends Versioned>({ record, mark }: { record: R; mark: string | null }): OwnMark[] =>
    mark === null ? [] : [{ collection: name as MarkedCollection, id: record.id, dueAt: dueAtOf(mark), mark, record }]

/** Types that are checked when a field is written. Fields of other types are not checked. */
const plain: Record<string, 'string' | 'number' | 'boolean'> = {
  String: 'string',
  Number: 'number',
  Boolean: 'boolean',
}

type Operation = { insertOne: { document: object } } | { updateOne: { update: { $set: object } } }

const fieldsOf = (operation: Operation): object =>
  'insertOne' in operation ? operation.insertOne.document : operation.updateOne.update.$set

/** Creates the indexes of all collections one after another, because creating them in parallel takes longer. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const { schema, collection } of Object.values(connection.models)) {
    const wanted = schema.indexes().map(([key, { background: _, ...options }]) => ({ key, ...options }))
    await makeIndexes(collection as unknown as Collection, wanted as IndexDescription[])
  }
}
