import { BoundedMap } from '../../domain/bounded-map'
import { type StreamMessage, streamMessages } from '../../domain/server-sent-events'
import { Failure } from '../terminal/failure'
import type { Access } from './operator-api'
import { sendToService, whyNoAnswer } from './reach'

/** An event as it came, byte for byte, with what of it is needed to show it. */
export type Heard = {
  body: string
  id: string
  type: string
  timestamp: string
  data: { id?: string; userId?: string; chainKey?: string; month?: string }
}

/** What an event happened to, besides the user: what it names of a deposit, an endpoint, a chain or a month. */
export const subjectOf = ({ data: { id, chainKey, month } }: Heard): string => id ?? chainKey ?? month ?? ''

type Following = {
  access: Pick<Access, 'url' | 'key'>
  types?: string | undefined
  userId?: string | undefined
  /** The event after which to begin; without one, now. */
  after?: string | undefined
  signal: AbortSignal
  onEvent: (event: Heard) => void
  /** Called when the stream is open, and again when it is open again. */
  onOpen: () => void
  /** Called once when the stream broke, with the reason, which has no full stop. */
  onBreak: (why: string) => void
  /** Called when events before these are not kept any more. */
  onMissed: () => void
  /** Waits before another try; only tests have their own. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The service sends something at least this often; a connection that is silent for longer is dead. */
const silentMs = 20_000
/** The first pause before another try. It doubles up to sixteen times as long, until something is heard again. */
const pauseMs = 500
const seenMax = 50_000

/**
 * Follows the events of an organization until the signal aborts. After a break it goes on where it stopped: no event is
 * left out, and none is passed on twice.
 *
 * @throws {Failure} if the key is refused, or the request is wrong.
 */
export async function followEvents(following: Following): Promise<void> {
  const { signal, onEvent, onOpen, onBreak, onMissed, wait = pause } = following
  const seen = new BoundedMap<string, true>(seenMax)
  let lastId = following.after ?? null
  /** The streams in a row that ended, however they did, before anything was heard. */
  let failures = 0
  let isBroken = false

  function hear({ event, data, id }: StreamMessage): void {
    if (id !== null) lastId = id
    if (event !== 'reset' && data !== '') {
      failures = 0
      isBroken = false
    }
    if (event === 'reset') {
      const { reason } = JSON.parse(data) as { reason: string }
      if (reason === 'UNKNOWN_ID') throw new Failure(`${following.after} is not the id of an event, such as evt_….`)
      // A reader that was too slow goes on from the last event that it has. Otherwise that is no place any more.
      if (reason === 'OVERFLOW') return
      lastId = id
      onMissed()
    } else if (data !== '' && event !== 'ping') {
      const heard = JSON.parse(data) as Omit<Heard, 'body'>
      if (seen.has(heard.id)) return
      seen.set(heard.id, true)
      onEvent({ ...heard, body: data })
    }
  }

  while (!signal.aborted) {
    try {
      await readStream(following, lastId, hear, onOpen)
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

/** Reads one stream until it ends. A stream that the service closed after an hour simply ends. */
async function readStream(
  { access, types, userId, signal }: Following,
  lastId: string | null,
  hear: (message: StreamMessage) => void,
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
      for (const message of read(decoder.decode(bytes, { stream: true }))) hear(message)
    }
  } finally {
    clearTimeout(silence)
  }
}

/** What is wrong with the request does not go away by trying again; everything else may. */
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
