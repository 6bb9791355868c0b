import { eventIdBefore } from '../../events/event-id'
import { type EventFilter, isSelected, scopeOf, textFor } from '../../events/event-page'
import type { EventReader } from '../../ports/webhooks'
import type { Caller } from '../request/caller'
import type { StreamPermit } from './stream-permits'

export type StreamPorts = {
  events: EventReader
  isDraining: () => boolean
  now: () => number
  noteTrouble: (error: unknown) => void
}
/** `after` is a position of the log. */
export type Resume = { after: number } | { reset: 'TOO_OLD' | 'UNKNOWN_ID' } | null

/** Interval of checking whether the stream may go on, if no event comes. */
const tickMs = 250
const pingMs = 15_000
/** Interval of comments. Only a write reveals that the reader is gone. */
const pulseMs = 1_500
const lifeMs = 60 * 60_000
/** Limits for a slow reader: frames left in its queue, and time without taking a frame. */
const queuedMax = 1_000
const slowMs = 10_000
const pageMax = 500

const text = new TextEncoder()
/** @param data One line of JSON. */
const frame = (event: string, data: string, id?: string): Uint8Array =>
  text.encode(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${data}\n\n`)

const overflow = frame('reset', '{"reason":"OVERFLOW"}')
/** A comment, which readers of events ignore. */
const pulse = text.encode(':\n\n')

/** The caller of a stream, its filter, and the position to resume from. */
type Reading = { caller: Caller; filter: EventFilter; resume: Resume; permit: StreamPermit }
type Reader = ReadableStreamDefaultController<Uint8Array>
/** @returns false if the stream must end. */
type WriteBytes = (bytes: Uint8Array) => Promise<boolean>

/**
 * Streams events as they happen. A reader that resumes gets every event that it missed. The stream ends when the key is
 * revoked, at shutdown, after an hour, and when the reader is too slow (extensions 6.2).
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
        sendAll(ports, reading, reader, left.signal)
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
    new CountQueuingStrategy({ highWaterMark: queuedMax }),
  )
}

/** Sends a reader every event after its position, until the reader has left or the stream must end. */
async function sendAll(ports: StreamPorts, reading: Reading, reader: Reader, left: AbortSignal): Promise<void> {
  const { now, events, isDraining } = ports
  const { caller, filter, resume, permit } = reading
  const openedAt = now()
  const mayGoOn = async () =>
    !left.aborted &&
    !isDraining() &&
    now() - openedAt <= lifeMs &&
    (await isStillAdmitted(caller)) &&
    (await permit.renew())
  const put = putting(reader, left, mayGoOn)
  let wake = Promise.withResolvers<void>()
  const stop = events.subscribe(filter.tenant, () => wake.resolve())
  left.addEventListener('abort', stop)
  let position = resume && 'after' in resume ? resume.after : await events.head()
  // The id comes first: a reader without any event needs it as its position after a reconnect. After a reset, the id is
  // part of the same frame, so a reader gets both or neither.
  const beginning = eventIdBefore(openedAt)
  reader.enqueue(text.encode(resume ? 'retry: 3000\n\n' : `retry: 3000\nid: ${beginning}\n\n`))
  if (resume && 'reset' in resume) await put(frame('reset', `{"reason":"${resume.reset}"}`, beginning))

  for (let [pingAt, pulseAt] = [now(), now()]; !left.aborted; ) {
    if (!(await mayGoOn())) return
    wake = Promise.withResolvers<void>()
    const page = await events.after(position, scopeOf(filter), pageMax)
    for (const event of page.events) {
      if (!isSelected(filter, event)) continue
      if (!(await put(frame(event.type, textFor(filter.tenant, event), event.id)))) return
    }
    position = page.to
    if (page.isMore) continue
    const isPing = now() - pingAt >= pingMs
    if (isPing || now() - pulseAt >= pulseMs) {
      pulseAt = now()
      if (isPing) pingAt = now()
      if (!(await put(isPing ? frame('ping', '{}') : pulse))) return
    }
    await Promise.race([wake.promise, Bun.sleep(tickMs)])
  }
}

/** Puts frames into the queue of a reader, and waits while it is full. */
const putting =
  (reader: Reader, left: AbortSignal, mayGoOn: () => Promise<boolean>): WriteBytes =>
  async (bytes) => {
    const isFull = () => (reader.desiredSize ?? 1) <= 0
    const since = performance.now()
    while (isFull() && performance.now() - since < slowMs) {
      if (!(await mayGoOn())) return false
      await Bun.sleep(tickMs / 10)
    }
    if (left.aborted) return false
    const isTooSlow = isFull()
    reader.enqueue(isTooSlow ? overflow : bytes)
    return !isTooSlow
  }

const isStillAdmitted = async ({ isAdmitted }: Caller): Promise<boolean> => (isAdmitted ? isAdmitted() : true)
