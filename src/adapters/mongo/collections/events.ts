import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import { dueAtOf, markOf, marksFrom } from '../../../domain/event-marks'
import type { EventLog, EventMarks, LoggedEvent } from '../../../ports/webhooks'
import { collection, text, textOrNull, whole } from '../engine/collection'
import { rememberingRefusal } from '../engine/write-refusal'

type Row = Omit<LoggedEvent, 'position'> & { _id: string }

const fields = {
  id: text,
  dataId: text,
  seq: whole,
  type: text,
  organizationId: textOrNull,
  userId: textOrNull,
  at: whole,
  loggedAt: whole,
  text,
}

const duplicateKey = 11000
const positionDigits = 16
const idOf = (position: number): string => String(position).padStart(positionDigits, '0')
const fromRow = ({ _id, ...event }: Row): LoggedEvent => ({ position: Number(_id), ...event })
const byPosition = (a: LoggedEvent, b: LoggedEvent): number => a.position - b.position

/**
 * Append-only: no code here changes an event. `_id` is the position. If two processes append at one position, only one
 * succeeds, so only `_id` has to be unique. An ordered insert stops at the first refusal, so the log never has a gap.
 */
export function mongoEventLog(connection: Connection): EventLog {
  const model = collection<Row>(connection, 'events', fields, [
    [{ organizationId: 1, _id: 1 }, { name: 'organization' }],
    [
      { userId: 1, organizationId: 1, _id: 1 },
      { name: 'user', partialFilterExpression: { userId: { $gt: '' } } },
    ],
    [{ dataId: 1, _id: 1 }, { name: 'data' }],
    [{ id: 1 }, { name: 'id' }],
  ])
  const rows = model.collection as unknown as Collection<Row>

  const next = async (filter: object, index: string, limit: number): Promise<LoggedEvent[]> => {
    const cursor = rows.find(filter).sort({ _id: 1 }).hint(index).limit(limit)
    return (await cursor.toArray()).map(fromRow)
  }

  async function head(): Promise<LoggedEvent | null> {
    const [last] = await rows.find().sort({ _id: -1 }).hint('_id_').limit(1).toArray()
    return last ? fromRow(last) : null
  }

  async function loggedAt(filter: object): Promise<{ position: number; loggedAt: number } | null> {
    const cursor = rows.find(filter, { projection: { loggedAt: 1 } }).sort({ _id: 1 })
    const [row] = await cursor.hint('_id_').limit(1).toArray()
    return row ? { position: Number(row._id), loggedAt: row.loggedAt } : null
  }

  return {
    head,
    async append(events) {
      const documents = events.map(({ position, ...event }) => ({ _id: idOf(position), ...event }))
      try {
        await rememberingRefusal(connection, () => rows.insertMany(documents, { ordered: true }))
        return true
      } catch (error) {
        if ((error as { code?: unknown }).code !== duplicateKey) throw error
        return false
      }
    },
    async named(dataIds) {
      const projection = { _id: 0, id: 1, dataId: 1, seq: 1, type: 1 } as const
      const cursor = rows.find({ dataId: { $in: [...dataIds] } }, { projection })
      return cursor.hint('data').toArray()
    },
    async after(position, { organizationId, userId, dataId }, limit) {
      const beyond: { _id: { $gt: string; $lte?: string } } = { _id: { $gt: idOf(position) } }
      if (dataId !== undefined) {
        const all = await next({ dataId, ...beyond }, 'data', limit)
        const isOf = (one: LoggedEvent): boolean => [null, one.organizationId].includes(organizationId)
        return all.filter((one) => isOf(one) || one.organizationId === null)
      }
      if (userId !== undefined) {
        if (organizationId !== null) return next({ userId, organizationId, ...beyond }, 'user', limit)
        return next({ userId, ...beyond }, '_id_', limit)
      }
      if (organizationId === null) return next(beyond, '_id_', limit)
      // Both parts are read up to one position: an event appended in between must not be passed over.
      const [last] = await rows
        .find({}, { projection: { _id: 1 } })
        .sort({ _id: -1 })
        .hint('_id_')
        .limit(1)
        .toArray()
      if (!last) return []
      beyond._id.$lte = last._id
      const own = await next({ organizationId, ...beyond }, 'organization', limit)
      const shared = await next({ organizationId: null, ...beyond }, 'organization', limit)
      if (shared.length === 0) return own
      // An event of the organization may have been appended before the last shared one and after the first read.
      const end = Math.max(own.at(-1)?.position ?? 0, shared.at(-1)!.position)
      const within = { _id: { $gt: idOf(position), $lte: idOf(end) } }
      const all = await next({ organizationId, ...within }, 'organization', limit)
      return [...all, ...shared].toSorted(byPosition).slice(0, limit)
    },
    async positionOf(id) {
      const [row] = await rows
        .find({ id }, { projection: { _id: 1 } })
        .hint('id')
        .limit(1)
        .toArray()
      return row ? Number(row._id) : null
    },
    async positionBefore(time) {
      const [first, last] = [await loggedAt({}), await head()]
      if (!first || !last) return 0
      if (last.loggedAt < time) return last.position
      // Positions have no gap and times never decrease, so bisection needs no index of time.
      let [low, high] = [first.position - 1, last.position]
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2)
        const there = await loggedAt({ _id: { $gte: idOf(middle) } })
        if (there && there.loggedAt < time) low = middle
        else high = middle
      }
      return low
    },
  }
}

type Marked = { _id: string; keys: { unlogged: string } }

/** The marks of records with events that might not be in the log. They are set in the write that makes the event. */
export function mongoEventMarks(connection: Connection): EventMarks {
  const of = (name: string) => connection.db!.collection<Marked>(name)
  return {
    async due(name, after, to, limit) {
      const cursor = of(name)
        .find({ 'keys.unlogged': { $gt: marksFrom(after + 1), $lt: marksFrom(to + 1) } })
        .project<Marked>({ 'keys.unlogged': 1 })
        .sort({ 'keys.unlogged': 1 })
        .hint('unlogged')
        .limit(limit)
      const rows = await cursor.toArray()
      return rows.map(({ _id: id, keys: { unlogged: mark } }) => ({ collection: name, id, dueAt: dueAtOf(mark), mark }))
    },
    async clear(marks) {
      for (const [name, group] of Map.groupBy(marks, ({ collection }) => collection)) {
        const [last, moved] = [group.filter(({ next }) => next === null), group.filter(({ next }) => next !== null)]
        const marked = {
          _id: { $in: last.map(({ id }) => id) },
          'keys.unlogged': { $in: last.map(({ mark }) => mark) },
        }
        // One command for all of them: each one for itself costs the database several times as much.
        if (last.length > 0) await of(name).updateMany(marked, { $unset: { 'keys.unlogged': '' } })
        for (const { id: _id, mark, next } of moved)
          await of(name).updateOne({ _id, 'keys.unlogged': mark }, { $set: { 'keys.unlogged': markOf(next!, mark) } })
      }
    },
  }
}
