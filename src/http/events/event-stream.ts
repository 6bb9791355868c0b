import { BoundedMap } from '../../domain/bounded-map'
import type { Caller } from '../request/caller'
import { type FeedEvent, placeOf } from '../views/event'
import type { ViewContextFor } from '../views/view-context'
import { type FeedFilter, type FeedPorts, matches, nextEvents } from './event-feed'
import { eventIdBefore } from './event-id'
import type { Subscribe } from './event-subscription'
import type { StreamPermit } from './stream-permits'

export type StreamPorts = FeedPorts & {
  subscribe: Subscribe
  viewContextFor: ViewContextFor
  isDraining: () => boolean
  now: () => number
  noteTrouble: (error: unknown) => void
}
export type Resume = { from: number } | { reset: 'TOO_OLD' | 'UNKNOWN_ID' } | null

const beatMs = 250
const pingMs = 15_000
/** Interval of comments. Only a write reveals that the reader is gone. */
const pulseMs = 1_500
const lifeMs = 60 * 60_000
/** Limits for a slow reader: frames left in its queue, time without taking a frame, and waiting events. */
const handedMax = 1_000
const slowMs = 10_000
const waitingMax = 50_000
const toldMax = 20_000
const pageMax = 500

const text = new TextEncoder()
const frame = (event: string, data: object, id?: string): Uint8Array =>
  text.encode(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const overflow = frame('reset', { reason: 'OVERFLOW' })
/** A comment, which readers of events ignore. */
const pulse = text.encode(':\n\n')

/** The caller of a stream, its filter, and the position to resume from. */
type Reading = { caller: Caller; filter: FeedFilter; resume: Resume; permit: StreamPermit }
type Reader = ReadableStreamDefaultController<Uint8Array>
/** @returns false if the stream must end. */
type Put = (bytes: Uint8Array) => Promise<boolean>
type Tell = (happened: FeedEvent[]) => Promise<boolean>

/**
 * Streams events as they happen. A reader that resumes gets every event that it missed, a few of them twice. The stream
 * ends when the key is revoked, at shutdown, after an hour, and when the reader is too slow (extensions 6.2).
 */
export function eventStream(ports: StreamPorts, reading: Reading, signal: AbortSignal): ReadableStream<Uint8Array> {
  const left = new AbortController()
  const end = (): void => {
    if (left.signal.aborted) return
    left.abort()
    reading.permit.release()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(reader) {
        signal.addEventListener('abort', end)
        tellAll(ports, reading, reader, left.signal)
          .catch(ports.noteTrouble)
          .finally(() => {
            end()
            try {
              reader.close()
            } catch {} // the reader left first
          })
      },
      cancel: end,
    },
    new CountQueuingStrategy({ highWaterMark: handedMax }),
  )
}

/** Sends a reader every event from its resume position on, until the reader has left or the stream must end. */
async function tellAll(ports: StreamPorts, reading: Reading, reader: Reader, left: AbortSignal): Promise<void> {
  const { now, subscribe, viewContextFor, isDraining } = ports
  const { caller, filter, resume, permit } = reading
  const openedAt = now()
  const told = new BoundedMap<string, true>(toldMax)
  let waiting: FeedEvent[] = []
  const mayGoOn = async () =>
    !left.aborted &&
    !isDraining() &&
    now() - openedAt <= lifeMs &&
    (await isStillLetIn(caller)) &&
    (await permit.renew())
  const put = putting(reader, left, mayGoOn)
  const tell = async (happened: FeedEvent[]): Promise<boolean> => {
    const context = await viewContextFor(caller)
    for (const one of happened) {
      if (told.has(one.id)) continue
      told.set(one.id, true)
      if (!(await put(frame(one.type, one.render(context), one.id)))) return false
    }
    return true
  }
  const stop = subscribe(filter.tenant, (happened) => {
    if (matches(filter, happened)) waiting.push(happened)
  })
  left.addEventListener('abort', stop)
  // The id comes first. Otherwise a reader that has received no event could not name its position after a restart.
  // After a reset, the id is part of the same frame, so a reader gets both or neither.
  const beginning = eventIdBefore(openedAt)
  reader.enqueue(text.encode(resume ? 'retry: 3000\n\n' : `retry: 3000\nid: ${beginning}\n\n`))
  if (resume && 'reset' in resume) await put(frame('reset', { reason: resume.reset }, beginning))
  if (resume && 'from' in resume && !(await catchUp(ports, filter, resume.from, tell, left))) return

  for (let [pingAt, pulseAt] = [now(), now()]; !left.aborted; await Bun.sleep(beatMs)) {
    if (!(await mayGoOn())) return
    const batch = waiting
    waiting = []
    if (batch.length > waitingMax) {
      await put(overflow)
      return
    }
    if (batch.length > 0 && !(await tell(batch))) return
    const isPing = now() - pingAt >= pingMs
    if (!isPing && now() - pulseAt < pulseMs) continue
    pulseAt = now()
    if (isPing) pingAt = now()
    if (!(await put(isPing ? frame('ping', {}) : pulse))) return
  }
}

/** Puts frames into the queue of a reader, and waits while it is full. */
const putting =
  (reader: Reader, left: AbortSignal, mayGoOn: () => Promise<boolean>): Put =>
  async (bytes) => {
    const isFull = () => (reader.desiredSize ?? 1) <= 0
    const since = performance.now()
    while (isFull() && performance.now() - since < slowMs) {
      if (!(await mayGoOn())) return false
      await Bun.sleep(beatMs / 10)
    }
    if (left.aborted) return false
    const isTooSlow = isFull()
    reader.enqueue(isTooSlow ? overflow : bytes)
    return !isTooSlow
  }

/** Sends the events from a time until now, page by page. */
async function catchUp(ports: StreamPorts, filter: FeedFilter, from: number, tell: Tell, left: AbortSignal) {
  for (let at = from, after: string | null = null; !left.aborted; ) {
    const to = ports.now()
    const { events, readTo } = await nextEvents(ports, filter, { from: at, to, after, limit: pageMax })
    if (!(await tell(events))) return false
    if (events.length < pageMax && readTo >= to) return true
    at = events.length < pageMax ? readTo : events.at(-1)!.at
    after = events.length < pageMax ? null : placeOf(events.at(-1)!)
  }
  return false
}

const isStillLetIn = async ({ isLetIn }: Caller): Promise<boolean> => (isLetIn ? isLetIn() : true)
