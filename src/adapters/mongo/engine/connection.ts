import './broken-writes'
import type { MongoClient, ServerHeartbeatStartedEvent, TopologyDescription } from 'mongodb'
import mongoose, { type Connection } from 'mongoose'
import { firstConnection } from '../../../domain/first-connection'
import { repeat } from '../../../domain/repeat'

type Options = {
  database?: string | null
  poolMax?: number
  answerWithinMs?: number
  /** Called when the connection is lost, and when it is back. */
  onChange?: (isConnected: boolean) => void
}

/** Longest wait for one of the connections, in milliseconds. */
const connectionWithinMs = 60_000

/**
 * Writes are journaled by a majority, and reads go to the primary. Nothing is buffered: a request that cannot be made
 * now fails immediately. The database is named in the options, else in the URL, else it is `switchyard`.
 */
export async function connectMongo(
  url: string,
  { database, poolMax = 20, answerWithinMs = 10_000, onChange = () => {} }: Options = {},
): Promise<Connection> {
  const dbName = database ?? /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? 'switchyard'
  const options = {
    dbName,
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 3_000,
    socketTimeoutMS: answerWithinMs,
    maxPoolSize: poolMax,
    waitQueueTimeoutMS: connectionWithinMs,
    writeConcern: { w: 'majority', j: true },
    readPreference: 'primary',
    readConcernLevel: 'majority',
    // An operation interrupted by a step-down or a lost connection is repeated once, on the new primary.
    retryWrites: true,
    retryReads: true,
    ignoreUndefined: true,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  } as const
  const connection = await firstConnection(() => mongoose.createConnection(url, options).asPromise(), isSilence)
  connection.on('disconnected', () => onChange(false)).on('connected', () => onChange(true))
  watchMonitors(connection.getClient())
  return connection
}

/** Whether a server gave no reason: it does not respond, or it waits for a primary. A refusal has its reason. */
function isSilence(error: unknown): boolean {
  const { reason } = error as { reason?: Partial<TopologyDescription> }
  const reasons = [...(reason?.servers?.values() ?? [])].map((server) => server.error)
  return reasons.some((each) => each === null || each instanceof mongoose.mongo.MongoNetworkTimeoutError)
}

/** Returns the time of the database's own clock in milliseconds since 1970, which every worker starts from. */
export async function timeOf(connection: Connection): Promise<number> {
  const { localTime } = await connection.db!.admin().command({ hello: 1 })
  return (localTime as Date).getTime()
}

/**
 * The driver's monitor of one server. The driver's types leave it out, but it has been as stable as the driver's events
 * for years.
 */
type Monitor = { close(): void; connect(): void }
type Inside = { topology?: { s: { servers: Map<string, { monitor?: Monitor | null }> } } }

/** Time limits in milliseconds: of a heartbeat that waits for a change of the server, and of any other heartbeat. */
const awaitedMsMax = 15_000
const heartbeatMsMax = 5_000
const everyMs = 1_000

/**
 * The driver sends heartbeats to each server, one after another. If a server dies during a heartbeat, the heartbeat may
 * never end under Bun (measured: 1 connection of 3 after kill -9). The driver then assumes permanently that there is no
 * server. This watchdog aborts a heartbeat that takes too long, and the next one begins.
 */
function watchMonitors(client: MongoClient): void {
  const heartbeats = new Map<string, { until: number }>()
  const ended = ({ connectionId }: { connectionId: string }) => heartbeats.delete(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }: ServerHeartbeatStartedEvent) => {
    heartbeats.set(connectionId, { until: performance.now() + (awaited ? awaitedMsMax : heartbeatMsMax) })
  })
  client.on('serverHeartbeatSucceeded', ended)
  client.on('serverHeartbeatFailed', ended)
  async function abortLate(): Promise<void> {
    for (const [address, { until }] of heartbeats) {
      if (performance.now() < until) continue
      heartbeats.delete(address)
      const monitor = (client as unknown as Inside).topology?.s.servers.get(address)?.monitor
      monitor?.close()
      monitor?.connect()
    }
  }
  const watching = repeat({ everyMs, first: 'LATER', work: abortLate, onTrouble: () => {} })
  watching.start()
  client.once('close', () => void watching.stop())
}
