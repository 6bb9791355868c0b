import { afterAll } from 'bun:test'
import type { Connection } from 'mongoose'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { mongoUrl } from './servers'

/**
 * Connects to a new database. It is dropped and closed after the tests of the file that calls this at its top level.
 */
export async function newDatabase(): Promise<Connection> {
  const connection = await connectMongo(await mongoUrl())
  afterAll(async () => {
    await connection.dropDatabase()
    await connection.close()
  })
  return connection
}
