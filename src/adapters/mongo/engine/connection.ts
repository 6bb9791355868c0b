import mongoose, { type Connection } from 'mongoose'
import './broken-writes'
import { watchMonitors } from './monitor-watchdog'

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
  const connection = await mongoose.createConnection(url, options).asPromise()
  connection.on('disconnected', () => onChange(false)).on('connected', () => onChange(true))
  watchMonitors(connection.getClient())
  return connection
}

/** Returns the time of the database's own clock in milliseconds since 1970, which every worker starts from. */
export async function timeOf(connection: Connection): Promise<number> {
  const { localTime } = await connection.db!.admin().command({ hello: 1 })
  return (localTime as Date).getTime()
}
