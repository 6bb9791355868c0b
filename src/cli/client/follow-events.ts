import { BoundedMap } from '../../domain/bounded-map'
import { type StreamMessage, streamMessages } from '../../domain/server-sent-events'
import { Failure } from '../terminal/failure'
import type { Access } from './operator-api'
import { sendToService, whyNoAnswer } from './reach'

/** An event byte for byte, with the fields that are shown. */
export type ReceivedEvent = {
  body: string
  id: string
  type: string
  timestamp: string
  data: { id?: string; userId?: string; chainKey?: string; month?: string }
}

/** Returns the subject of an event other than its user: a deposit, an endpoint, a chain or a month. */
export const subjectOf = ({ data: { id, chainKey, month } }: ReceivedEvent): string => id ?? chainKey ?? month ?? ''

type Following = {
  access: Pick<Access, 'url' | 'key'>
  types?: string | undefined
  userId?: string | undefined
  /** Starts after this event; without it, now. */
  after?: string | undefined
  signal: AbortSignal
  onEvent: (event: ReceivedEvent) => void
  /** Called when the stream opens, and each time it opens again. */
  onOpen: () => void
  /** Called once when the stream breaks. The reason has no full stop. */
  onBreak: (why: string) => void
  /** Called when the service no longer stores the events before these. */
  onMissed: () => void
  /** Waits before the next attempt. Only tests replace it. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The service sends something within this interval. A connection that is silent for longer is dead. */
const silentMs = 20_000
/** First pause between attempts. It doubles up to sixteen times that, until something arrives. */
const pauseMs = 500
const seenMax = 50_000

/**
 * Follows an organization's events until the signal aborts. After a break it resumes where it stopped: no event is lost
 * or passed on twice.
 *
 * @throws {Failure} if the key is refused or the request is invalid.
 */
export async function followEvents(following: Following): Promise<void> {
  const { signal, onEvent, onOpen, onBreak, onMissed, wait = pause } = following
  const eventIds = new BoundedMap<string, true>(seenMax)
  let lastId = following.after ?? null
  /** Streams in a row that ended before anything arrived. */
  let failures = 0
  let isBroken = false

  function receive({ event, data, id }: StreamMessage): void {
    if (id !== null) lastId = id
    if (event !== 'reset' && data !== '') {
      failures = 0
      isBroken = false
    }
    if (event === 'reset') {
      const { reason } = JSON.parse(data) as { reason: string }
      if (reason === 'UNKNOWN_ID') throw new Failure(`${following.after} is not the id of an event, such as evt_….`)
      // OVERFLOW: this reader was too slow and resumes after its last event. For any other reason that position no
      // longer exists.
      if (reason === 'OVERFLOW') return
      lastId = id
      onMissed()
    } else if (data !== '' && event !== 'ping') {
      const receivedEvent = JSON.parse(data) as Omit<ReceivedEvent, 'body'>
      if (eventIds.has(receivedEvent.id)) return
      eventIds.set(receivedEvent.id, true)
      onEvent({ ...receivedEvent, body: data })
    }
  }

  while (!signal.aborted) {
    try {
      await readStream(following, lastId, receive, onOpen)
    } catch (error) {
      if (error instanceof Failure) throw error
      if (signal.aborted) return
      if (!isBroken) onBreak(whyNoAnswer(error))
      isBroken = true
    }
    await wait(pauseMs * 2 ** Math.min(failures, 4) * (0.5 + Math.random()), signal)
    failures += 1
  }
}

/** Reads one stream until it ends. The service closes a stream after an hour, which is a normal end. */
async function readStream(
  { access, types, userId, signal }: Following,
  lastId: string | null,
  receive: (message: StreamMessage) => void,
  onOpen: () => void,
): Promise<void> {
  const query = new URLSearchParams(
    Object.entries({ types, userId }).filter(([, value]) => value) as [string, string][],
  )
  const ending = new AbortController()
  const end = () => ending.abort(new Error('it fell silent'))
  let silence = setTimeout(end, silentMs)
  try {
    const response = await sendToService(`${access.url}/api/events/stream?${query}`, {
      headers: { 'x-api-key': access.key, ...(lastId !== null && { 'last-event-id': lastId }) },
      signal: AbortSignal.any([signal, ending.signal]),
    })
    if (!response.ok || !response.body) throw await refusalOf(response)
    onOpen()
    const read = streamMessages()
    const decoder = new TextDecoder()
    for await (const bytes of response.body) {
      clearTimeout(silence)
      silence = setTimeout(end, silentMs)
      for (const message of read(decoder.decode(bytes, { stream: true }))) receive(message)
    }
  } finally {
    clearTimeout(silence)
  }
}

/** An invalid request fails again on a retry. Any other error might pass. */
async function refusalOf(response: Response): Promise<Error> {
  const answer = (await response.json().catch(() => null)) as { message?: string } | null
  const code = response.headers.get('x-error-code')
  const sentence = `${answer?.message ?? 'The stream was refused without a reason'} (${response.status}${code ? ` ${code}` : ''})`
  return [400, 401, 403, 404].includes(response.status) ? new Failure(sentence) : new Error(sentence)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
