import type { Caller } from '../request/caller'
import type { FeedEvent } from '../views/event'
import type { ViewContextFor } from '../views/view-context'
import { type FeedFilter, type FeedPorts, matches, nextEvents } from './event-feed'
import type { Subscribe } from './event-subscription'
import type { StreamPlace } from './stream-places'

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
/** A comment is sent this often, because only a write shows that nobody reads any more. */
const pulseMs = 1_500
const lifeMs = 60 * 60_000
/**
 * What a slow reader may do: leave this many frames in its queue, take none for this long, and let this many events
 * wait.
 */
const handedMax = 1_000
const slowMs = 10_000
const waitingMax = 50_000
const pageMax = 500

const text = new TextEncoder()
const frame = (event: string, data: object, id?: string): Uint8Array =>
  text.encode(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const overflow = frame('reset', { reason: 'OVERFLOW' })
/** A comment, which readers of events do not notice. */
const pulse = text.encode(':\n\n')

/**
 * Streams events as they happen. A reader that resumes gets everything that it missed, a little of it twice. The stream
 * ends when the key is revoked, at shutdown, after an hour, and when the reader is too slow (extensions 6.2).
 */
export function eventStream(
  ports: StreamPorts,
  caller: Caller,
  filter: FeedFilter,
  resume: Resume,
  signal: AbortSignal,
  place: StreamPlace,
): ReadableStream<Uint8Array> {
  const { now, subscribe, viewContextFor, isDraining, noteTrouble } = ports
  const openedAt = now()
  const told = new Set<string>()
  let waiting: FeedEvent[] = []
  let isOver = false
  let stop = (): void => {}

  function end(): void {
    if (isOver) return
    isOver = true
    stop()
    place.leave()
  }

  async function live(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const isFull = () => (controller.desiredSize ?? 1) <= 0
    const mayGoOn = async () =>
      !isOver && !isDraining() && now() - openedAt <= lifeMs && (await isStillLetIn(caller)) && (await place.keep())
    const put = async (bytes: Uint8Array): Promise<boolean> => {
      const since = performance.now()
      while (isFull() && performance.now() - since < slowMs) {
        if (!(await mayGoOn())) return false
        await Bun.sleep(beatMs / 10)
      }
      if (isOver) return false
      const isTooSlow = isFull()
      controller.enqueue(isTooSlow ? overflow : bytes)
      return !isTooSlow
    }
    const tell = async (happened: FeedEvent[]): Promise<boolean> => {
      const context = await viewContextFor(caller)
      for (const one of happened) {
        if (told.has(one.id)) continue
        told.add(one.id)
        if (!(await put(frame(one.type, one.render(context), one.id)))) return false
      }
      return true
    }
    stop = subscribe(filter.tenant, (happened) => {
      if (matches(filter, happened)) waiting.push(happened)
    })
    controller.enqueue(text.encode('retry: 3000\n\n'))
    if (resume && 'reset' in resume) await put(frame('reset', { reason: resume.reset }))
    if (resume && 'from' in resume && !(await catchUp(resume.from, tell))) return

    for (let [pingAt, pulseAt] = [now(), now()]; !isOver; await Bun.sleep(beatMs)) {
      if (!(await mayGoOn())) return
      const news = waiting
      waiting = []
      if (news.length > waitingMax) {
        await put(overflow)
        return
      }
      if (news.length > 0 && !(await tell(news))) return
      if (told.size > 20_000) told.clear()
      const isPing = now() - pingAt >= pingMs
      if (!isPing && now() - pulseAt < pulseMs) continue
      pulseAt = now()
      if (isPing) pingAt = now()
      if (!(await put(isPing ? frame('ping', {}) : pulse))) return
    }
  }

  async function catchUp(from: number, tell: (happened: FeedEvent[]) => Promise<boolean>): Promise<boolean> {
    for (let at = from, after: string | null = null; !isOver; ) {
      const to = now()
      const { events, readTo } = await nextEvents(ports, filter, { from: at, to, after, limit: pageMax })
      if (!(await tell(events))) return false
      if (events.length < pageMax && readTo >= to) return true
      at = events.length < pageMax ? readTo : events.at(-1)!.at
      after = events.length < pageMax ? null : events.at(-1)!.id
    }
    return false
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener('abort', end)
        live(controller)
          .catch(noteTrouble)
          .finally(() => {
            end()
            try {
              controller.close()
            } catch {} // the reader left first
          })
      },
      cancel: end,
    },
    new CountQueuingStrategy({ highWaterMark: handedMax }),
  )
}

const isStillLetIn = async ({ isLetIn }: Caller): Promise<boolean> => (isLetIn ? isLetIn() : true)
