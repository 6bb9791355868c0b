import type { Records } from '../../ports/records'
import { inGroups } from '../groups'

export type Versioned = { id: string; version: number }
/**
 * `writer` names the write that made this version: whose it was can be read back when an answer is short or lost.
 * `keys` are what the record is looked up by and does not say in one place; they only grow.
 */
export type Stored<R extends Versioned> = Omit<R, 'id'> & { _id: string; writer: string; keys?: Keys }
export type Keys = Record<string, string[]>

type WriteError = { index: number; code: number }
type Changed = { modifiedCount: number; insertedCount: number }
type BulkError = Error & { writeErrors?: WriteError | WriteError[] }

/** The little that is asked of a collection. */
export interface Documents<R extends Versioned> {
  bulkWrite(operations: object[], options: { ordered: false }): Promise<Changed>
  find(filter: object, projection?: object): Promise<Stored<R>[]>
}

type Options<R> = { groupMax?: number; keysOf?: (record: R) => Keys }

const duplicateKey = 11000

export const fromStored = <R extends Versioned>({ _id, writer: _, keys: __, ...rest }: Stored<R>): R =>
  ({ id: _id, ...rest }) as unknown as R

/** One document and one condition per record, many records per round trip. @param worker unique to this process. */
export function mongoRecords<R extends Versioned>(
  documents: Documents<R>,
  worker: string,
  { groupMax = 100, keysOf = () => ({}) }: Options<R> = {},
): Records<R> {
  let writes = 0

  const save = inGroups<R, R | null>(async (group) => {
    // Two processes that lock the same records in the same order cannot wait for each other in a circle.
    const order = group.map((_, n) => n).toSorted((a, b) => (group[a]!.id < group[b]!.id ? -1 : 1))
    const saved = await saveAll(order.map((n) => group[n]!))
    const places = new Map(order.map((n, place) => [n, place]))
    return group.map((_, n) => saved[places.get(n)!]!)
  }, groupMax)

  async function saveAll(records: R[]): Promise<(R | null | Error)[]> {
    const tokens = records.map(() => `${worker}:${++writes}`)
    const operations = records.map((record, n) => operation(record, tokens[n]!, keysOf(record)))
    const won = (record: R): R => ({ ...record, version: record.version + 1 })
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

    const stored = await documents.find({ _id: { $in: records.map(({ id }) => id) } }, { writer: 1 })
    const writers = new Map(stored.map(({ _id, writer }) => [_id, writer]))
    const otherwise = lost instanceof Error ? lost : null // without an answer, what is not there may still arrive
    return records.map((record, n) => {
      if (writers.get(record.id) === tokens[n]) return won(record)
      // Beginning a record that is there is a race; a change that meets another record's key is a bug.
      return refused.has(n) && record.version > 0 ? new Error('Another record has one of its keys') : otherwise
    })
  }

  const load = inGroups<string, R | null>(async (ids) => {
    const stored = await documents.find({ _id: { $in: ids } })
    const records = new Map(stored.map((document) => [document._id, document]))
    return ids.map((id) => (records.has(id) ? fromStored<R>(records.get(id)!) : null))
  }, groupMax)

  return { save, load }
}

function operation<R extends Versioned>({ id, version, ...record }: R, writer: string, keys: Keys): object {
  if (version === 0) {
    const begun = { ...record, version: 1, writer, ...(Object.keys(keys).length > 0 && { keys }) }
    // Not an upsert: of those that race for one `_id`, DocumentDB tells all that they made it.
    return { insertOne: { document: { _id: id, ...begun } } }
  }
  const found = Object.entries(keys).filter(([, values]) => values.length > 0)
  const grown = Object.fromEntries(found.map(([name, values]) => [`keys.${name}`, { $each: values }]))
  const update = {
    $set: { ...record, writer },
    $inc: { version: 1 },
    ...(found.length > 0 && { $addToSet: grown }),
  }
  return { updateOne: { filter: { _id: id, version }, update } }
}
