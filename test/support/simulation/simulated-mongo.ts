import type { Connection } from 'mongoose'
import { byOrder, type Doc, matcher, projected, stored, updated, valueIn } from './documents'

/** Sends one command to the database, which takes effect at one moment. */
type Send = <Answer>(command: string, act: () => Answer) => Promise<Answer>
type Order = Record<string, 1 | -1>
type Schema = { indexes(): [Order, { name?: string; unique?: boolean; sparse?: boolean }][] }
/** Called after each write. */
type Report = (collection: string, before: Doc | null, after: Doc) => void

const duplicateKey = 11000
const duplicate = (index: number): Error =>
  Object.assign(new Error('E11000 duplicate key'), {
    name: 'MongoBulkWriteError',
    code: duplicateKey,
    writeErrors: [{ index, code: duplicateKey }],
  })

/** The documents of one collection. */
class Rows {
  readonly documents = new Map<string, Doc>()
  /** Position of each document in a read without an order. A write can move it. */
  readonly places = new Map<string, number>()
  unique: { name: string; path: string }[] = []
  writes = 0
  isIndexed = false
  private greatestId: string | null = null
  /** For each path that an index begins with, the ids of the documents that have or had a text there. */
  private readonly indexed = new Map<string, Map<string, Set<string>>>()

  constructor(
    private readonly name: string,
    private readonly mongo: SimulatedMongo,
  ) {}

  /** Indexes a path, so a read of named texts does not read the whole collection. */
  index(path: string): void {
    if (this.indexed.has(path)) return
    this.indexed.set(path, new Map())
    for (const document of this.documents.values()) this.enter(path, document)
  }

  private enter(path: string, document: Doc): void {
    const texts = this.indexed.get(path)!
    const value = valueIn(document, path)
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text !== 'string') continue
      const ids = texts.get(text)
      if (ids) ids.add(document._id)
      else texts.set(text, new Set([document._id]))
    }
  }

  /** The documents that a filter can find, and perhaps others. */
  private candidates(filter: object): Iterable<Doc> {
    const ids = idsOf(filter)
    if (ids) return this.named(ids)
    for (const [path, texts] of this.indexed) {
      const wanted = textsOf((filter as Record<string, unknown>)[path])
      if (wanted?.length === 1) return this.named(texts.get(wanted[0]!) ?? [])
      if (wanted) return this.named(new Set(wanted.flatMap((text) => [...(texts.get(text) ?? [])])))
    }
    return this.documents.values()
  }

  private named(ids: Iterable<string>): Doc[] {
    const some: Doc[] = []
    for (const id of ids) {
      const document = this.documents.get(id)
      if (document) some.push(document)
    }
    return some
  }

  find(filter: object): Doc[] {
    const holds = matcher(filter)
    const found: Doc[] = []
    for (const document of this.candidates(filter)) if (holds(document)) found.push(document)
    return found
  }

  /** The document with the greatest id, in a list. */
  greatest = (): readonly Doc[] => (this.greatestId === null ? [] : [this.documents.get(this.greatestId)!])

  private hasTwin(document: Doc, before: Doc | null): boolean {
    return this.unique.some(({ path }) => {
      const value = valueIn(document, path)
      if (value === undefined || (before && valueIn(before, path) === value)) return false
      const rivals = this.candidates({ [path]: value }) as Iterable<Doc>
      for (const one of rivals) if (one._id !== document._id && valueIn(one, path) === value) return true
      return false
    })
  }

  /** @returns Whether the key was free. */
  insert(document: object): boolean {
    const made = stored(document)
    if (this.documents.has(made._id) || this.hasTwin(made, null)) return false
    this.keep(null, made)
    return true
  }

  /** @returns Whether no other document has one of its keys. */
  change(before: Doc, update: object): boolean {
    const after = updated(before, update)
    if (this.hasTwin(after, before)) return false
    this.keep(before, after)
    return true
  }

  private keep(before: Doc | null, after: Doc): void {
    this.documents.set(after._id, after)
    if (this.greatestId === null || after._id > this.greatestId) this.greatestId = after._id
    for (const path of this.indexed.keys())
      if (!before || valueIn(before, path) !== valueIn(after, path)) this.enter(path, after)
    this.places.set(after._id, this.mongo.placeOf(this.places.get(after._id)))
    this.writes += 1
    this.mongo.report(this.name, before, after)
  }
}

/** The texts that a condition names, if it finds nothing else. */
function textsOf(condition: unknown): readonly string[] | null {
  if (typeof condition === 'string') return [condition]
  const some = (condition as { $in?: unknown[] } | null | undefined)?.$in
  return some?.every((one) => typeof one === 'string') ? [...new Set(some)] : null
}

/** The ids that a filter names, so no other document must be read. */
const idsOf = ({ _id }: { _id?: unknown } & object): readonly string[] | null => textsOf(_id)

