import { BoundedMap } from '../../domain/bounded-map'
import { streamMessages } from '../../domain/server-sent-events'
import type { MovingView } from '../../http/views/event'
import { apiErrorOf, openStream, queryOf } from '../data/api'

/** An event of a deposit or an execution. The stream requests no others. */
export type LiveEvent = MovingView
export type LiveState = 'connecting' | 'live' | 'silent' | 'offline'

type StreamListeners = {
  onEvents: (events: LiveEvent[]) => void
  onState: (state: LiveState) => void
  /** Called if events were lost, so everything on screen must be fetched again. */
  onReset: () => void
  onSignedOut: () => void
}

const types = 'deposit.*,execution.*,execution.moved'
/** The service sends something every 1.5 seconds. After this much silence the stream counts as not live. */
const silentMs = 4_000
const silentMsMax = 15_000
const gatherMs = 100
const seenMax = 4_000

/**
 * Follows an organization's events until the signal aborts. It resumes where it stopped and passes no event on twice.
 */
export async function followEvents(signal: AbortSignal, { onEvents, onState, onReset, onSignedOut }: StreamListeners) {
  let lastId: string | null = null
  let failures = 0
  const eventIds = new BoundedMap<string, true>(seenMax)
  let gathered: LiveEvent[] = []
  let _timer: ReturnType<typeof setTimeout> | null = null

  function gather(event: LiveEvent): void {
    lastId = event.id
    if (eventIds.has(event.id)) return
    eventIds.set(event.id, true)
    gathered.push(event)
    _timer ??= setTimeout(() => {
      _timer = null
      const events = gathered
      gathered = []
      onEvents(events)
    }, gatherMs)
  }

  while (!signal.aborted) {
    try {
      const attempt = new AbortController()
      const stop = () => attempt.abort()
      signal.addEventListener('abort', stop, { once: true })
      const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId }
      const response = await openStream(`/events${queryOf({ types })}`, headers, attempt.signal)
      if (response.status === 401) return onSignedOut()
      if (!response.ok || !response.body) throw apiErrorOf(response, null)
      onState('live')
      // Events between the page's first responses and this stream are in neither, so everything is fetched again.
      if (failures > 0 && lastId === null) onReset()
      failures = 0
      await readFrames(response.body, attempt, onState, (name, data) => {
        if (name === 'reset') onReset()
        else if (name !== 'ping') gather(JSON.parse(data) as LiveEvent)
      })
      signal.removeEventListener('abort', stop)
    } catch {
      failures += 1
    }
    if (signal.aborted) return
    if (failures > 0) onState('offline')
    await pause(Math.min(500 * 2 ** Math.min(failures, 5), 10_000) * (0.5 + Math.random()), signal)
  }
}

async function readFrames(
  body: ReadableStream<Uint8Array>,
  attempt: AbortController,
  onState: (state: LiveState) => void,
  listener: (name: string, data: string) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>
  const read = streamMessages()
  for (;;) {
    const silence = setTimeout(() => onState('silent'), silentMs)
    const end = setTimeout(() => attempt.abort(), silentMsMax)
    const { done, value } = await reader.read().finally(() => {
      clearTimeout(silence)
      clearTimeout(end)
    })
    if (done) return
    onState('live')
    for (const { event, data } of read(value)) if (data !== '') listener(event, data)
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
