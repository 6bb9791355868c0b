import type { MongoClient, ServerHeartbeatStartedEvent } from 'mongodb'

/**
 * The driver's monitor of one server. It is not in the driver's types, but has been as stable as its events for years.
 */
type Monitor = { close(): void; connect(): void }
type Inside = { topology?: { s: { servers: Map<string, { monitor?: Monitor | null }> } } }

/** A heartbeat that waits for a change of the server may take `awaitedMsMax`, and any other `lookMsMax`. */
const awaitedMsMax = 15_000
const lookMsMax = 5_000
const beatMs = 1_000

/**
 * The driver sends heartbeats to each server, one after the other. When a server dies during one, that heartbeat may
 * never end under Bun (measured: 1 connection of 3 after kill -9), and the driver then believes for ever that there is
 * no server. A heartbeat that takes too long is aborted here, and the next one begins.
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
