import { createInbox, type NatsConnection } from 'nats'
import type { Signal } from '../../ports/webhooks'

/** Signals within this time of each other are one message. */
const togetherMs = 5
/** How long nothing is sent after the server reported that no other process listens. */
const aloneMs = 5_000
/** Content of the message of a new listener. It is no signal, but ends that time. */
const newListener = 'listening'

/** A signal to this process, and to all others that listen, in plain NATS messages without content. */
export function natsSignal(connection: NatsConnection, subject: string): Signal {
  const listeners: ((isOwn: boolean) => boolean)[] = []
  const inbox = createInbox()
  let isPlanned = false
  let aloneUntil = Number.NEGATIVE_INFINITY
  // The listeners never reply: this is the server's report that there is none.
  connection.subscribe(inbox, {
    callback: () => {
      aloneUntil = performance.now() + aloneMs
    },
  })

  function send(): void {
    isPlanned = false
    const isEnough = listeners.map((listener) => listener(true)).includes(true)
    const isAlone = performance.now() < aloneUntil
    if (!isEnough && !isAlone && !connection.isClosed()) connection.publish(subject, '', { reply: inbox })
  }

  return {
    send() {
      if (!isPlanned) setTimeout(send, togetherMs)
      isPlanned = true
    },
    subscribe(listener) {
      listeners.push(listener)
      connection.subscribe(subject, {
        callback: (error, { data }) => {
          aloneUntil = Number.NEGATIVE_INFINITY
          if (error || data.length === 0) listener(false)
        },
      })
      connection.publish(subject, newListener)
    },
  }
}
