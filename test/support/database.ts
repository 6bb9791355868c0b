import type { Documents, Stored } from '../../src/adapters/mongo/records'

type Operation =
  | { insertOne: { document: { _id: string } } }
  | {
      updateOne: {
        filter: { _id: string; version: number }
        update: { $set: object; $inc: { version: number } }
      }
    }

/** A database with bulk writes that can lose a question or an answer. It says how many it changed, not which. */
export function database<R extends { id: string; version: number }>() {
  const stored = new Map<string, Stored<R>>()
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
          stored.set(document._id, document as Stored<R>)
          insertedCount += 1
        }
        continue
      }
      const { filter, update } = operation.updateOne
      const found = stored.get(filter._id)
      if (found?.version !== filter.version) continue
      stored.set(filter._id, { ...found, ...update.$set, version: filter.version + update.$inc.version } as Stored<R>)
      modifiedCount += 1
    }
    return { modifiedCount, insertedCount, writeErrors }
  }

  const documents: Documents<R> = {
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
      return (filter as { _id: { $in: string[] } })._id.$in.flatMap((id) => stored.get(id) ?? [])
    },
  }
  return {
    documents,
    calls,
    lose: (what: 'question' | 'answer') => {
      losing = what
    },
  }
}
