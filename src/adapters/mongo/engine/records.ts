import { brokenIdentity, type Identity, IllegalChange } from '../../../domain/record-identity'
import type { Records } from '../../../ports/records'
import { batchRequests } from '../../batch-requests'
import { changeSetOf } from './change-set'
import { identityFields, identityFilter } from './identity-law'

export type Versioned = { id: string; version: number }
/**
 * `writer` names the write that made this version, so that its origin can be read back when an answer is incomplete or
 * lost. `keys` are values to look the record up by that have no single field; they only grow. `derived` follows from
 * the current record and is rewritten by every write.
 */
export type Stored<R extends Versioned> = Omit<R, 'id'> & {
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

/** The few operations that are needed of a collection. */
export interface Documents<R extends Versioned> {
  /** The fields that never change; every save is held to them. */
  identity: Identity
  bulkWrite(operations: object[], options: { ordered: false }): Promise<Changed>
  find(filter: object, projection?: object): Promise<Stored<R>[]>
}

type Options<R> = {
  groupMax?: number
  keysOf?: (record: R) => Keys
  derivedOf?: ((record: R) => Derived) | undefined
  lawOf?: (record: R) => Law<R>
}
/** A condition on the stored record. `filter` states it to the database for records that are not known here. */
export type Law<R> = { allows: (before: R) => boolean; filter: object }

const duplicateKey = 11000
/** As many records as are in use and a few more; a change of any other is written whole. */
const knownMax = 500

export const fromStored = <R extends Versioned>({ _id, writer: _, keys: __, derived: ___, ...rest }: Stored<R>): R =>
  ({ id: _id, ...rest }) as unknown as R

const lawless = { allows: () => true, filter: {} }

/**
 * One document and one conditional write for each record, and many records in one round trip.
 *
 * @param worker a name that is unique to this process.
 */
export function mongoRecords<R extends Versioned>(
  documents: Documents<R>,
  worker: string,
  { groupMax = 100, keysOf = () => ({}), derivedOf, lawOf = () => lawless }: Options<R> = {},
): Records<R> {
  let writes = 0
  const { identity } = documents
  const looked = { writer: 1, version: 1, ...identityFields(identity) }
  /**
   * The records as they were last read or written here. The filter names their writer too, so that no other version is
   * taken for them.
   */
  const known = new Map<string, Known<R>>()

  function know(record: R, writer: string, keys: Keys): R {
    known.delete(record.id)
    known.set(record.id, { record, writer, keys })
    if (known.size > knownMax) known.delete(known.keys().next().value!)
    return record
  }

  const save = batchRequests<R, R | null>(
    async (group) => {
      // Processes that lock the same records in the same order cannot deadlock.
      const order = group.map((_, n) => n).toSorted((a, b) => (group[a]!.id < group[b]!.id ? -1 : 1))
      const saved = await saveAll(order.map((n) => group[n]!))
      const places = new Map(order.map((n, place) => [n, place]))
      return group.map((_, n) => saved[places.get(n)!]!)
    },
    groupMax,
    recordId,
  )

  function objectionTo(record: R): Error | null {
    const base = known.get(record.id)?.record
    if (record.version === 0 || base?.version !== record.version) return null
    const broken = brokenIdentity(identity, base, record)
    return broken !== null || !lawOf(record).allows(base) ? new IllegalChange(record.id, broken) : null
  }

  async function saveAll(all: R[]): Promise<(R | null | Error)[]> {
    const objections = all.map(objectionTo)
    const legal = all.filter((_, n) => objections[n] === null)
    const saved = legal.length > 0 ? await saveLegal(legal) : []
    let n = 0
    return objections.map((objection) => objection ?? saved[n++]!)
  }

  async function saveLegal(records: R[]): Promise<(R | null | Error)[]> {
    const tokens = records.map(() => `${worker}:${++writes}`)
    const keys = records.map(keysOf)
    const operations = records.map((record, n) =>
      operation(
        record,
        { writer: tokens[n]!, ...(derivedOf && { derived: derivedOf(record) }) },
        keys[n]!,
        known.get(record.id) ?? null,
        { ...identityFilter(identity, record), ...lawOf(record).filter },
      ),
    )
    const won = (record: R, n: number): R =>
      know(
        { ...record, version: record.version + 1 },
        tokens[n]!,
        grown(record.version > 0 ? (known.get(record.id)?.keys ?? {}) : {}, keys[n]!),
      )
    const refused = new Set<number>()
    const lost = await documents.bulkWrite(operations, { ordered: false }).then(
      ({ modifiedCount, insertedCount }) => records.length - modifiedCount - insertedCount,
      (error: BulkError) => {
        const writeErrors = [error.writeErrors ?? []].flat()
        for (const { index, code } of writeErrors) if (code === duplicateKey) refused.add(index)
        return writeErrors.length > 0 && refused.size === writeErrors.length ? refused.size : error
      },
    )
    if (lost === 0) return records.map(won)

    const found = await documents.find({ _id: { $in: records.map(({ id }) => id) } }, looked)
    const stored = new Map(found.map((document) => [document._id, document]))
    const otherwise = lost instanceof Error ? lost : null // without an answer, a missing write may still arrive
    return records.map((record, n) => {
      const current = stored.get(record.id)
      if (current?.writer === tokens[n]) return won(record, n)
      known.delete(record.id)
      // The version was current, and still the write was refused.
      const broken = current?.version === record.version ? brokenIdentity(identity, current, record) : null
      if (broken !== null) return new IllegalChange(record.id, broken)
      // Creating a record that exists is a race; a change that conflicts with another record's key is a bug.
      return refused.has(n) && record.version > 0 ? new Error('Another record has one of its keys') : otherwise
    })
  }

  const load = batchRequests<string, R | null>(async (ids) => {
    const stored = await documents.find({ _id: { $in: ids } })
    const records = new Map(
      stored.map((document) => [document._id, know(fromStored<R>(document), document.writer, document.keys ?? {})]),
    )
    return ids.map((id) => records.get(id) ?? null)
  }, groupMax)

  return { save, load }
}

const recordId = ({ id }: { id: string }): string => id

type Known<R> = { record: R; writer: string; keys: Keys }

function operation<R extends Versioned>(
  record: R,
  by: { writer: string; derived?: Derived },
  keys: Keys,
  known: Known<R> | null,
  law: object,
): object {
  const { id, version, ...fields } = record
  if (version === 0) {
    const created = { ...fields, version: 1, ...by, ...(Object.keys(keys).length > 0 && { keys }) }
    // This is not an upsert: DocumentDB tells every process that races for one `_id` that it inserted it.
    return { insertOne: { document: { _id: id, ...created } } }
  }
  const base = known?.record.version === version ? known : null
  const { $set, ...gone } = base ? changeSetOf(base.record, record) : { $set: fields }
  const fresh = Object.entries(newOf(base?.keys ?? {}, keys))
  const added = fresh.map(([name, values]) => [`keys.${name}`, { $each: values }])
  const update = {
    $set: { ...$set, ...by },
    ...gone,
    $inc: { version: 1 },
    ...(added.length > 0 && { $addToSet: Object.fromEntries(added) }),
  }
  return { updateOne: { filter: { _id: id, version, ...(base ? { writer: base.writer } : law) }, update } }
}

/** The values of `keys` that are not stored yet. */
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
