import { BoundedMap } from '../../../domain/bounded-map'
import { markOf } from '../../../domain/event-marks'
import { brokenIdentity, type Identity, IllegalChange, valueAt } from '../../../domain/record-identity'
import type { Records } from '../../../ports/records'
import { batchRequests } from '../../batch-requests'

export type Versioned = { id: string; version: number }
/**
 * `writer` names the write that made this version, so its origin can be read back if a response is incomplete or lost.
 * `keys` are lookup values that have no single field, and they only grow. `keys.unlogged` beside them is the mark of a
 * record with events that might not be in the log. `derived` follows from the current record, and every write
 * rewrites it.
 */
export type StoredRecord<R extends Versioned> = Omit<R, 'id'> & {
  _id: string
  writer: string
  keys?: Keys
  derived?: Derived
}
export type Keys = Record<string, string[]>
export type Derived = Record<string, string | number | null>

type WriteError = { index: number; code: number }
type Changed = { modifiedCount: number; insertedCount: number }
type BulkError = Error & { writeErrors?: WriteError | WriteError[] }

/** The few operations that records need of a collection. */
export interface Documents<R extends Versioned> {
  /** Fields that never change. Every save is checked against them. */
  identity: Identity
  /** Returns when the events of a write are due, or null if it has none; see `src/domain/event-marks.ts`. */
  eventsOf?: ((before: R | null | undefined, after: R) => number | null) | undefined
  /** Called with the records of a write and the marks that it set, or with null if it might have marked some. */
  noteMarked?: (saved: readonly { record: R; mark: string | null }[] | null) => void
  /**
   * Returns the error in the form of a write, or null. It is checked before sending, so a record that cannot be stored
   * fails alone.
   */
  formError?(operation: object): Error | null
  bulkWrite(operations: object[], options: { ordered: false }): Promise<Changed>
  find(filter: object, projection?: object): Promise<StoredRecord<R>[]>
}

type Options<R> = {
  groupMax?: number
  keysOf?: (record: R) => Keys
  derivedOf?: ((record: R) => Derived) | undefined
  lawOf?: (record: R) => Law<R>
}
/** A condition on the stored record. `filter` states it to the database for records that are not cached here. */
export type Law<R> = { allows: (before: R) => boolean; filter: object }

const duplicateKey = 11000
/** Number of cached records: those in use and a few more. A change of any other record is written whole. */
const cachedMax = 500

export const fromStored = <R extends Versioned>({
  _id,
  writer: _,
  keys: __,
  derived: ___,
  ...rest
}: StoredRecord<R>): R => ({ id: _id, ...rest }) as unknown as R

const lawless = { allows: () => true, filter: {} }

/**
 * Stores each record in one document with one conditional write, and many records in one round trip.
 *
 * @param worker Unique name of this process.
 */
export function mongoRecords<R extends Versioned>(
  documents: Documents<R>,
  worker: string,
  { groupMax = 100, keysOf = () => ({}), derivedOf, lawOf = () => lawless }: Options<R> = {},
): Records<R> {
  let writes = 0
  const newWriter = () => `${worker}:${++writes}`
  const store: Store<R> = { documents, cache: recordCache(), newWriter, keysOf, derivedOf, lawOf }
  return {
    save: batchRequests<R, R | null>((group) => saveInOrder(store, group), groupMax, recordId, true),
    load: batchRequests<string, R | null>((ids) => loadAll(store, ids), groupMax),
  }
}

type Store<R extends Versioned> = Required<Pick<Options<R>, 'keysOf' | 'lawOf'>> & {
  documents: Documents<R>
  cache: RecordCache<R>
  newWriter: () => string
  derivedOf: Options<R>['derivedOf']
}

const recordId = ({ id }: { id: string }): string => id

/** A version of a record, its writer, and its keys. */
type Written<R> = { record: R; writer: string; keys: Keys }

/**
 * Records as this process last read or wrote them. The filter of a write also names their writer, so it never matches a
 * different version.
 */
type RecordCache<R extends Versioned> = ReturnType<typeof recordCache<R>>
function recordCache<R extends Versioned>() {
  const cache = new BoundedMap<string, Written<R>>(cachedMax)
  return {
    find: (id: string): Written<R> | undefined => cache.get(id),
    forget: (id: string): boolean => cache.delete(id),
    keep(written: Written<R>): R {
      cache.set(written.record.id, written)
      return written.record
    },
  }
}

async function loadAll<R extends Versioned>({ documents, cache }: Store<R>, ids: string[]): Promise<(R | null)[]> {
  const stored = await documents.find({ _id: { $in: ids } })
  const cached = stored.map((document) =>
    cache.keep({ record: fromStored<R>(document), writer: document.writer, keys: document.keys ?? {} }),
  )
  const records = new Map(cached.map((record) => [record.id, record]))
  return ids.map((id) => records.get(id) ?? null)
}

