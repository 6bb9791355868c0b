import { ConnectionError, EventsLostError, SwitchyardError } from './errors.js'
import { wait, waitAfter } from './retry.js'
import type { components } from './schema.js'
import { messagesOf } from './server-sent.js'
import type { Transport, Values, Written } from './transport.js'

type Event = components['schemas']['Event']

export type StreamOptions = {
  signal?: AbortSignal
  /** Called each time when the stream is open: whatever happens from then on is told. Read then what was before. */
  onOpen?: () => void | Promise<void>
  /**
   * Called when events were missed that the service no longer keeps; fetch what you show anew, and the stream goes on.
   * Without it the stream throws an EventsLostError.
   */
  onReset?: (reason: string) => void | Promise<void>
}

/** A ping comes every 15 seconds, so nothing for this long is a connection that only seems to be there. */
const quietMs = 45_000
/** A stream that is resumed begins a little earlier, so this many events are remembered to be left out. */
const rememberedMax = 20_000

/**
 * Gives events as they happen, for ever: it reconnects when the stream ends and resumes after the last event, so that
 * none is left out. An event is given once by one stream. Processing must still bear a repetition, because a process
 * that starts again resumes at the last id that it stored.
 */
export async function* streamOf(
  transport: Transport,
  query: Values,
  { signal, onOpen, onReset }: StreamOptions,
): AsyncGenerator<Event, void, undefined> {
  const rules = { ...transport.retry, attempts: Number.POSITIVE_INFINITY, retryAfterSecondsMax: 3_600 }
  const known = new Set<string>()
  let last = typeof query['after'] === 'string' ? query['after'] : null
  let pauseMs = 3_000

  for (let failures = 0; ; ) {
    signal?.throwIfAborted()
    // What cannot be written is the caller's, and no reason to try again.
    const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
    const written = transport.written({ method: 'GET', path: '/api/events/stream', query }, headers)
    const connection = new AbortController()
    const leave = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    let waitMs = 0
    try {
      const answer = await opened(transport, written, connection)
      await ofConsumer(onOpen)
      const onQuiet = () => connection.abort(new Error(`Nothing for ${quietMs} ms`))
      for await (const { event, data, id, retryMs } of messagesOf(answer.body!, { quietMs, onQuiet })) {
        failures = 0
        if (retryMs !== null) pauseMs = retryMs
        if (event === 'reset') {
          const { reason } = JSON.parse(data) as { reason: string }
          // After an overflow the service closes the stream, and the next one resumes without a gap.
          if (reason !== 'OVERFLOW') await lost(reason, onReset)
        } else if (event !== 'ping' && data !== '') {
          const told = JSON.parse(data) as Event
          if (known.has(told.id)) continue
          remember(known, told.id)
          yield told
        }
        if (id) last = id
      }
      waitMs = pauseMs * (0.5 + Math.random() / 2)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      const failure =
        error instanceof SwitchyardError || error instanceof OfConsumer ? error : new ConnectionError(error)
      if (failure instanceof OfConsumer) throw failure.cause
      const next = waitAfter(rules, ++failures, failure, Math.random())
      if (next === null) throw failure
      waitMs = next
    } finally {
      signal?.removeEventListener('abort', leave)
      connection.abort()
    }
    await wait(waitMs, signal)
  }
}

/** What the caller's own function threw, which is no reason to connect again. */
class OfConsumer extends Error {}

async function ofConsumer(work: (() => void | Promise<void>) | undefined): Promise<void> {
  try {
    await work?.()
  } catch (cause) {
    throw new OfConsumer('A function of the caller threw', { cause })
  }
}

async function lost(reason: string, onReset: StreamOptions['onReset']): Promise<void> {
  if (!onReset) throw new EventsLostError(reason)
  await ofConsumer(() => onReset(reason))
}

/** Opens a stream. The headers must come soon, while the body may take as long as it likes. */
async function opened(transport: Transport, written: Written, connection: AbortController) {
  const timer = setTimeout(() => connection.abort(new Error('No stream was opened')), quietMs)
  try {
    return await transport.open(written, connection.signal)
  } finally {
    clearTimeout(timer)
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id)
  if (known.size <= rememberedMax) return
  const [oldest] = known
  known.delete(oldest!)
}
