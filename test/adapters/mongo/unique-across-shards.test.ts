import { beforeEach, expect, test } from 'bun:test'
import type { Collection } from 'mongodb'
import { makeIndexes } from '../../../src/adapters/mongo/engine/make-indexes'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { executionOf, hashOf } from '../../support/deposits'
import { newDatabase } from '../../support/new-database'

const connection = await newDatabase()
let workers = 0
const newStore = () => mongoStore(connection, `worker-${++workers}`, Date.now)
const rows = (name: string) => connection.db!.collection<{ _id: string }>(name)

beforeEach(() => connection.dropDatabase())
const routed = (n: number, route: number) => executionOf(n, { facts: { routeId: hashOf(route) } })

/** As on a sharded collection, which has no unique index besides its shard key. */
const withoutUniqueIndex = () =>
  rows('executions').createIndex({ 'facts.routeId': 1 }, { name: 'routeId', sparse: true })

test('a routeId belongs to the first of many racing claims without a unique index', async () => {
  await withoutUniqueIndex()
  const count = 8
  const saved = await Promise.allSettled(
    Array.from({ length: count }, (_, n) => newStore().executions.save(routed(n, 1))),
  )
  expect(saved.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const stored = await rows('executions').find().toArray()
  expect(stored).toHaveLength(1)
  expect(await rows('routeIds').find().toArray()).toEqual([{ _id: hashOf(1), owner: stored[0]!._id }] as never)
  const owner = (await newStore().executions.load(stored[0]!._id))!
  expect(await newStore().executions.save({ ...owner, dueAt: 7 })).not.toBeNull()
})

test('a claim of a routeId survives a crash before the record is stored, which can be stored later', async () => {
  await withoutUniqueIndex()
  await rows('routeIds').insertOne({ _id: hashOf(1), owner: executionOf(1).id } as never)
  expect(newStore().executions.save(routed(2, 1))).rejects.toThrow('Another record already has one of its keys')
  expect(await newStore().executions.save(routed(1, 1))).not.toBeNull()
})

test('nothing is claimed with a unique index', async () => {
  await newStore().ensureIndexes()
  await newStore().executions.save(routed(1, 1))
  expect(await rows('routeIds').countDocuments()).toBe(0)
})

test('a sharded collection gets its indexes without uniqueness', async () => {
  const made: object[][] = []
  const createIndexes = async (wanted: { unique?: boolean }[]) => {
    if (wanted.some(({ unique }) => unique)) throw Object.assign(new Error('cannot create unique index'), { code: 67 })
    made.push(wanted)
  }
  const sharded = { collectionName: 'executions', createIndexes } as unknown as Collection
  await makeIndexes(sharded, [
    { key: { a: 1 }, name: 'a', unique: true, sparse: true },
    { key: { b: 1 }, name: 'b' },
  ])
  expect(made).toEqual([
    [
      { key: { a: 1 }, name: 'a', sparse: true },
      { key: { b: 1 }, name: 'b' },
    ],
  ])
})
