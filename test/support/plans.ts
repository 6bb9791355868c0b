import mongoose from 'mongoose'
import { ensureIndexes } from '../../src/adapters/mongo/engine/collection'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { explaining } from './explaining'
import { mongoUrl } from './servers'

export type { Plan } from './explaining'

/** A store on its own database, whose queries are recorded and explained. */
export async function explainedStore() {
  const connection = await mongoose
    .createConnection(await mongoUrl(), {
      monitorCommands: true,
      autoIndex: false,
      autoCreate: false,
      ignoreUndefined: true,
    })
    .asPromise()
  const store = mongoStore(connection, 'explained', Date.now)
  await ensureIndexes(connection)

  return {
    store,
    connection,
    plansOf: explaining(connection),
    async close() {
      await connection.dropDatabase()
      await connection.close()
    },
  }
}
