import { headers, type JetStreamPublishOptions, JsHeaders, type NatsConnection } from 'nats'
import type { Carrier } from '../../ports/observing'
import { connectionLine } from './connection-line'
import { ensureStreams, type StreamNames } from './streams'

type Message = { subject: string; text: string; messageId?: string; carrier?: Carrier }
type Settings = {
  /** Subject of the probes, whose messages no consumer reads. */
  probe: string
  inFlightMax: number
  timeoutMs: number
  /** Called when the stream stops acknowledging messages, and when it acknowledges them again. */
  onChange?: (isAnswering: boolean) => void
  /** Measures the probes. The callers of `publish` measure real messages. */
  measure?: (probe: () => Promise<void>) => Promise<void>
}

/**
 * Probe interval in milliseconds. While the stream does not answer, only probes are sent, so an outage costs the
 * callers no time.
 */
const probeMs = 1_000
/** How long an acknowledgement proves that the stream answers, in milliseconds. */
const freshMs = 5_000

/** Thrown if nothing was sent or no acknowledgement came. The message may still have arrived. */
export class NotPublished extends Error {
  override name = 'NotPublished'
}

/**
 * Publishes to a stream with a limit on the messages in flight. If the server has lost its streams, creates them again
 * and sends the message again.
 */
export function publisher(connection: NatsConnection, naming: StreamNames, settings: Settings) {
  const { probe, inFlightMax, timeoutMs, onChange = () => {}, measure = (run) => run() } = settings
  const stream = connection.jetstream({ timeout: timeoutMs })
  const waiting: (() => void)[] = []
  let inFlight = 0
  let isAnswering = true
  let answeredAt = Number.NEGATIVE_INFINITY
  let making: Promise<unknown> | null = null
  const line = connectionLine(connection, { onLost: failed })

  function answered(): void {
    answeredAt = performance.now()
    if (isAnswering) return
    isAnswering = true
    onChange(true)
  }

  function failed(): void {
    if (!isAnswering) return
    isAnswering = false
    onChange(false)
    void untilAnswered()
  }

  const ask = (): Promise<void> => measure(() => send({ subject: probe, text: '' }))

  async function untilAnswered(): Promise<void> {
    while (!isAnswering && !connection.isClosed()) {
      if (line.isConnected()) await ask().catch(() => {})
      if (!isAnswering) await line.pause(probeMs)
    }
  }

  async function makeStreams(): Promise<void> {
    making ??= ensureStreams(connection, naming).finally(() => {
      making = null
    })
    await making
  }

  async function send(message: Message): Promise<void> {
    const publish = () => stream.publish(message.subject, message.text, optionsOf(message, probe))
    // A stream that is missing, or has no leader, shows as 503, no responders.
    await publish().catch(async (error: { code?: string }) => {
      failed()
      if (error.code !== '503') throw error
      await makeStreams()
      await publish()
    })
    answered()
  }

  return {
    isAnswering: () => isAnswering,
    /** @throws {NotPublished} if neither a recent message nor a new probe is acknowledged. */
    async assureAnswering(): Promise<void> {
      if (!isAnswering) throw new NotPublished('NATS does not answer')
      if (performance.now() - answeredAt > freshMs) await ask()
    },
    /** Waits for a slot, at most as long as the messages in flight may take. */
    async publish(message: Message): Promise<void> {
      if (!isAnswering) throw new NotPublished('NATS does not answer')
      if (inFlight >= inFlightMax) await new Promise<void>((resolve) => waiting.push(resolve))
      else inFlight += 1
      try {
        if (!isAnswering) throw new NotPublished('NATS does not answer')
        await send(message)
      } catch (error) {
        throw error instanceof NotPublished ? error : new NotPublished('NATS did not answer', { cause: error })
      } finally {
        const next = waiting.shift()
        if (next) next()
        else inFlight -= 1
      }
    },
    waiting: () => waiting.length,
  }
}
export type Publisher = ReturnType<typeof publisher>

function optionsOf({ subject, messageId, carrier }: Message, probe: string): Partial<JetStreamPublishOptions> {
  const made = headers()
  if (carrier?.traceparent) made.set('traceparent', carrier.traceparent)
  if (subject === probe) made.set(JsHeaders.RollupHdr, JsHeaders.RollupValueSubject)
  return { ...(messageId !== undefined && { msgID: messageId }), ...(made.keys().length > 0 && { headers: made }) }
}
