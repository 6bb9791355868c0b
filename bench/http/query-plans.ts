import mongoose from 'mongoose'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { createApi } from '../../src/app/api/api'
import { explaining } from '../../test/support/explaining'
import { portsInMemory } from './memory'

/** Serves the API on a database, and reports the indexes used for a request. */
export async function explained(url: string) {
  const options = { monitorCommands: true, autoIndex: false, autoCreate: false, ignoreUndefined: true }
  const connection = await mongoose.createConnection(url, options).asPromise()
  const store = mongoStore(connection, 'explained', Date.now)
  const { accounts, intents, idempotency, executions, executionQueries, depositQueries, scanCursors } = store
  const stored = { accounts, intents, idempotency, executions, executionQueries, depositQueries, scanCursors }
  const api = createApi({ ...portsInMemory(), ...stored })
  const plansOf = explaining(connection)

  return {
    /** A query that uses no index is reported as a scan. */
    async indexesOf(request: Request): Promise<string> {
      const plans = await plansOf(() => api.handle(request))
      const named = plans.map(({ collection, indexes, isScan }) => {
        const by = isScan ? 'SCAN' : indexes.join('+') || 'nothing: it is empty'
        return `${collection} by ${by}`
      })
      return [...new Set(named)].join(', ')
    },
    close: () => connection.close(),
  }
}
