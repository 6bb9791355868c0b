import { beforeEach, expect, test } from 'bun:test'
import {
  executionParts,
  hasEnded,
  isOpen,
  replacedIndexes,
} from '../../../src/adapters/mongo/collections/execution-indexes'
import { executionModel, type StoredExecution } from '../../../src/adapters/mongo/collections/execution-model'
import { inParts } from '../../../src/adapters/mongo/engine/page'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { dateOf } from '../../../src/domain/calendar'
import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf } from '../../support/deposits'
import { newDatabase } from '../../support/new-database'
import { idOf, shown, whose } from '../../support/query-records'

/** The indexes that may contain an execution while it moves, and what needs each of them then. */
const whileItMoves: Record<string, string> = {
  _id_: 'every read and every conditional write',
  due: 'the sweeper finds what is due',
  laneOver: 'money is reserved among all records of a lane',
  routeId: 'it is unique among all executions',
  quotaKey: 'the quota counts all records that carry it',
  hashes: 'a transaction is found by its hash while it is on its way',
  leadsTo: 'intake finds what is on its way to a deposit address; few executions have the field',
  open: 'lists, counts and what is overdue find all open executions by it',
  unlogged: 'the appender finds the executions with events that might not be in the log',
}

const dayMs = 86_400_000
const connection = await newDatabase()
const store = mongoStore(connection, 'indexes', Date.now)
const rows = connection.db!.collection<StoredExecution>('executions')
const over = (at: number): Partial<Execution> => ({ state: 'SUCCESS', status: 'SUCCESS', completedAt: at, dueAt: null })
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n)

beforeEach(async () => {
  await rows.deleteMany({})
  await store.ensureIndexes()
})

async function end(n: number): Promise<void> {
  const record = (await store.executions.load(idOf(n)))!
  expect(await store.executions.save({ ...record, ...over(n + 1) })).not.toBeNull()
}

test('an index that no list of reasons names contains only executions that have ended', async () => {
  const found = await rows.indexes()
  const isOfEnded = ({ partialFilterExpression }: (typeof found)[number]): boolean =>
    partialFilterExpression?.['completedAt']?.$gt === hasEnded.completedAt.$gt
  const names = found.flatMap((index) => (isOfEnded(index) ? [] : [index.name!]))
  expect(names.toSorted()).toEqual(Object.keys(whileItMoves).toSorted())
  expect(found.filter(({ name }) => replacedIndexes.includes(name!))).toEqual([])
})

test('every stored execution is either open or has ended', async () => {
  const wrong = [executionOf(1, { dueAt: null }), executionOf(2, { completedAt: 9, dueAt: 9 })]
  for (const record of wrong) await expect(store.executions.save(record)).rejects.toThrow('must be either due or ended')
  const never = executionOf(3, { dueAt: Number.NaN })
  await expect(store.executions.save(never)).rejects.toThrow('must be due or ended at a time')
  for (const n of range(1, 6)) await store.executions.save(n % 2 ? shown(n) : executionOf(n))
  for (const n of [3, 5]) await end(n)
  const idsOf = async (filter: object) => (await rows.find(filter).toArray()).map(({ _id }) => _id).toSorted()
  expect(await idsOf(isOpen)).toEqual([1, 2, 4, 6].map(idOf).toSorted())
  expect(await idsOf(hasEnded)).toEqual([3, 5].map(idOf).toSorted())
})

test('an execution that ends between the reads of its parts is found once, as it is afterwards', async () => {
  for (const n of range(1, 4)) await store.executions.save(shown(n))
  const parts = executionParts(whose, { field: 'createdAt' })
  expect(parts.map(({ index }) => index)).toEqual(['open', 'createdEnded'])
  const model = executionModel(connection)
  const found = await inParts<StoredExecution>(parts, async ({ filter, index }) => {
    const part = await model.find(filter).hint(index).lean<StoredExecution[]>()
    if (index === 'open') await end(2)
    return part
  })
  const states = found.map(({ _id, state }) => [_id, state]).toSorted()
  expect(states).toEqual(range(1, 4).map((n) => [idOf(n), n === 2 ? 'SUCCESS' : 'RUNNING']))
})

test('lists and counts have every execution once while executions end', async () => {
  const all = range(1, 12)
  const noon = Date.UTC(2026, 10, 20, 12)
  for (const n of all) {
    const history = [{ ...executionOf(n).history[0]!, at: noon + n }]
    const changed = { status: 'RUNNING', state: 'RUNNING', createdAt: noon + n, history } as const
    await store.executions.save(executionOf(n, changed, { detectedAt: noon + n }))
  }
  const { executionQueries, depositQueries, usage } = store
  const ids = (found: { id: string }[]) => found.map(({ id }) => id).toSorted()
  let isEnding = true
  const reading = (async () => {
    for (let n = 0; isEnding || n < 2; n++) {
      const listed = await executionQueries.list(whose, { limit: 100 })
      expect(listed.map(({ id }) => id)).toEqual(all.toReversed().map(idOf))
      const pages = [await executionQueries.list(whose, { limit: 6 })]
      const last = pages[0]!.at(-1)!
      pages.push(await executionQueries.list(whose, { limit: 6, after: { createdAt: last.createdAt!, id: last.id } }))
      expect(ids(pages.flat())).toEqual(all.map(idOf).toSorted())
      expect(await executionQueries.count(whose, 100)).toBe(all.length)
      expect(ids(await depositQueries.list(whose, { limit: 100 }))).toEqual(all.map(idOf).toSorted())
      const day = dateOf(noon + n * dayMs) // another one each time, because answers are kept
      const counted = await usage.rows('org_1', '2026-11-20', day)
      expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(all.length)
    }
  })()
  for (const n of all) await end(n)
  isEnding = false
  await reading
})

test('a page by offset has the rows that come next, of open and ended executions', async () => {
  for (const n of range(1, 9)) await store.executions.save(shown(n))
  for (const n of [1, 3, 4, 8]) await end(n)
  for (const offset of range(0, 11)) {
    const page = await store.executionQueries.list(whose, { limit: 3, offset })
    expect(page.map(({ id }) => id)).toEqual(
      range(1, 9)
        .toReversed()
        .slice(offset, offset + 3)
        .map(idOf),
    )
  }
})
