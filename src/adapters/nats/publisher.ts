import { Events, headers, type JetStreamPublishOptions, type NatsConnection } from 'nats'
import type { Carrier } from '../../ports/telemetry'
import { ensureStreams, type Naming } from './streams'

type Message = { subject: string; text: string; messageId?: string; carrier?: Carrier }
type Limits = { inFlightMax: number; timeoutMs: number }

/** Nothing is sent for this long after a failure, so that an outage costs the callers no time. */
const restMs = 1_000

/** Thrown when nothing was sent or no acknowledgement came, so the message may have arrived or not. */
export class NotPublished extends Error {
  override name = 'NotPublished'
}

/**
 * Publishes to JetStream with a limit on the messages in flight. When the server has lost its streams, they are created
 * again and the message is sent once more.
 */
export function publisher(connection: NatsConnection, naming: Naming, { inFlightMax, timeoutMs }: Limits) {
  const stream = connection.jetstream({ timeout: timeoutMs })
  const waiting: (() => void)[] = []
  let inFlight = 0
  let isConnected = true
  let restsUntil = 0
  let making: Promise<unknown> | null = null

  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) isConnected = false
      if (type === Events.Reconnect) {
        isConnected = true
        restsUntil = 0
      }
    }
  })()

  const isResting = () => !isConnected || performance.now() < restsUntil

  async function makeStreams(): Promise<void> {
    making ??= ensureStreams(connection, naming).finally(() => {
      making = null
    })
    await making
  }

  async function send({ subject, text, messageId, carrier }: Message): Promise<void> {
    const options: Partial<JetStreamPublishOptions> = {
      ...(messageId !== undefined && { msgID: messageId }),
      ...(carrier?.traceparent && { headers: headersOf(carrier.traceparent) }),
    }
    const publish = () => stream.publish(subject, text, options)
    // A missing stream shows as 503, no responders.
    await publish().catch(async (error: { code?: string }) => {
      if (error.code !== '503') throw error
      await makeStreams()
      await publish()
    })
  }

  return {
    isResting,
    /** Waits for a slot, at most as long as the messages in flight may take. */
    async publish(message: Message): Promise<void> {
      if (isResting()) throw new NotPublished('NATS does not answer')
      if (inFlight >= inFlightMax) await new Promise<void>((resolve) => waiting.push(resolve))
      else inFlight += 1
      try {
        if (isResting()) throw new NotPublished('NATS does not answer')
        await send(message)
      } catch (error) {
        if (!(error instanceof NotPublished)) restsUntil = performance.now() + restMs
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

function headersOf(traceparent: string) {
  const made = headers()
  made.set('traceparent', traceparent)
  return made
}
