import { randomUUID } from 'node:crypto'
import type { Connection } from 'mongoose'
import { dateOf } from '../../../domain/calendar'
import type { ChainKey } from '../../../domain/chain/chain'
import type { NodeRequests } from '../../../ports/chain-client'
import type { RequestCount } from '../../../ports/limits'
import { anyOrNull, collection, text, textOrNull } from '../engine/collection'
import { rememberingRefusal } from '../engine/write-refusal'

type Total = { requests: number; errors: number }
/**
 * One document for each key and day. `by` has the totals of each process. `requests` and `errors` were counted before
 * `by` existed.
 */
type Day = { _id: string; date?: string; by?: Record<string, Total> } & Partial<Total>

const fields = { date: textOrNull, by: anyOrNull }
const cachedMs = 2 * 86_400_000

/**
 * Counts requests by key and day. Each process writes its own totals as absolute numbers, and larger ones win, so a
 * repeated write counts nothing twice. The sum over all processes is the total.
 */
export function mongoRequestDays(connection: Connection) {
  const model = collection<Omit<Day, keyof Total>>(connection, 'requestDays', fields, [
    [{ date: 1 }, { name: 'date', sparse: true }],
  ])
  const self = randomUUID().slice(0, 8)
  const totals = new Map<string, Total>()
  let unwritten = new Set<string>()
  let newestAt = 0
  let writing: Promise<void> = Promise.resolve()

  return {
    count(keyId: string, at: number, isError: boolean): void {
      newestAt = Math.max(newestAt, at)
      const id = `${keyId}:${dateOf(at)}`
      const { requests, errors } = totals.get(id) ?? { requests: 0, errors: 0 }
      totals.set(id, { requests: requests + 1, errors: errors + (isError ? 1 : 0) })
      unwritten.add(id)
    },

    /** Resolves when all earlier counts are written. Totals that cannot be written wait for the next write. */
    write(): Promise<void> {
      writing = writing.catch(() => {}).then(writeAll)
      return writing
    },

    async read(keyIds: readonly string[] | null, from: string, to: string): Promise<RequestCount[]> {
      if (keyIds?.length === 0) return []
      const filter = keyIds
        ? { $or: keyIds.map((id) => ({ _id: { $gte: `${id}:${from}`, $lte: `${id}:${to}` } })) }
        : { date: { $gte: from, $lte: to } }
      return (await model.find(filter as never).lean<Day[]>()).map(countOf)
    },
  }

  async function writeAll(): Promise<void> {
    if (unwritten.size === 0) return
    const ids = unwritten
    unwritten = new Set()
    const writes = [...ids].map((id) => writeOf(id, self, totals.get(id)!))
    try {
      await model.collection.bulkWrite(writes as never, { ordered: false, writeConcern: { w: 'majority' } })
    } catch (error) {
      unwritten = unwritten.union(ids)
      throw error
    }
    const oldest = dateOf(newestAt - cachedMs)
    for (const id of totals.keys()) if (dateIn(id) < oldest && !unwritten.has(id)) totals.delete(id)
  }
}

/** Totals are absolute, and larger ones win. */
function writeOf(id: string, self: string, { requests, errors }: Total) {
  const $max = { [`by.${self}.requests`]: requests, [`by.${self}.errors`]: errors }
  const update = { $set: { date: dateIn(id) }, $max }
  return { updateOne: { filter: { _id: id }, update, upsert: true } }
}

function countOf({ _id, by, requests = 0, errors = 0 }: Day): RequestCount {
  const all = [{ requests: requests ?? 0, errors: errors ?? 0 }, ...Object.values(by ?? {})]
  const sum = (what: keyof Total) => all.reduce((count, each) => count + (each[what] ?? 0), 0)
  return {
    keyId: _id.slice(0, -dateIn(_id).length - 1),
    date: dateIn(_id),
    requests: sum('requests'),
    errors: sum('errors'),
  }
}

const dateIn = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

type NodeDay = { _id: string; date: string; chain: ChainKey; methods: Record<string, number> }
const nodeFields = { date: text, chain: text, methods: anyOrNull }

/** One document for each day and chain, with the number of requests to its nodes by method. */
export function mongoNodeRequests(connection: Connection): NodeRequests {
  const model = collection<NodeDay>(connection, 'nodeRequests', nodeFields, [[{ date: 1 }, { name: 'date' }]])
  return {
    async add(date, chain, counts) {
      const $inc = Object.fromEntries(Object.entries(counts).map(([method, count]) => [`methods.${method}`, count]))
      const update = { $inc, $setOnInsert: { date, chain } }
      const _id = `${date}:${chain}`
      await rememberingRefusal(connection, () => model.collection.updateOne({ _id } as never, update, { upsert: true }))
    },
    async on(date) {
      const days = await model.find({ date }).lean<NodeDay[]>()
      return days.map(({ chain, methods }) => ({ chain, methods }))
    },
  }
}