/** Saves in the order of ids: processes that lock the same records in the same order cannot deadlock. */
async function saveInOrder<R extends Versioned>(store: Store<R>, group: R[]): Promise<(R | null | Error)[]> {
  const order = group.map((_, n) => n).toSorted((a, b) => (group[a]!.id < group[b]!.id ? -1 : 1))
  const inOrder = order.map((n) => group[n]!)
  const saved = await saveAll(store, inOrder)
  const places = new Map(order.map((n, place) => [n, place]))
  return group.map((_, n) => saved[places.get(n)!]!)
}

/** A record that may not or cannot be stored does not affect the others of its group. */
async function saveAll<R extends Versioned>(store: Store<R>, all: R[]): Promise<(R | null | Error)[]> {
  const prepared = all.map((record) => prepare(store, record))
  const legal = prepared.filter((one): one is Write<R> => !(one instanceof Error))
  const saved = legal.length > 0 ? await saveLegal(store, legal) : []
  let n = 0
  return prepared.map((one) => (one instanceof Error ? one : saved[n++]!))
}

type Marked<R> = Written<R> & { mark: string | null }
type Write<R> = Marked<R> & { operation: object }

/** Returns the mark that a write sets, or null. */
function markBy<R extends Versioned>({ documents, cache }: Store<R>, record: R, writer: string): string | null {
  const base = cache.find(record.id)?.record
  const before = record.version === 0 ? null : base?.version === record.version ? base : undefined
  const dueAt = documents.eventsOf?.(before, record) ?? null
  return dueAt === null ? null : markOf(dueAt, writer)
}

/** Returns the write of a record, or why it cannot be made. */
function prepare<R extends Versioned>(store: Store<R>, record: R): Write<R> | Error {
  const { documents, newWriter, keysOf } = store
  try {
    const objection = objectionTo(store, record)
    if (objection) return objection
    const writer = newWriter()
    const write = { record, writer, keys: keysOf(record), mark: markBy(store, record, writer) }
    const operation = operationOf(store, write)
    return documents.formError?.(operation) ?? { ...write, operation }
  } catch (error) {
    return error as Error
  }
}

function objectionTo<R extends Versioned>({ documents, cache, lawOf }: Store<R>, record: R): Error | null {
  const base = cache.find(record.id)?.record
  if (record.version === 0 || base?.version !== record.version) return null
  const broken = brokenIdentity(documents.identity, base, record)
  return broken !== null || !lawOf(record).allows(base) ? new IllegalChange(record.id, broken) : null
}

async function saveLegal<R extends Versioned>(store: Store<R>, writes: Write<R>[]): Promise<(R | null | Error)[]> {
  const { documents, cache } = store
  const { identity } = documents
  const won = ({ record, writer, keys }: Written<R>): R => {
    const there = record.version > 0 ? (cache.find(record.id)?.keys ?? {}) : {}
    return cache.keep({ record: { ...record, version: record.version + 1 }, writer, keys: grown(there, keys) })
  }
  const { lost, refused, failed } = await writeAll(documents, writes)
  const saved = lost === 0 ? writes.map((write) => ({ record: won(write), mark: write.mark })) : null
  if (writes.some(({ mark }) => mark !== null)) documents.noteMarked?.(saved)
  if (saved) return saved.map(({ record }) => record)
  if (writes.length > 1 && isUnsendable(lost)) return oneByOne(store, writes)

  const looked = { writer: 1, version: 1, ...identityFields(identity) }
  const storedRecords = await documents.find({ _id: { $in: writes.map(({ record }) => record.id) } }, looked)
  const stored = new Map(storedRecords.map((document) => [document._id, document]))
  const otherwise = lost instanceof Error ? lost : null // without a response, a missing write may still arrive
  return writes.map((write, n) => {
    const { record, writer } = write
    const current = stored.get(record.id)
    if (current?.writer === writer) return won(write)
    cache.forget(record.id)
    // The version was current, and the write was still refused.
    const broken = current?.version === record.version ? brokenIdentity(identity, current, record) : null
    if (broken !== null) return new IllegalChange(record.id, broken)
    const own = failed.get(n)
    if (own) return own
    // Creating a record that exists is a race. A change that conflicts with another record's key is a bug.
    return refused.has(n) && record.version > 0 ? new Error('Another record already has one of its keys') : otherwise
  })
}

/** Whether the driver could not put the writes into a message. One write alone may be the cause. */
const isUnsendable = (lost: number | Error): lost is Error =>
  lost instanceof Error && /^(BSON\w*Error|MongoInvalidArgumentError|RangeError|TypeError)$/.test(lost.name)

/** Writes a group again, one record at a time. A write that did arrive is recognised by its writer. */
async function oneByOne<R extends Versioned>(store: Store<R>, writes: Write<R>[]): Promise<(R | null | Error)[]> {
  const all: (R | null | Error)[] = []
  for (const write of writes) all.push(...(await saveLegal(store, [write])))
  return all
}

type Outcome = {
  /** Number of writes that had no effect, or the failure that hides it. */
  lost: number | Error
  /** Writes that another record's key refused, and writes that the store refused for a different reason. */
  refused: Set<number>
  failed: Map<number, Error>
}

