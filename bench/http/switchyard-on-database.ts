import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { createApi } from '../../src/app/api/api'
import { portsInMemory } from './memory'

/**
 * Serves the API on a real database. Keys and organization come from memory, as they do between two reads of the store.
 */
const connection = await connectMongo(process.env['BENCH_MONGODB_URL']!)
const store = mongoStore(connection, `bench-${process.pid}`, Date.now)
await store.ensureIndexes()
const { accounts, intents, idempotency, executions, executionQueries, depositQueries, scanCursors } = store
const stored = { accounts, intents, idempotency, executions, executionQueries, depositQueries, scanCursors }
const api = createApi({ ...portsInMemory(), ...stored }).listen({ port: 0, hostname: '127.0.0.1' })
console.log(api.server!.port)
