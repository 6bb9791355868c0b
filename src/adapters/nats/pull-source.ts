import { ConsumerEvents, type ConsumerMessages, type JsMsg, type NatsConnection } from 'nats'
import { Observable } from 'rxjs'
import type { Carrier, Telemetry } from '../../ports/telemetry'
import type { Wake } from '../../ports/wakes'
import type { Slots } from './slots'
import { type ConsumerName, ensureConsumer, type Naming } from './streams'

/** These mean that the server does not have it any more: it is made again. */
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
  /** Whose trace a message belongs to; null where it says nothing that is known here. */
  idOf: (data: Uint8Array) => string | null
}

/**
 * Messages of one consumer, each only when there is a place for it: an async iterator given to `mergeMap` would be
 * emptied at once. The place is free again when the message is answered. It never ends by itself: what the server
 * lost is made again.
 */
export const pullSource = ({
  connection,
  naming,
  name,
  slots,
  prefetch,
  onTrouble,
  telemetry,
  idOf,
}: Source): Observable<Wake> =>
  new Observable((subscriber) => {
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
      void watch(messages)
      for await (const message of messages) {
        if (!subscriber.closed) await slots.take()
        if (!subscriber.closed) handOn(message)
        else message.nak() // what was fetched ahead goes to somebody else at once
      }
    }

    /** Whatever it sets off is part of its trace, until it is answered. */
    function handOn(message: JsMsg): void {
      const traceparent = message.headers?.get('traceparent')
      const carrier = traceparent ? { traceparent } : {}
      const id = idOf(message.data)
      if (id === null) subscriber.next(wakeOf(message, slots, carrier))
      else
        telemetry.within({ name: 'carry on', kind: 'CONSUMER', id, carrier }, (end) =>
          subscriber.next(wakeOf(message, slots, carrier, end)),
        )
    }

    async function watch(pulled: ConsumerMessages): Promise<void> {
      for await (const { type } of await pulled.status()) if (lost.includes(type)) pulled.stop()
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
      // The connection is closed: the message comes back by itself.
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
