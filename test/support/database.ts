import type { Documents, StoredRecord } from '../../src/adapters/mongo/engine/records'

type Fields = Record<string, unknown>
type Operation =
  | { insertOne: { document: { _id: string } } }
  | {
      updateOne: {
        filter: { _id: string; version: number; writer?: string }
        update: { $set: Fields; $unset?: Fields; $inc: { version: number } }
      }
    }

/** An undefined value removes the field. */
function put(document: Fields, path: string, value: unknown): void {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  if (rest.length > 0) {
    document[name] ??= {}
    put(document[name] as Fields, rest.join('.'), value)
  } else if (value === undefined) delete document[name]
  else document[name] = structuredClone(value)
}

const hasBigint = (part: unknown): boolean =>
  typeof part === 'bigint' || (typeof part === 'object' && part !== null && Object.values(part).some(hasBigint))

/**
 * A fake database with bulk writes that can lose a request or a response. It returns how many documents changed, but
 * not which.
 */
export function database<R extends { id: string; version: number }>() {
  const stored = new Map<string, StoredRecord<R>>()
  const calls = { bulkWrite: 0, find: 0 }
  let losing: 'question' | 'answer' | null = null

  const apply = (operations: Operation[]) => {
    const writeErrors: { index: number; code: number }[] = []
    let [modifiedCount, insertedCount] = [0, 0]
    for (const [index, operation] of operations.entries()) {
      if ('insertOne' in operation) {
        const { document } = operation.insertOne
        if (stored.has(document._id)) writeErrors.push({ index, code: 11_000 })
        else {
          stored.set(document._id, structuredClone(document) as StoredRecord<R>)
          insertedCount += 1
        }
        continue
      }
      const { filter, update } = operation.updateOne
      const found = stored.get(filter._id)
      if (found?.version !== filter.version || (filter.writer && found.writer !== filter.writer)) continue
      const changed = structuredClone(found) as Fields
      for (const [path, value] of Object.entries(update.$set)) put(changed, path, value)
      for (const path of Object.keys(update.$unset ?? {})) put(changed, path, undefined)
      stored.set(filter._id, {
        ...changed,
        version: filter.version + update.$inc.version,
      } as unknown as StoredRecord<R>)
      modifiedCount += 1
    }
    return { modifiedCount, insertedCount, writeErrors }
  }

  const documents: Documents<R> = {
    identity: {},
    formError: (operation) => (hasBigint(operation) ? new Error('No field may be a bigint') : null),
    async bulkWrite(operations) {
      calls.bulkWrite += 1
      const lost = losing
      losing = null
      if (lost === 'question') throw new Error('connection lost')
      await Promise.resolve()
      const { writeErrors, ...changed } = apply(operations as Operation[])
      if (lost === 'answer') throw new Error('connection lost')
      if (writeErrors.length > 0) throw Object.assign(new Error('duplicate key'), { code: 11_000, writeErrors })
      return changed
    },
    async find(filter) {
      calls.find += 1
      return (filter as { _id: { $in: string[] } })._id.$in.flatMap((id) => structuredClone(stored.get(id)) ?? [])
    },
  }
  return {
    documents,
    calls,
    /** Replaces fields without changing the version, as a restored backup does. */
    goBack: (id: string, fields: Fields) => void stored.set(id, { ...stored.get(id)!, ...fields }),
    lose: (what: 'question' | 'answer') => {
      losing = what
    },
  }
}
