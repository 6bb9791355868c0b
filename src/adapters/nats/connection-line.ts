import { Events, type NatsConnection } from 'nats'

type News = {
  onLost?: () => void
  /**
   * Called when a server of the cluster leaves or joins, or when the connection is restored, perhaps to another server.
   */
  onChanged?: () => void
}

/** Tracks whether a connection is up, and offers a pause that ends early when that changes. */
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
