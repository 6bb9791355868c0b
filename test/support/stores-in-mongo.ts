import { afterAll } from 'bun:test'
import type { Connection } from 'mongoose'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { mongoUrl } from './servers'
import type { OpenStore, Store } from './stores'

let connecting: Promise<Connection> | null = null

async function connected(): Promise<Connection> {
  const connection = await connectMongo(await mongoUrl())
  await mongoStore(connection, 'first', Date.now).ensureIndexes()
  return connection
}

afterAll(async () => {
  const connection = await connecting
  await connection?.dropDatabase()
  await connection?.close()
  connecting = null
})

/** Returns the database that every test of this process shares. */
export async function testConnection(): Promise<Connection> {
  connecting ??= connected()
  return connecting
}

export async function onMongo(now: () => number = () => 0): Promise<OpenStore> {
  const connection = await testConnection()
  for (const model of Object.values(connection.models)) await model.collection.deleteMany({})
  const [store, other] = ['worker-1', 'worker-2'].map((worker) => remembering(mongoStore(connection, worker, now)))
  return { store: store!, other: other! }
}

/**
 * The database expires documents by its own clock once a minute. A test whose clock is in the past would fail
 * sometimes.
 */
const remembering = (store: ReturnType<typeof mongoStore>): Store => ({
  ...store,
  limitCounters: {
    ...store.limitCounters,
    async take(id, most, forgetAt, amount) {
      if (forgetAt <= Date.now()) throw new Error(`The database forgets ${id} at once: set the clock of the test later`)
      return store.limitCounters.take(id, most, forgetAt, amount)
    },
  },
})
