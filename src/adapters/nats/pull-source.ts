import { type Consumer, ConsumerEvents, type JsMsg, type NatsConnection, type Subscription } from 'nats'
import { Observable, type Subscriber } from 'rxjs'
import type { Carrier, Telemetry } from '../../ports/observing'
import type { Wake } from '../../ports/wakes'
import { connectionLine } from './connection-line'
import type { Slots } from './slots'
import { type ConsumerName, ensureConsumer, type Naming } from './streams'

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
  naming: Naming
  name: ConsumerName
  slots: Slots
  prefetch: number
  onTrouble: (error: unknown) => void
  telemetry: Telemetry
  /** Returns the id whose trace a message belongs to, or null if the message names none. */
  idOf: (data: Uint8Array) => string | null
  /** Called when a request for messages starts, and when no server answers. */
  onHearing?: (isHearing: boolean) => void
}

/**
 * Emits the messages of one consumer, each only when there is a slot for it. `mergeMap` would drain an async iterator
 * immediately. The slot is free again when the message is answered. The observable completes only when the connection
 * is closed. It creates again what the server loses. If another server is lost, it queries the consumer's new leader
 * immediately.
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
          else message.nak() // messages fetched ahead go to another process immediately
        }
        question.assureAnswered()
      }
    }

    async function pullForEver(): Promise<void> {
      while (!subscriber.closed && !connection.isClosed()) {
        await pull().catch((error) => {
          onHearing(false)
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
      const isRefused = !isEnded && messages.getReceived() === 0 && performance.now() - askedAt < againMs
      if (silence === null && !isRefused) return
      throw new Error(`${name.durable}: ${silence ?? 'refused'}`)
    },
  }
}

/** Hands a message on. All work for the message belongs to its trace, until the message is acknowledged or returned. */
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
