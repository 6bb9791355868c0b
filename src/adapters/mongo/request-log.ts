import type { Connection } from 'mongoose'
import type { RequestCount, RequestLog, RequestNote } from '../../ports/request-log'

const writeMs = 1_000
const keptMax = 100
/** A database that is away must not fill the memory. */
const waitingMax = 10_000

type Log = { _id: string; requests: RequestNote[] }
type Day = { _id: string; requests: number; errors: number }

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** One document per key with its newest requests, one per key and day with how many there were. */
export function mongoRequestLog(connection: Connection): RequestLog {
  const logs = connection.db!.collection<Log>('requestLogs')
  const days = connection.db!.collection<Day>('requestDays')
  let waiting = new Map<string, RequestNote[]>()
  let count = 0
  let timer: ReturnType<typeof setTimeout> | null = null

  async function write(): Promise<void> {
    timer = null
    const gathered = waiting
    waiting = new Map()
    count = 0
    const logWrites = [...gathered].map(([_id, notes]) => ({
      updateOne: {
        filter: { _id },
        update: { $push: { requests: { $each: notes.slice(-keptMax), $slice: -keptMax } } },
        upsert: true,
      },
    }))
    const tally = new Map<string, { requests: number; errors: number }>()
    for (const [key, notes] of gathered)
      for (const { at, status } of notes) {
        const id = `${key}:${dateOf(at)}`
        const { requests, errors } = tally.get(id) ?? { requests: 0, errors: 0 }
        tally.set(id, { requests: requests + 1, errors: errors + (status >= 400 ? 1 : 0) })
      }
    const dayWrites = [...tally].map(([_id, $inc]) => ({
      updateOne: { filter: { _id }, update: { $inc }, upsert: true },
    }))
    const options = { ordered: false, writeConcern: { w: 1 } } as const
    await Promise.all([logs.bulkWrite(logWrites as never, options), days.bulkWrite(dayWrites, options)])
  }

  return {
    note(keyId, request) {
      if (count >= waitingMax) return
      count += 1
      const known = waiting.get(keyId)
      if (known) known.push(request)
      else waiting.set(keyId, [request])
      // What cannot be written is lost: it is a comfort, not a record.
      timer ??= setTimeout(() => void write().catch(() => {}), writeMs)
      timer.unref?.()
    },
    async ofKey(keyId) {
      return ((await logs.findOne({ _id: keyId }))?.requests ?? []).toReversed()
    },
    async counts(keyIds, from, to): Promise<RequestCount[]> {
      const ranges = keyIds.map((id) => ({ _id: { $gte: `${id}:${from}`, $lte: `${id}:${to}` } }))
      if (ranges.length === 0) return []
      const found = await days.find({ $or: ranges }).toArray()
      return found.map(({ _id, requests, errors }) => {
        const at = _id.lastIndexOf(':')
        return { keyId: _id.slice(0, at), date: _id.slice(at + 1), requests, errors }
      })
    },
  }
}
