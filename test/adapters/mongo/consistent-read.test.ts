import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Collection } from 'mongodb'
import { mongoExecutions } from '../../../src/adapters/mongo/collections/executions'
import { consistentRead } from '../../../src/adapters/mongo/engine/consistent-read'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { depositOf, executionOf, hashOf } from '../../support/deposits'
import { newDatabase } from '../../support/new-database'
import { testAll } from '../../support/test-all'

type Row = { _id: string; version: number; lane: string }

const connection = await newDatabase()
const rows: Collection<Row> = connection.db!.collection<Row>('rows') as never
beforeAll(async () => {
  await mongoStore(connection, 'first', Date.now).ensureIndexes()
  await rows.createIndex({ lane: 1 }, { name: 'lane' })
})
const empty = async () => {
  await rows.deleteMany({})
  await connection.db!.collection('executions').deleteMany({})
}
beforeEach(empty)
const all = { rows: { lane: 'a' }, among: { lane: 'a' }, fields: { version: 1 } }
const fill = () => rows.insertMany(Array.from({ length: 50 }, (_, n) => ({ _id: `r${n}`, version: 1, lane: 'a' })))

/** The collection, with an event between two batches of a read. */
const whileRead = (happens: () => Promise<unknown>): Collection<Row> =>
  new Proxy(rows, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'aggregate') return typeof value === 'function' ? value.bind(target) : value
      return (...asked: Parameters<typeof rows.aggregate>) => ({
        async toArray() {
          const counted = await target.aggregate(...asked).toArray()
          await happens()
          return counted
        },
      })
    },
  })

test('a read in several batches is accepted if nothing was written in between', async () => {
  await fill()
  expect(await consistentRead(rows, { ...all, answerMax: 7 })).toHaveLength(50)
})

testAll<[string, () => Promise<unknown>]>([
  ['a change of a record', () => rows.updateOne({ _id: 'r3' }, { $inc: { version: 1 } })],
  ['a new record', () => rows.insertOne({ _id: crypto.randomUUID(), version: 1, lane: 'a' })],
])('a read in several answers is discarded after a change of a record, or a new one', async (_what, happens) => {
  await empty()
  await fill()
  expect(await consistentRead(whileRead(happens), { ...all, answerMax: 7 })).toBeNull()
  expect(await consistentRead(whileRead(happens), all)).not.toBeNull() // one batch is not compared
})

test('a lane read in several batches has the same ledger and the same unspent executions', async () => {
  const inParts = mongoExecutions(connection, 'in-parts', Date.now, 5)
  const whole = mongoExecutions(connection, 'whole', Date.now)
  const { lane } = depositOf(1)
  const spent = (n: number) => ({ hash: hashOf(n), block: 3, amountRaw: '1000', at: 1 })
  const over = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: 1 } as const
  for (let n = 0; n < 40; n++)
    await whole.save(executionOf(n, n % 3 === 0 ? {} : { ...over, facts: { spent: spent(n) } }))
  const book = await whole.ledgerOf(lane, 9)
  expect(book).toMatchObject({ broughtRaw: 40_000n, spentRaw: 26_000n })
  expect(await inParts.ledgerOf(lane, 9)).toEqual(book)
  const ids = async (executions: typeof whole) => (await executions.unspentIn(lane)).map(({ id }) => id).toSorted()
  expect(await ids(whole)).toHaveLength(14)
  expect(await ids(inParts)).toEqual(await ids(whole))
})
