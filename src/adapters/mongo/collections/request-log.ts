import type { Connection } from 'mongoose'
import type { RequestLog, RequestNote } from '../../../ports/limits'
import type { PagePosition } from '../../../ports/records'
import { mongoRequestDays } from './request-days'

const writeMs = 1_000
const notesMax = 100
/** Limits the memory that is used while the database is unreachable. */
const waitingMax = 10_000

type Log = { _id: string; requests: RequestNote[] }

const olderThan = ({ createdAt, id }: PagePosition) => ({
  $or: [{ 'requests.at': { $lt: createdAt } }, { 'requests.at': createdAt, id: { $lt: id } }],
})

/** The id in the position of a request (`positionOfRequest`). */
const withId = { $set: { id: { $concat: ['$_id', ' ', '$requests.requestId'] } } }

/** One document for each key with its newest requests, and one for each key and day with the totals. */
export function mongoRequestLog(connection: Connection): RequestLog {
  const logs = connection.db!.collection<Log>('requestLogs')
  const days = mongoRequestDays(connection)
  let waiting = new Map<string, RequestNote[]>()
  let count = 0
  let timer: ReturnType<typeof setTimeout> | null = null

  async function writeNotes(): Promise<void> {
    const gathered = waiting
    waiting = new Map()
    count = 0
    if (gathered.size === 0) return
    const writes = [...gathered].map(([_id, notes]) => ({
      updateOne: {
        filter: { _id },
        update: { $push: { requests: { $each: notes.slice(-notesMax), $slice: -notesMax } } },
        upsert: true,
      },
    }))
    // Notes that cannot be written are lost. They are a convenience and not a record.
    await logs.bulkWrite(writes as never, { ordered: false, writeConcern: { w: 1 } }).catch(() => {})
  }

  function writeSoon(): void {
    timer ??= setTimeout(() => {
      timer = null
      void Promise.all([writeNotes(), days.write().catch(writeSoon)])
    }, writeMs)
    timer.unref?.()
  }

  return {
    note(keyId, request) {
      days.count(keyId, request.at, request.status >= 400)
      writeSoon()
      if (count >= waitingMax) return
      count += 1
      const requestNotes = waiting.get(keyId)
      if (requestNotes) requestNotes.push(request)
      else waiting.set(keyId, [request])
    },
    async list({ keyIds, areRefused }, { limit, after }) {
      // The database merges the keys, so that a page costs no more memory here than its own rows.
      const rows = await logs
        .aggregate<{ _id: string; requests: RequestNote }>([
          { $match: { _id: { $in: [...keyIds] } } },
          { $unwind: '$requests' },
          { $match: areRefused ? { 'requests.status': { $gte: 400 } } : {} },
          withId,
          { $match: after ? olderThan(after) : {} },
          { $sort: { 'requests.at': -1, id: -1 } },
          { $limit: limit },
        ])
        .toArray()
      return rows.map(({ _id, requests }) => ({ ...requests, keyId: _id }))
    },
    counts: days.read,
    async settle() {
      await Promise.all([writeNotes(), days.write()])
    },
  }
}
