import { ConnectionError, EventsLostError, SwitchyardError } from './errors.js'
import { wait, waitAfter } from './retry.js'
import type { components } from './schema.js'
import { messagesOf } from './server-sent.js'
import type { Transport, Values, Written } from './transport.js'

type Event = components['schemas']['Event']

export type StreamOptions = {
  signal?: AbortSignal
  /** Called each time the stream opens. All later events are delivered; read the earlier state now. */
  onOpen?: () => void | Promise<void>
  /**
   * Called if events were missed that the service no longer stores. Fetch what you show again; the stream continues.
   * Without it the stream throws an EventsLostError.
   */
  onReset?: (reason: string) => void | Promise<void>
}

/** A ping comes every 15 seconds, so longer silence means a dead connection. */
const quietMs = 45_000
/** A resumed stream starts slightly earlier, so this many events are remembered to skip repetitions. */
const rememberedMax = 20_000

/**
 * Streams events as they happen, without end. It reconnects when the stream ends and resumes after the last event, so
 * none is lost. One stream returns an event once. Processing must still tolerate repetition, because a restarted
 * process resumes at the last id that it stored.
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
    // A request that cannot be written is the caller's error, so it is not retried.
    const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
    const written = transport.written({ method: 'GET', path: '/api/events/stream', query }, headers)
    const connection = new AbortController()
    const leave = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    let waitMs = 0
    try {
      const answer = await opened(transport, written, connection)
      await ofConsumer(onOpen)
      const onQuiet = () => connection.abort(new Error(`No data for ${quietMs} ms`))
      for await (const { event, data, id, retryMs } of messagesOf(answer.body!, { quietMs, onQuiet })) {
        failures = 0
        if (retryMs !== null) pauseMs = retryMs
        if (event === 'reset') {
          const { reason } = JSON.parse(data) as { reason: string }
          // After an overflow the service closes the stream. The next one resumes without a gap.
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

/** An error of the caller's own function, which must not cause a reconnect. */
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

/** Opens a stream. Only the headers have a time limit; the body has none. */
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
