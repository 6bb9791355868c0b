import type { NatsConnection } from 'nats'
import type { Signal } from '../../ports/webhooks/event-log'

/** Signals within this time of each other are one message. */
const togetherMs = 5

/** A signal to all processes, this one included, in plain NATS messages without content. */
export function natsSignal(connection: NatsConnection, subject: string): Signal {
  let isPlanned = false
  return {
    send() {
      if (isPlanned) return
      isPlanned = true
      setTimeout(() => {
        isPlanned = false
        if (!connection.isClosed()) connection.publish(subject)
      }, togetherMs)
    },
    hear(listener) {
      connection.subscribe(subject, { callback: (error) => error ?? listener() })
    },
  }
}
