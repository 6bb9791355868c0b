import type { MongoClient, ServerHeartbeatStartedEvent } from 'mongodb'

/** The driver's own look at one server: not in its types, as stable as its events for years. */
type Monitor = { close(): void; connect(): void }
type Inside = { topology?: { s: { servers: Map<string, { monitor?: Monitor | null }> } } }

/** A look that waits for news of the server may take this long, any other the shorter time. */
const awaitedMsMax = 15_000
const lookMsMax = 5_000
const beatMs = 1_000

/**
 * The driver looks at each server from time to time, one look after the other. When a server dies while it is asked,
 * that look may never end under Bun (measured: 1 connection of 3 after kill -9), and the driver believes for ever that
 * there is no server. A look that takes too long is given up here, and the next one is begun.
 */
export function watchMonitors(client: MongoClient): void {
  const looks = new Map<string, { until: number }>()
  const ended = ({ connectionId }: { connectionId: string }) => looks.delete(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }: ServerHeartbeatStartedEvent) => {
    looks.set(connectionId, { until: performance.now() + (awaited ? awaitedMsMax : lookMsMax) })
  })
  client.on('serverHeartbeatSucceeded', ended)
  client.on('serverHeartbeatFailed', ended)
  const beat = setInterval(() => {
    for (const [address, { until }] of looks) {
      if (performance.now() < until) continue
      looks.delete(address)
      const monitor = (client as unknown as Inside).topology?.s.servers.get(address)?.monitor
      monitor?.close()
      monitor?.connect()
    }
  }, beatMs)
  beat.unref?.()
  client.once('close', () => clearInterval(beat))
}
