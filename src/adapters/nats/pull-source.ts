import { type Consumer, ConsumerEvents, type JsMsg, type NatsConnection, type Subscription } from 'nats'
import { Observable, type Subscriber } from 'rxjs'
import type { Carrier, Telemetry } from '../../ports/observing'
import type { Wake } from '../../ports/wakes'
import { connectionLine } from './connection-line'
import { type ConsumerName, ensureConsumer, type StreamNames } from './streams'

/** Events that mean that no server serves the consumer: it has no leader, or it or its stream is lost. */
const lost: unknown[] = [
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.NoResponders,
]
const againMs = 500
/**
 * Heartbeat interval of a server that has no messages, in milliseconds. After two missed heartbeats, the request is
 * sent again.
 */
const heartbeatMs = 500
const askForMs = 30_000

type Source = {
  connection: NatsConnection
  naming: StreamNames
  name: ConsumerName
  slots: Slots
  prefetch: number
  onTrouble: (error: unknown) => void
  telemetry: Telemetry
  /** Splits a message into the parts that are handed on and answered one by one. */
  partsOf: (data: Uint8Array) => Uint8Array[]
  /** Returns the id whose trace a part belongs to, or null if it names none. */
  idOf: (data: Uint8Array) => string | null
  /** Called when a request for messages starts, and when no server answers. */
  onReceiving?: (isReceiving: boolean) => void
}

/**
 * Emits the parts of one consumer's messages, each only when there is a slot for it. `mergeMap` would drain an async
 * iterator immediately. The slot is free again when the part is answered. The observable completes only when the
 * connection is closed. It creates again what the server loses. If another server is lost, it queries the consumer's
 * new leader immediately.
 */
export const pullSource = (source: Source): Observable<Wake> =>
  new Observable((subscriber) => {
    const { connection, naming, name, slots, onTrouble, onReceiving = () => {} } = source
    let question: Question | null = null
    const line = connectionLine(connection, { onChanged: () => question?.end() })

    async function pull(): Promise<void> {
      await ensureConsumer(connection, naming, name)
      const consumer = await connection.jetstream({ timeout: againMs }).consumers.get(name.stream, name.durable)
      while (!subscriber.closed && !connection.isClosed()) {
        question = await ask(source, consumer)
        if (subscriber.closed) question.leave()
        for await (const message of question.messages) {
          const parts = source.partsOf(message.data)
          const answers = jointAnswer(message, parts.length)
          for (const [n, part] of parts.entries()) {
            if (!subscriber.closed) await slots.take()
            if (!subscriber.closed) handOn(source, { message, part, answer: answers[n]! }, subscriber)
            else answers[n]!('nak') // messages fetched ahead go to another process immediately
          }
        }
        question.assureAnswered()
      }
    }

    async function pullForEver(): Promise<void> {
      while (!subscriber.closed && !connection.isClosed()) {
        await pull().catch((error) => {
          onReceiving(false)
          // One message for all consumers, so an outage is one fault in the log.
          if (!subscriber.closed) onTrouble(new Error('A consumer of NATS does not answer', { cause: error }))
        })
        if (!subscriber.closed) await line.pause(againMs)
      }
      subscriber.complete()
    }

    void pullForEver()
    return () => {
      question?.leave()
      line.wakeUp()
    }
  })

type Question = Awaited<ReturnType<typeof ask>>

/** Requests as many messages as may be fetched ahead. The request ends when all have come, or when it expires. */
async function ask({ name, prefetch, onReceiving = () => {} }: Source, consumer: Consumer) {
  // Binding to the consumer skips a lookup that could hang for 30 s.
  const options = { max_messages: prefetch, expires: askForMs, idle_heartbeat: heartbeatMs, bind: true }
  const messages = await consumer.fetch(options)
  const requestedAt = performance.now()
  let silence: string | null = null
  let isEnded = false
  onReceiving(true)
  void watch()

  async function watch(): Promise<void> {
    for await (const { type, data } of await messages.status()) {
      // Once all messages have come, the server sends no more heartbeats.
      const isOwed = messages.getReceived() < prefetch
      const isSilent = type === ConsumerEvents.HeartbeatsMissed && isOwed
      if (!lost.includes(type) && !isSilent && !`${data}`.startsWith('409')) continue
      silence = `${type} ${data}`
      messages.stop()
    }
  }

  return {
    messages: messages as AsyncIterable<JsMsg>,
    end(): void {
      isEnded = true
      messages.stop()
    },
    /**
     * Ends after the messages that are already on their way here. If dropped, they would be redelivered only after 30
     * seconds.
     */
    leave(): void {
      isEnded = true
      const { sub } = messages as unknown as { sub: Subscription }
      sub.drain().catch(() => messages.stop())
    },
    /** @throws If no server has answered the request. */
    assureAnswered(): void {
      const isRefused = !isEnded && messages.getReceived() === 0 && performance.now() - requestedAt < againMs
      if (silence === null && !isRefused) return
      throw new Error(`${name.durable}: ${silence ?? 'refused'}`)
    },
  }
}

type Answer = (verdict: 'ack' | 'nak' | 'term', delayMs?: number, reason?: string) => void

/** Answers a message once all its parts are answered. If one of them is refused, the whole message is redelivered. */
function jointAnswer(message: JsMsg, count: number): Answer[] {
  let left = count
  let delay: number | null = null
  return Array.from({ length: count }, () => (verdict, delayMs = 0, reason) => {
    if (verdict === 'nak') delay = Math.max(delay ?? 0, delayMs)
    left -= 1
    if (left > 0) return
    if (delay !== null) message.nak(delay === 0 ? undefined : delay)
    else if (verdict === 'term' && count === 1) message.term(reason)
    else message.ack()
  })
}

type Part = { message: JsMsg; part: Uint8Array; answer: Answer }

/** Hands a part on. All work for it belongs to its trace, until it is acknowledged or returned. */
function handOn({ slots, telemetry, idOf }: Source, one: Part, subscriber: Subscriber<Wake>): void {
  const traceparent = one.message.headers?.get('traceparent')
  const carrier = traceparent ? { traceparent } : {}
  const id = idOf(one.part)
  if (id === null) subscriber.next(wakeOf(one, slots, carrier))
  else
    telemetry.within({ name: 'carry on', kind: 'CONSUMER', id, carrier }, (end) =>
      subscriber.next(wakeOf(one, slots, carrier, end)),
    )
}

function wakeOf({ message, part, answer }: Part, slots: Slots, carrier: Carrier, onAnswer = () => {}): Wake {
  let isAnswered = false
  const answerOnce: Answer = (...given) => {
    if (isAnswered) return
    isAnswered = true
    slots.give()
    onAnswer()
    try {
      answer(...given)
    } catch {
      // The connection is closed, and the server will redeliver the message.
    }
  }
  return {
    data: part,
    carrier,
    redeliveries: message.info.redeliveryCount - 1,
    ack: () => answerOnce('ack'),
    nak: (delayMs) => answerOnce('nak', delayMs),
    term: (reason) => answerOnce('term', 0, reason),
  }
}

/** Slots for concurrent work, given in the order of the requests. */
export class Slots {
  private readonly waiting: (() => void)[] = []

  constructor(private free: number) {}

  async take(): Promise<void> {
    if (this.free > 0) this.free -= 1
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  give(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.free += 1
  }
}