type Settings = {
  /** Most rows of a response if the query names no number. */
  batch?: number
  /** Whether a written document moves to another place in reads without an order. */
  moves?: () => boolean
}

/** Making a schema takes longer than most commands, so all processes share them. */
const schemas = new Map<string, Schema>()

/** A MongoDB in memory with the commands that the engine's store uses. Each command takes effect at one moment. */
export class SimulatedMongo {
  private readonly collections = new Map<string, Rows>()
  private places = 0
  readonly batch: number
  private readonly moves: () => boolean

  /** @param report Gets each document that was written. */
  constructor(
    { batch = 101, moves = () => false }: Settings = {},
    readonly report: Report = () => {},
  ) {
    this.batch = batch
    this.moves = moves
  }

  rows(name: string): Rows {
    const rows = this.collections.get(name) ?? new Rows(name, this)
    this.collections.set(name, rows)
    return rows
  }

  placeOf(before: number | undefined): number {
    if (before !== undefined && !this.moves()) return before
    return this.places++
  }

  /** A process's connection, as far as the store uses it. */
  connect(send: Send): Connection {
    const models: Record<string, object> = {}
    const model = (name: string, schema: Schema): object => {
      schemas.set(name, schema)
      this.index(name, schema)
      models[name] = { modelName: name, schema, db: connection, ...queriesOf(this, name, send) }
      return models[name]
    }
    const known = new Proxy(models, {
      get: (_, name: string) => models[name] ?? (schemas.has(name) ? model(name, schemas.get(name)!) : undefined),
    })
    const connection = { models: known, model, db: { collection: (name: string) => collectionOf(this, name, send) } }
    return connection as unknown as Connection
  }

  /** Asking Mongoose for the indexes of a schema takes longer than most commands, so a world asks once. */
  private index(name: string, schema: Schema): void {
    const rows = this.rows(name)
    if (rows.isIndexed) return
    rows.isIndexed = true
    for (const [keys, { name: called = '', unique: isUnique }] of schema.indexes()) {
      const [path] = Object.keys(keys)
      rows.index(path!)
      if (isUnique && !rows.unique.some((one) => one.name === called)) rows.unique.push({ name: called, path: path! })
    }
  }
}

/** The part of a model that sends queries. */
function queriesOf(mongo: SimulatedMongo, name: string, send: Send) {
  const collection = collectionOf(mongo, name, send)
  return {
    collection,
    find: (filter: object = {}, projection?: object) => collection.find(filter, projection && { projection }),
    countDocuments: (filter: object) => send(`${name}.count`, () => mongo.rows(name).find(filter).length),
  }
}

type Operation = { insertOne: { document: object } } | { updateOne: { filter: object; update: object } }

function collectionOf(mongo: SimulatedMongo, name: string, send: Send) {
  const rows = mongo.rows(name)
  const insert = (documents: readonly object[]) => {
    for (const [index, document] of documents.entries()) if (!rows.insert(document)) throw duplicate(index)
  }
  return {
    collectionName: name,
    find: (filter: object = {}, { projection }: { projection?: object } = {}) =>
      new Cursor(mongo, name, send, filter, projection),
    findOne: (filter: object) => send(`${name}.find`, () => rows.find(filter)[0] ?? null),
    insertOne: (document: object) => send(`${name}.insert`, () => insert([document])),
    /** In order: it stops at the first document whose key exists. */
    insertMany: (documents: readonly object[]) => send(`${name}.insert`, () => insert(documents)),
    bulkWrite: (operations: readonly Operation[]) => send(`${name}.write`, () => bulkWrite(rows, operations)),
    updateOne: (filter: object, update: object) =>
      send(`${name}.update`, () => {
        const [document] = rows.find(filter)
        if (document && !rows.change(document, update)) throw duplicate(0)
        return { matchedCount: document ? 1 : 0 }
      }),
    updateMany: (filter: object, update: object) =>
      send(`${name}.update`, () => {
        const found = rows.find(filter)
        for (const document of found) rows.change(document, update)
        return { matchedCount: found.length }
      }),
    indexes: () => send(`${name}.indexes`, () => rows.unique.map((one) => ({ name: one.name, unique: true }))),
    aggregate: (stages: readonly object[]) => ({
      toArray: () => send(`${name}.aggregate`, () => totals(rows, stages)),
    }),
  }
}

/** The number of rows and the sum of a field, which is the only aggregation of the engine's store. */
function totals(rows: Rows, [match, group]: readonly object[]): object[] {
  const { $match: filter } = match as { $match: object }
  const { _id, ...sums } = (group as { $group: Record<string, { $sum: 1 | string }> }).$group
  const found = rows.find(filter)
  if (_id !== null || found.length === 0) return []
  const sumOf = (term: 1 | string) =>
    found.reduce((sum, document) => sum + (term === 1 ? 1 : (valueIn(document, term.slice(1)) as number)), 0)
  return [Object.fromEntries([['_id', null], ...Object.entries(sums).map(([name, { $sum }]) => [name, sumOf($sum)])])]
}

