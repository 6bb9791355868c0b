import type { MongoClient, ServerHeartbeatStartedEvent } from 'mongodb'
import { repeat } from '../../../domain/repeat'

/**
 * The driver's monitor of one server. The driver's types leave it out, but it has been as stable as the driver's events
 * for years.
 */
type Monitor = { close(): void; connect(): void }
type Inside = { topology?: { s: { servers: Map<string, { monitor?: Monitor | null }> } } }

/** Time limits in milliseconds: of a heartbeat that waits for a change of the server, and of any other heartbeat. */
const awaitedMsMax = 15_000
const lookMsMax = 5_000
const everyMs = 1_000

/**
 * The driver sends heartbeats to each server, one after another. If a server dies during a heartbeat, the heartbeat may
 * never end under Bun (measured: 1 connection of 3 after kill -9). The driver then assumes permanently that there is no
 * server. This watchdog aborts a heartbeat that takes too long, and the next one begins.
 */
export function watchMonitors(client: MongoClient): void {
  const looks = new Map<string, { until: number }>()
  const ended = ({ connectionId }: { connectionId: string }) => looks.delete(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }: ServerHeartbeatStartedEvent) => {
    looks.set(connectionId, { until: performance.now() + (awaited ? awaitedMsMax : lookMsMax) })
  })
  client.on('serverHeartbeatSucceeded', ended)
  client.on('serverHeartbeatFailed', ended)
  async function abortLate(): Promise<void> {
    for (const [address, { until }] of looks) {
      if (performance.now() < until) continue
      looks.delete(address)
      const monitor = (client as unknown as Inside).topology?.s.servers.get(address)?.monitor
      monitor?.close()
      monitor?.connect()
    }
  }
  const watching = repeat({ everyMs, first: 'LATER', work: abortLate, onTrouble: () => {} })
  watching.start()
  client.once('close', () => void watching.stop())
}
