import { ConsumerEvents, type ConsumerMessages, type JsMsg, type NatsConnection } from 'nats'
import { Observable, type Subscriber } from 'rxjs'
import type { Carrier, Telemetry } from '../../ports/telemetry'
import type { Wake } from '../../ports/wakes'
import type { Slots } from './slots'
import { type ConsumerName, ensureConsumer, type Naming } from './streams'

/** These events mean that the server has lost the consumer or stream, which is then created again. */
const lost: unknown[] = [
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.NoResponders,
]
const againMs = 500

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
}

/**
 * The messages of one consumer, each taken only when there is a slot for it; `mergeMap` would drain an async iterator
 * at once. The slot is free again when the message is answered. The observable never ends by itself: whatever the
 * server loses is created again.
 */
export const pullSource = (source: Source): Observable<Wake> =>
  new Observable((subscriber) => {
    const { connection, naming, name, slots, prefetch, onTrouble } = source
    let messages: ConsumerMessages | null = null
    let wakeUp = () => {}
    const pause = () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, againMs)
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })

    async function pull(): Promise<void> {
      await ensureConsumer(connection, naming, name)
      const consumer = await connection.jetstream().consumers.get(name.stream, name.durable)
      if (subscriber.closed) return
      messages = await consumer.consume({ max_messages: prefetch, expires: 30_000 })
      void stopWhenLost(messages)
      for await (const message of messages) {
        if (!subscriber.closed) await slots.take()
        if (!subscriber.closed) handOn(source, message, subscriber)
        else message.nak() // messages fetched ahead go to another process at once
      }
    }

    async function pullForEver(): Promise<void> {
      while (!subscriber.closed && !connection.isClosed()) {
        await pull().catch((error) => {
          if (!subscriber.closed) onTrouble(error)
        })
        if (!subscriber.closed) await pause()
      }
      subscriber.complete()
    }

    void pullForEver()
    return () => {
      messages?.stop()
      wakeUp()
    }
  })

/** Everything that the message causes belongs to its trace, until the message is answered. */
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

async function stopWhenLost(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of await messages.status()) if (lost.includes(type)) messages.stop()
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