async function writeAll<R extends Versioned>(documents: Documents<R>, writes: Write<R>[]): Promise<Outcome> {
  const refused = new Set<number>()
  const failed = new Map<number, Error>()
  const operations = writes.map(({ operation }) => operation)
  const lost = await documents.bulkWrite(operations, { ordered: false }).then(
    ({ modifiedCount, insertedCount }) => operations.length - modifiedCount - insertedCount,
    (error: BulkError) => {
      const writeErrors = [error.writeErrors ?? []].flat()
      for (const { index, code } of writeErrors)
        if (code === duplicateKey) refused.add(index)
        else failed.set(index, error)
      return writeErrors.length > 0 ? writeErrors.length : error
    },
  )
  return { lost, refused, failed }
}

function operationOf<R extends Versioned>(store: Store<R>, { record, writer, keys, mark }: Marked<R>): object {
  const { documents, cache, derivedOf, lawOf } = store
  const { id, version, ...fields } = record
  const by = { writer, ...(derivedOf && { derived: derivedOf(record) }) }
  if (version === 0) {
    const all = mark === null ? keys : { ...keys, unlogged: mark }
    const created = { ...fields, version: 1, ...by, ...(Object.keys(all).length > 0 && { keys: all }) }
    // This is not an upsert: DocumentDB reports an insertion to every process that races for one `_id`.
    return { insertOne: { document: { _id: id, ...created } } }
  }
  const last = cache.find(id)
  const base = last?.record.version === version ? last : null
  const { $set, ...gone } = base ? changeSetOf(base.record, record) : { $set: fields }
  const fresh = Object.entries(newOf(base?.keys ?? {}, keys))
  const added = fresh.map(([name, values]) => [`keys.${name}`, { $each: values }])
  const update = {
    $set: { ...$set, ...by, ...(mark !== null && { 'keys.unlogged': mark }) },
    ...gone,
    $inc: { version: 1 },
    ...(added.length > 0 && { $addToSet: Object.fromEntries(added) }),
  }
  const law = { ...identityFilter(documents.identity, record), ...lawOf(record).filter }
  return { updateOne: { filter: { _id: id, version, ...(base ? { writer: base.writer } : law) }, update } }
}

/** Returns the values of `keys` that are not stored yet. */
function newOf(there: Keys, keys: Keys): Keys {
  const fresh: Keys = {}
  for (const [name, values] of Object.entries(keys)) {
    const missing = values.filter((value) => !there[name]?.includes(value))
    if (missing.length > 0) fresh[name] = missing
  }
  return fresh
}

function grown(there: Keys, keys: Keys): Keys {
  const all = { ...there }
  for (const [name, values] of Object.entries(newOf(there, keys))) all[name] = [...(all[name] ?? []), ...values]
  return all
}

/** Returns the identity rules as a filter, for a record whose stored version is not cached here. */
function identityFilter({ fixed = [], once = [], sooner = [] }: Identity, record: object): object {
  const filter: Record<string, unknown> = {}
  for (const path of fixed) filter[path] = valueAt(record, path)
  for (const path of once) {
    const value = valueAt(record, path)
    filter[path] = value === null ? null : { $in: [null, value] }
  }
  const either: object[] = []
  for (const path of sooner) {
    const value = valueAt(record, path)
    if (value === null) filter[path] = null
    else either.push({ $or: [{ [path]: null }, { [path]: { $gte: value } }] })
  }
  return either.length > 0 ? { ...filter, $and: either } : filter
}

/** Returns the fields to read to name the field that a refused change would have broken. */
const identityFields = ({ fixed = [], once = [], sooner = [] }: Identity): Record<string, 1> =>
  Object.fromEntries([...fixed, ...once, ...sooner].map((path) => [path, 1]))

type Fields = Record<string, unknown>
type ChangeSet = { $set: Fields; $unset?: Fields }

/** Depth of the comparison field by field. Deeper documents, and lists, are written whole. */
const levels = 2

/**
 * Returns the difference between two versions of a document. Writing only this costs the database and the network a
 * fraction of the whole. The very same object counts as unchanged, so records must never be mutated.
 */
export function changeSetOf(before: Fields, after: Fields): ChangeSet {
  const set: Fields = {}
  const unset: Fields = {}
  collect(before, after, '', levels, set, unset)
  return Object.keys(unset).length > 0 ? { $set: set, $unset: unset } : { $set: set }
}

function collect(before: Fields, after: Fields, path: string, depth: number, set: Fields, unset: Fields): void {
  for (const [name, value] of Object.entries(after)) {
    const was = before[name]
    if (value === was) continue
    if (value === undefined) unset[path + name] = ''
    else if (depth > 1 && isFields(value) && isFields(was) && isPlain(value) && isPlain(was))
      collect(was, value, `${path}${name}.`, depth - 1, set, unset)
    else set[path + name] = value
  }
  for (const name of Object.keys(before)) if (before[name] !== undefined && !(name in after)) unset[path + name] = ''
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** A name with a dot or a dollar would be read as a path. An empty object is written whole, because it must exist. */
const isPlain = (value: Fields): boolean => {
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => !/[.$]/.test(name) && name !== '')
}