/** Unordered: a write that fails does not stop the others. */
function bulkWrite(rows: Rows, operations: readonly Operation[]): object {
  const refused: { index: number; code: number }[] = []
  let [insertedCount, modifiedCount] = [0, 0]
  for (const [index, operation] of operations.entries()) {
    if ('insertOne' in operation) {
      if (rows.insert(operation.insertOne.document)) insertedCount += 1
      else refused.push({ index, code: duplicateKey })
      continue
    }
    const { filter, update } = operation.updateOne
    const [document] = rows.find(filter)
    if (!document) continue
    if (rows.change(document, update)) modifiedCount += 1
    else refused.push({ index, code: duplicateKey })
  }
  if (refused.length > 0) throw Object.assign(duplicate(0), { writeErrors: refused })
  return { insertedCount, modifiedCount }
}

/** The first document in an order, if there is one. */
const firstOf = (some: readonly Doc[], compare: (a: Doc, b: Doc) => number): readonly Doc[] =>
  some.length < 2 ? some : [some.reduce((first, one) => (compare(one, first) < 0 ? one : first))]

/**
 * A query that returns its rows in one or more responses. Each response shows the rows at the time of that
 * response, so a document that moves between two responses is missed or shown twice.
 */
class Cursor {
  private order: Order | null = null
  private most = Number.POSITIVE_INFINITY
  private skipped = 0
  private size: number
  private readonly got: Doc[] = []
  private isOver = false
  private last: Doc | null = null
  private lastPlace = Number.NEGATIVE_INFINITY
  private returned = 0
  private isBegun = false

  constructor(
    private readonly mongo: SimulatedMongo,
    private readonly name: string,
    private readonly send: Send,
    private readonly filter: object,
    private projection: object | undefined,
  ) {
    this.size = mongo.batch
  }

  sort(order: Order): this {
    this.order = order
    return this
  }
  limit(most: number): this {
    this.most = most
    return this
  }
  skip(count: number): this {
    this.skipped = count
    return this
  }
  hint(): this {
    return this
  }
  project<Row>(projection: object): this & { row?: Row } {
    this.projection = projection
    return this
  }
  select(projection: object): this {
    return this.project(projection)
  }
  batchSize(size: number): this {
    this.size = size
    return this
  }
  lean(): Promise<Doc[]> {
    return this.toArray()
  }
  get id() {
    return this.isBegun ? { isZero: () => this.isOver } : undefined
  }
  async close(): Promise<void> {
    this.isOver = true
  }

  /** Requests the next response. */
  private async more(): Promise<void> {
    const rows = await this.send(`${this.name}.${this.isBegun ? 'getMore' : 'find'}`, () => this.next())
    this.isBegun = true
    this.got.push(...rows)
  }

  private next(): Doc[] {
    const rows = this.mongo.rows(this.name)
    const { places } = rows
    const placeOf = ({ _id }: Doc) => places.get(_id)!
    const order = this.order && byOrder(this.order)
    const compare = (a: Doc, b: Doc): number => order?.(a, b) || placeOf(a) - placeOf(b)
    const isAfter = (one: Doc): boolean => {
      if (!this.last) return true
      const difference = order?.(one, this.last) ?? 0
      return difference > 0 || (difference === 0 && placeOf(one) > this.lastPlace)
    }
    const found = this.isOfGreatest() ? rows.greatest() : rows.find(this.filter)
    const left = this.last ? found.filter(isAfter) : found
    const inOrder = this.most === 1 && this.skipped === 0 ? firstOf(left, compare) : left.toSorted(compare)
    const rest = inOrder.slice(this.isBegun ? 0 : this.skipped)
    // All documents of named ids are in one response.
    const size = idsOf(this.filter) ? rest.length : this.size
    const part = rest.slice(0, Math.min(size, this.most - this.returned))
    this.returned += part.length
    this.isOver = part.length === rest.length || this.returned >= this.most
    this.last = part.at(-1) ?? this.last
    if (this.last && part.length > 0) this.lastPlace = placeOf(this.last)
    return part.map((document) => projected(document, this.projection))
  }

  /** Whether it finds only the document with the greatest id, as a read of the log's end. */
  private isOfGreatest(): boolean {
    const [path, direction] = Object.entries(this.order ?? {})[0] ?? []
    const isLast = path === '_id' && direction === -1 && this.most === 1 && this.skipped === 0
    return isLast && Object.keys(this.filter).length === 0
  }

  async hasNext(): Promise<boolean> {
    while (this.got.length === 0 && !(this.isBegun && this.isOver)) await this.more()
    return this.got.length > 0
  }

  async toArray(): Promise<Doc[]> {
    while (!(this.isBegun && this.isOver)) await this.more()
    return this.got.splice(0)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Doc> {
    while (await this.hasNext()) yield this.got.shift()!
  }
}
