import { type Consumer, ConsumerEvents, type JsMsg, type NatsConnection, type Subscription } from 'nats'
import { Observable, type Subscriber } from 'rxjs'
import type { Carrier, Telemetry } from '../../ports/telemetry'
import type { Wake } from '../../ports/wakes'
import { connectionLine } from './connection-line'
import type { Slots } from './slots'
import { type ConsumerName, ensureConsumer, type Naming } from './streams'

/** These events mean that no server serves the consumer: it has no leader, or it or its stream is lost. */
const lost: unknown[] = [
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.NoResponders,
]
const againMs = 500
/** How often the server sends a heartbeat while it has no messages. After two missed ones it is asked again. */
const heartbeatMs = 500
const askForMs = 30_000

type Source = {
  connection: NatsConnection
  naming: Naming
  name: ConsumerName
  slots: Slots
  prefetch: number
  onTrouble: (error: unknown) => void
  telemetry: Telemetry
  /** The id whose trace a message belongs to; null when the message names none. */
  idOf: (data: Uint8Array) => string | null
  /** Called when the consumer is being asked for messages, and when no server answers. */
  onHearing?: (isHearing: boolean) => void
}

/**
 * The messages of one consumer, each taken only when there is a slot for it; `mergeMap` would drain an async iterator
 * at once. The slot is free again when the message is answered. The observable never ends by itself: whatever the
 * server loses is created again, and the consumer's new leader is asked at once when another server is lost.
 */
export const pullSource = (source: Source): Observable<Wake> =>
  new Observable((subscriber) => {
    const { connection, naming, name, slots, onTrouble, onHearing = () => {} } = source
    let question: Question | null = null
    const line = connectionLine(connection, { onChanged: () => question?.end() })

    async function pull(): Promise<void> {
      await ensureConsumer(connection, naming, name)
      const consumer = await connection.jetstream({ timeout: againMs }).consumers.get(name.stream, name.durable)
      while (!subscriber.closed && !connection.isClosed()) {
        question = await ask(source, consumer)
        if (subscriber.closed) question.leave()
        for await (const message of question.messages) {
          if (!subscriber.closed) await slots.take()
          if (!subscriber.closed) handOn(source, message, subscriber)
          else message.nak() // messages fetched ahead go to another process at once
        }
        question.assureAnswered()
      }
    }

    async function pullForEver(): Promise<void> {
      while (!subscriber.closed && !connection.isClosed()) {
        await pull().catch((error) => {
          onHearing(false)
          // One sentence for all consumers, so that an outage is one fault in the log.
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
async function ask({ name, prefetch, onHearing = () => {} }: Source, consumer: Consumer) {
  // Binding to the consumer skips a lookup that could hang for 30 s.
  const asked = { max_messages: prefetch, expires: askForMs, idle_heartbeat: heartbeatMs, bind: true }
  const messages = await consumer.fetch(asked)
  const askedAt = performance.now()
  let silence: string | null = null
  let isEnded = false
  onHearing(true)
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
    /** Ends after the messages that are on their way here. Dropped, they would be repeated only after 30 seconds. */
    leave(): void {
      isEnded = true
      const { sub } = messages as unknown as { sub: Subscription }
      sub.drain().catch(() => messages.stop())
    },
    /** @throws when no server has answered the request. */
    assureAnswered(): void {
      const isRefused = !isEnded && messages.getReceived() === 0 && performance.now() - askedAt < againMs
      if (silence === null && !isRefused) return
      throw new Error(`${name.durable}: ${silence ?? 'refused'}`)
    },
  }
}

/** Everything done for the message belongs to its trace, until the message is acknowledged or returned. */
function handOn({ slots, telemetry, idOf }: Source, message: JsMsg, subscriber: Subscriber<Wake>): void {
  const traceparent = message.headers?.get('traceparent')
  const carrier = traceparent ? { traceparent } : {}
  const id = idOf(message.data)
  if (id === null) subscriber.next(wakeOf(message, slots, carrier))
  else
    telemetry.within({ name: 'carry on', kind: 'CONSUMER', id, carrier }, (end) =>
      subscriber.next(wakeOf(message, slots, carrier, end)),
    )
}

function wakeOf(message: JsMsg, slots: Slots, carrier: Carrier, onAnswer = () => {}): Wake {
  let isAnswered = false
  const answer = (send: () => void) => {
    if (isAnswered) return
    isAnswered = true
    slots.give()
    onAnswer()
    try {
      send()
    } catch {
      // The connection is closed, and the server will redeliver the message.
    }
  }
  return {
    data: message.data,
    carrier,
    redeliveries: message.info.redeliveryCount - 1,
    ack: () => answer(() => message.ack()),
    nak: (delayMs) => answer(() => message.nak(delayMs)),
    term: (reason) => answer(() => message.term(reason)),
  }
}
