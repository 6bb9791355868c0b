import mongoose, { type Connection } from 'mongoose'

/**
 * What counts is journaled by a majority and read from the primary. Nothing is buffered: what cannot be asked now fails
 * now. Without a database name in the URL it is `switchyard`.
 */
export async function connectMongo(url: string, { poolMax = 20 } = {}): Promise<Connection> {
  const dbName = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? 'switchyard'
  const options = {
    dbName,
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 3_000,
    socketTimeoutMS: 10_000,
    maxPoolSize: poolMax,
    writeConcern: { w: 'majority', j: true },
    readPreference: 'primary',
    readConcernLevel: 'majority',
    ignoreUndefined: true,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  } as const
  return mongoose.createConnection(url, options).asPromise()
}

/** The database's own clock, in milliseconds: every worker counts on from it. */
export async function timeOf(connection: Connection): Promise<number> {
  const { localTime } = await connection.db!.admin().command({ hello: 1 })
  return (localTime as Date).getTime()
}
