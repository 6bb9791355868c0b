import { Events, type NatsConnection } from 'nats'

type News = {
  onLost?: () => void
  /** Emits when a server of the cluster leaves or joins, or the connection is restored, perhaps to another server. */
  onChanged?: () => void
}

/** Whether a connection is there, and a pause that ends early when it changes. */
export function connectionLine(connection: NatsConnection, { onLost = () => {}, onChanged = () => {} }: News) {
  let isConnected = true
  let wakeUp = () => {}

  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) {
        isConnected = false
        onLost()
      }
      if (type === Events.Reconnect) isConnected = true
      if (type === Events.Reconnect || type === Events.Update) {
        wakeUp()
        onChanged()
      }
    }
  })()

  return {
    isConnected: () => isConnected,
    wakeUp: () => wakeUp(),
    pause: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
