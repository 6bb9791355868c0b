import { expect, test } from 'bun:test'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { newDatabase } from '../../support/new-database'

const [empty, contested, older] = await Promise.all([newDatabase(), newDatabase(), newDatabase()])

test('an empty database belongs to the first network that claims it, and the other is refused in one sentence', async () => {
  const store = mongoStore(empty, 'starter', Date.now)
  await store.claimNetwork('testnet')
  await store.claimNetwork('testnet')
  await expect(store.claimNetwork('mainnet')).rejects.toThrow(
    'The database belongs to the testnet, and this process to the mainnet: set NETWORK, or name another database in MONGODB_DATABASE.',
  )
})

test('only one of two networks that claim it together gets it', async () => {
  const store = mongoStore(contested, 'starter', Date.now)
  const claims = await Promise.allSettled((['mainnet', 'testnet'] as const).map((each) => store.claimNetwork(each)))
  expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a database filled before marks existed belongs to the only network of that time', async () => {
  const store = mongoStore(older, 'starter', Date.now)
  await older.collection<{ _id: string }>('organizations').insertOne({ _id: 'acme' })
  await expect(store.claimNetwork('testnet')).rejects.toThrow('The database belongs to the mainnet')
  await store.claimNetwork('mainnet')
})
