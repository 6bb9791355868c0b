import type { NatsConnection } from 'nats'
import { merge } from 'rxjs'
import { BoundedMap } from '../../domain/bounded-map'
import { perChain } from '../../domain/chain/chain'
import { bucketsMax } from '../../domain/execution/execution'
import {
  type Pointer,
  pointersText,
  readWake,
  type WakeRequest,
  wakeMessageId,
  wakesIn,
  wakesText,
  wakeText,
} from '../../domain/wake-messages'
import type { Carrier, Telemetry } from '../../ports/observing'
import type { Pointers, Wakes } from '../../ports/wakes'
import { noTelemetry } from '../no-telemetry'
import { applyStreams, isUnanswered } from './apply-streams'
import { NotPublished, type Publisher, publisher } from './publisher'
import { pullSource, Slots } from './pull-source'
import {
  depositConsumer,
  depositStream,
  depositSubject,
  probeSubject,
  type StreamNames,
  wakeConsumers,
  wakeStream,
  wakeSubject,
} from './streams'

type Options = Partial<StreamNames> & {
  /** Called for failures that no caller sees as errors, because the work continues. */
  onTrouble?: (error: unknown) => void
  telemetry?: Telemetry
  /** Called when a stream stops acknowledging messages, and when all streams acknowledge them again. */
  onChange?: (isAnswering: boolean) => void
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

type NatsMessages = {
  wakes: Wakes
  pointers: Pointers
  /**
   * Creates the streams, or brings existing ones to the configuration. If too few servers of a cluster answer, a later
   * start does it.
   *
   * @throws If the servers refuse the configuration.
   */
  ensureStreams(): Promise<void>
  /** @throws Unless both streams acknowledge messages. Sends a probe if no message was acknowledged recently. */
  assureAnswering(): Promise<void>
}

const wakesInFlightMax = 256
/**
 * How long an acknowledged wake-up is not sent again, in milliseconds. Every sweep repeats all wake-ups, and in a
 * backlog these are most of the traffic. Later it is sent again, because the servers may have lost it.
 */
const thereForMs = 2_000
const acknowledgedMax = 10_000
const pointersInFlightMax = 512
const pointersWaitingMax = 5_000
/** Waiting for the stream's acknowledgement is most of the cost of a webhook, so its hints are published in batches. */
const batching = { underWayMax: 1, itemsMax: 64 }
/** One process gets all wake-ups of a message, although another one may have more capacity, so there are few. */
const wakeBatching = { underWayMax: 1, itemsMax: 4 }
/**
 * Time limit of a wake-up's acknowledgement, in milliseconds. A worker then takes the execution without NATS, so this
 * is short.
 */
const wakeTimeoutMs = 1_000
const pointerTimeoutMs = 2_000

const requestedId = (data: Uint8Array): string | null => readWake(data)?.id ?? null
/** `RESTS` means that nothing was sent, because the publisher waits for the stream to answer again. */
const judge = (error: unknown): string =>
  error instanceof NotPublished && error.cause === undefined ? 'RESTS' : 'NOT_PUBLISHED'

/** Wake-ups and webhook hints on JetStream. The sweeper and the scanner find everything that NATS loses. */
export function natsMessages(connection: NatsConnection, options: Options = {}): NatsMessages {
  const { prefix = '', replicas = 1, onTrouble = () => {}, telemetry = noTelemetry, onChange = () => {} } = options
  const { now = () => performance.now() } = options
  const naming = { prefix, replicas }
  const source = { connection, naming, onTrouble, telemetry }
  const streamed = (stream: 'WAKE' | 'DEPOSITS', probe: string) => ({
    probe,
    onChange: noteAnswering,
    measure: (run: () => Promise<void>) => telemetry.outside({ system: 'nats', stream }, run, judge),
  })
  const wakePublisher = publisher(connection, naming, {
    ...streamed('WAKE', probeSubject(naming, wakeStream(naming))),
    inFlightMax: wakesInFlightMax,
    timeoutMs: wakeTimeoutMs,
  })
  const pointerPublisher = publisher(connection, naming, {
    ...streamed('DEPOSITS', probeSubject(naming, depositStream(naming))),
    inFlightMax: pointersInFlightMax,
    timeoutMs: pointerTimeoutMs,
  })
  const unreachable = new Set<number>()
  /** When the stream acknowledged recent wake-ups, by message id. */
  const acknowledged = new BoundedMap<string, number>(acknowledgedMax)
  let isAnswering = true

  function noteAnswering(): void {
    const isNow = wakePublisher.isAnswering() && pointerPublisher.isAnswering()
    acknowledged.clear()
    if (isNow !== isAnswering) onChange(isNow)
    isAnswering = isNow
  }

  /** Resolves when the message is acknowledged, or when that failed. */
  async function publishWake(bucket: number, text: string, messageId?: string): Promise<void> {
    const message = { subject: wakeSubject(naming, bucket), text, ...(messageId !== undefined && { messageId }) }
    const publish = async (carrier: Carrier) => {
      await wakePublisher.publish({ ...message, carrier })
      if (messageId !== undefined) acknowledged.set(messageId, now())
    }
    await telemetry.outside({ system: 'nats', stream: 'WAKE' }, publish, judge).catch((error: Error) => {
      if (error.cause !== undefined) onTrouble(error) // while nothing is sent, the failure has been reported
    })
  }
  const together = Array.from({ length: bucketsMax }, (_, bucket) =>
    batchPublish<WakeRequest>((requests) => publishWake(bucket, wakesText(requests)), wakeBatching),
  )

  const wakes: Wakes = {
    async wake({ bucket, ...owed }) {
      const messageId = wakeMessageId(owed)
      const isThere = (acknowledged.get(messageId) ?? Number.NEGATIVE_INFINITY) + thereForMs > now()
      if (isThere) return
      const published = publishWake(bucket, wakeText({ ...owed, isImmediate: false }), messageId)
      if (wakePublisher.waiting() > 0) await published
    },
    async wakeNow({ id, bucket, isDue = false }) {
      const { put, waiting } = together[bucket]!
      const published = put({ id, isImmediate: !isDue })
      if (waiting() > 0) await published
    },
    wakes(concurrency) {
      const slots = new Slots(concurrency)
      const prefetch = Math.max(4, Math.ceil(concurrency / 4 / wakeBatching.itemsMax))
      const sources = wakeConsumers(naming).map((name, bucket) => {
        const onReceiving = (isReceiving: boolean) =>
          void (isReceiving ? unreachable.delete(bucket) : unreachable.add(bucket))
        return pullSource({ ...source, name, slots, prefetch, partsOf: wakesIn, idOf: requestedId, onReceiving })
      })
      return merge(...sources)
    },
    isDelivering: (bucket) => wakePublisher.isAnswering() && !unreachable.has(bucket),
  }

  const pointers: Pointers = {
    publish: batchedPointers(pointerPublisher, naming, telemetry),
    pointers(concurrency) {
      const slots = new Slots(concurrency)
      const name = depositConsumer(naming)
      return pullSource({ ...source, name, slots, prefetch: concurrency, partsOf: (data) => [data], idOf: () => null })
    },
  }

  return {
    wakes,
    pointers,
    async ensureStreams() {
      await applyStreams(connection, naming).catch((error) => {
        if (!isUnanswered(error)) throw error
        onTrouble(error) // the first message creates what is missing, once a server answers
      })
    },
    async assureAnswering() {
      await Promise.all([wakePublisher.assureAnswering(), pointerPublisher.assureAnswering()])
    },
  }
}

/** Resolves when all hints are stored. If it rejects, the sender must send them again. */
function batchedPointers(publisher: Publisher, naming: StreamNames, telemetry: Telemetry): Pointers['publish'] {
  const batchesOf = perChain((chainId) =>
    batchPublish<{ pointer: Pointer; carrier: Carrier }>((batch) => {
      const text = pointersText(batch.map(({ pointer }) => pointer))
      const message = { subject: depositSubject(naming, chainId), text, carrier: batch[0]!.carrier }
      return telemetry.outside({ system: 'nats', stream: 'DEPOSITS' }, () => publisher.publish(message), judge)
    }, batching),
  )
  return async (published) => {
    const waiting = Object.values(batchesOf).reduce((sum, each) => sum + each.waiting(), 0)
    if (waiting + published.length > pointersWaitingMax) throw new Error('Too many pointers are waiting')
    await Promise.all(
      published.map((pointer) => {
        const id = `${pointer.chainId}:${pointer.txHash}`
        const put = (carrier: Carrier) => batchesOf[pointer.chainId].put({ pointer, carrier })
        return telemetry.work({ name: 'point at transaction', kind: 'PRODUCER', id }, put)
      }),
    )
  }
}

type Limits = { underWayMax: number; itemsMax: number }
type Waiting<Item> = { item: Item; done: () => void; failed: (error: unknown) => void }

/**
 * Publishes items one by one while few are in flight. At the limit, new items wait and are sent together. One
 * acknowledgement of the server then covers the whole batch, and each caller gets its result.
 */
export function batchPublish<Item>(send: (items: Item[]) => Promise<void>, { underWayMax, itemsMax }: Limits) {
  const waiting: Waiting<Item>[] = []
  let underWay = 0

  function next(): void {
    while (underWay < underWayMax && waiting.length > 0) {
      const batch = waiting.splice(0, itemsMax)
      underWay += 1
      send(batch.map(({ item }) => item))
        .then(
          () => {
            for (const { done } of batch) done()
          },
          (error) => {
            for (const { failed } of batch) failed(error)
          },
        )
        .finally(() => {
          underWay -= 1
          next()
        })
    }
  }

  return {
    put: (item: Item): Promise<void> =>
      new Promise((done, failed) => {
        waiting.push({ item, done, failed })
        next()
      }),
    waiting: (): number => waiting.length,
  }
}
