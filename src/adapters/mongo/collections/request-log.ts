import type { Connection } from 'mongoose'
import type { RequestLog, RequestNote } from '../../../ports/limits'
import { mongoRequestDays } from './request-days'

const writeMs = 1_000
const notesMax = 100
/** Limits the memory that is used while the database is unreachable. */
const waitingMax = 10_000

type Log = { _id: string; requests: RequestNote[] }

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

  /** Returns the keys with the newest requests, refused or not. */
  async function usedLast(keyIds: readonly string[]): Promise<readonly string[]> {
    if (keyIds.length <= notesMax) return keyIds
    const last = await logs.find({ _id: { $in: [...keyIds] } }, { projection: { requests: { $slice: -1 } } }).toArray()
    const atOf = ({ requests: [newest] }: Log): number => newest?.at ?? 0
    return last
      .toSorted((a, b) => atOf(b) - atOf(a))
      .slice(0, notesMax)
      .map(({ _id }) => _id)
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
    async ofKeys(keyIds) {
      const stored = await logs.find({ _id: { $in: [...(await usedLast(keyIds))] } }).toArray()
      const requests = stored.flatMap((log) => log.requests.map((request) => ({ ...request, keyId: log._id })))
      return requests
        .toReversed()
        .toSorted((a, b) => b.at - a.at)
        .slice(0, notesMax)
    },
    counts: days.read,
    async settle() {
      await Promise.all([writeNotes(), days.write()])
    },
  }
}
