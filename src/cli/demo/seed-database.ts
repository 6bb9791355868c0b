import type { Address } from '../../domain/chain/hex'
import type { Seals } from '../../domain/seals'
import { withStore } from '../installation/database'
import { Failure } from '../terminal/failure'
import { type SeededKeys, seed } from './seed'
import { seedQuotaUser } from './seed-intent'

/**
 * Fills a new database with indexes, organizations and their keys, and the security list.
 *
 * @throws {Failure} if the server cannot be reached.
 */
export const seedDatabase = (mongodbUrl: string, registry: Address, seals: Seals): Promise<SeededKeys> =>
  withStore(mongodbUrl, async (store) => {
    await store.ensureIndexes()
    const now = await store.time()
    const keys = await seed(store, now)
    await seedQuotaUser(store, seals, registry, now)
    return keys
  }).catch((cause: Error) => {
    const isUnreachable = cause.name === 'MongooseServerSelectionError'
    throw isUnreachable ? new Failure('MongoDB cannot be reached: check MONGODB_URL and that the server runs.') : cause
  })
