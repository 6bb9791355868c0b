import type { NatsConnection } from 'nats'
import type { Signal } from '../../ports/webhooks'

/** Signals within this time of each other are one message. */
const togetherMs = 5

/** A signal to this process, and to all others in plain NATS messages without content. */
export function natsSignal(connection: NatsConnection, subject: string): Signal {
  const listeners: (() => boolean)[] = []
  let isPlanned = false

  function send(): void {
    isPlanned = false
    const isEnough = listeners.map((hear) => hear()).includes(true)
    if (!isEnough && !connection.isClosed()) connection.publish(subject)
  }

  return {
    send() {
      if (!isPlanned) setTimeout(send, togetherMs)
      isPlanned = true
    },
    hear(listener) {
      listeners.push(listener)
      connection.subscribe(subject, { callback: (error) => void (error ?? listener()) })
    },
  }
}
