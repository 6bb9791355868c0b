import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import type { Execution } from '../../../src/domain/execution/execution'
import { laneLedger } from '../../../src/domain/execution/lane'
import { account, depositOf, executionOf, hashOf } from '../../support/deposits'
import { amount, sample } from '../../support/depth'
import { type Command, faults, mongoOnTheWire } from '../../support/mongo-on-the-wire'
import { mongoUrl } from '../../support/servers'
import { testAll } from '../../support/test-all'

let way: Awaited<ReturnType<typeof mongoOnTheWire>>
let connection: Connection
let executions: Collection<{ _id: string }>
let workers = 0
const { lane } = depositOf(1)
/** A time after which no ended record of these tests can change. */
const late = () => 1e9
const newStore = () => mongoStore(connection, `worker-${++workers}`, late)

beforeAll(async () => {
  const url = new URL(await mongoUrl())
  way = await mongoOnTheWire(url.hostname, Number(url.port || 27017), { isSet: false })
  connection = await connectMongo(way.url, { database: url.pathname.slice(1) })
  await newStore().ensureIndexes()
  executions = connection.db!.collection('executions')
})
const reset = async () => {
  way.fail()
  for (const name of ['executions', 'laneSums']) await connection.db!.collection(name).deleteMany({})
}
beforeEach(reset)
afterAll(async () => {
  await connection.dropDatabase()
  await connection.close()
  way.stop()
})

const success = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: 1 } as const
const endings: [weight: number, changed: Partial<Execution>, isSpent: boolean][] = [
  [6, success, true],
  [2, { ...success, state: 'FAILED_NO_FUNDS', status: 'FAILED_NO_FUNDS' } as never, false],
  [2, { ...success, state: 'DEAD_LETTER', status: 'DEAD_LETTER' } as never, false],
  [1, { ...success, state: 'DEAD_LETTER', status: 'DEAD_LETTER', takenBy: 'x' } as never, false],
  [1, { ...success, state: 'TOKEN_BLACKLISTED', status: 'TOKEN_BLACKLISTED' } as never, false],
  [2, {}, false],
  [1, { state: 'RUNNING', status: 'RUNNING' }, true],
]
const history = fc.array(
  fc.record({
    ending: fc.oneof(...endings.map(([weight, ...ending]) => ({ weight, arbitrary: fc.constant(ending) }))),
    amountRaw: fc.integer({ min: 1, max: 999 }).map(String),
    block: fc.integer({ min: 1, max: 30 }),
    spentAfter: fc.integer({ min: 0, max: 9 }),
    isSwept: fc.boolean(),
    redrives: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 1, maxLength: 12 },
)
type Step = typeof history extends fc.Arbitrary<infer All> ? (All extends (infer One)[] ? One : never) : never

/** A deposit and its re-drives, the last of which may have moved the money. */
function lineOf(n: number, { ending: [changed, isSpent], amountRaw, block, spentAfter, isSwept, redrives }: Step) {
  const found = { amountRaw, block, ...(isSwept && { txHash: null, logIndex: null }) }
  const facts = isSpent ? { spent: { hash: hashOf(n), block: block + spentAfter, amountRaw, at: 1 } } : {}
  const first = executionOf(n, { ...changed, facts }, found)
  const again = Array.from({ length: redrives }, (_, m): Execution => {
    const redriveOf = m === 0 ? first.id : `${first.id}:r${m}`
    return {
      ...executionOf(n, { redriveOf }, { ...found, block: block + spentAfter + m }),
      id: `${first.id}:r${m + 1}`,
    }
  })
  return [first, ...again]
}

const blocks = [0, 5, 15, 25, 35, 45]
const withoutSpends = ({ spends: _, summedTo: __, ...rest }: ReturnType<typeof laneLedger>) => rest
const spentBy = ({ spends }: ReturnType<typeof laneLedger>, block: number) =>
  spends.filter((each) => each.block <= block).reduce((sum, { amountRaw }) => sum + amountRaw, 0n)

test('a ledger read from the sum equals that of all records at every block, whatever is stored in between', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(fc.nat(12), { maxLength: 4 }), async (steps, sums) => {
      for (const name of ['executions', 'laneSums']) await connection.db!.collection(name).deleteMany({})
      const store = newStore()
      const all: Execution[] = []
      for (const [n, step] of steps.entries()) {
        for (const record of lineOf(n, step)) all.push((await store.executions.save(record))!)
        if (sums.includes(n)) await store.laneSums.sumUp(lane)
      }
      for (const block of blocks) {
        const [book, whole] = [(await store.executions.ledgerOf(lane, block))!, laneLedger(all, block)]
        expect(withoutSpends(book)).toEqual(withoutSpends(whole))
        for (const at of blocks.filter((each) => each >= (book.summedTo ?? 0) && each <= block))
          expect(spentBy(book, at)).toBe(spentBy(whole, at))
      }
      expect(await store.executions.spendsOf(lane)).toHaveLength(all.filter(({ facts }) => facts.spent).length)
    }),
    { numRuns: amount('random histories', { usual: 10, full: 40 }) },
  )
})

const spentRecord = (n: number) =>
  executionOf(
    n,
    { ...success, facts: { spent: { hash: hashOf(n), block: 3, amountRaw: '1000', at: 1 } } },
    { block: 2 },
  )
const whole = (count: number) => ({ broughtRaw: 1_000n * BigInt(count), spentRaw: 1_000n * BigInt(count) })

testAll(sample('faults of the database', Object.entries(faults), 3))(
  'a sum interrupted by a fault of the database counts nothing twice',
  async (_, fault) => {
    await reset()
    const count = 20
    await Promise.all(Array.from({ length: count }, (_, n) => newStore().executions.save(spentRecord(n))))
    for (let place = 0; place < 5; place++) {
      let n = 0
      way.fail(() => (n++ === place ? fault : null))
      await newStore()
        .laneSums.sumUp(lane)
        .catch(() => {})
      way.fail()
      await newStore().executions.save(spentRecord(count + place))
      expect(await newStore().executions.ledgerOf(lane, 9)).toMatchObject(whole(count + place + 1))
    }
    await newStore().laneSums.sumUp(lane)
    expect(await newStore().executions.ledgerOf(lane, 9)).toMatchObject(whole(count + 5))
  },
)

test('the ledger is correct while many writers sum and read concurrently', async () => {
  const count = 120
  await Promise.all(Array.from({ length: count }, (_, n) => newStore().executions.save(spentRecord(n))))
  const stores = Array.from({ length: 4 }, newStore)
  await Promise.all(
    stores.flatMap((store) => [
      ...[1, 2, 3].map(() => store.laneSums.sumUp(lane)),
      ...[1, 2, 3].map(async () => expect(await store.executions.ledgerOf(lane, 9)).toMatchObject(whole(count))),
    ]),
  )
  expect(await newStore().executions.ledgerOf(lane, 9)).toMatchObject(whole(count))
  expect(await newStore().laneSums.load(lane)).toMatchObject({ records: count })
})

/** Number of documents that the database returns for a deposit's queries about its lane and account. */
async function returnedFor(): Promise<Record<string, number>> {
  const { executions } = newStore()
  const reads: Record<string, () => Promise<unknown>> = {
    ledgerOf: () => executions.ledgerOf(lane, 9),
    unspentIn: () => executions.unspentIn(lane),
    residueIn: () => executions.residueIn(lane),
    waitingForLane: () => executions.waitingForLane(lane, 5),
    waitingForIntent: () => executions.waitingForIntent(account),
    sentFrom: () => executions.sentFrom(account, 8453),
  }
  const counts: Record<string, number> = {}
  for (const [name, read] of Object.entries(reads)) {
    way.returned = 0
    way.asked.length = 0
    await read()
    counts[name] = way.returned
    for (const asked of way.asked) counts[name] += await lookedThrough(asked)
  }
  return counts
}

/** Number of rows between the bounds of a query in the index of lanes. */
async function lookedThrough({ name, filter, collection }: Command): Promise<number> {
  if (name !== 'find' || collection !== 'executions') return 0
  const bounds = (one: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => ['deposit.lane', 'keys.over', '_id'].includes(field)))
  const isEither = (filter['$or'] as object[] | undefined)?.every((one) => 'deposit.lane' in one)
  return executions.countDocuments(isEither ? { $or: filter['$or'].map(bounds) } : bounds(filter))
}

const batch = 500
const rows = Number(process.env['LANE_ROWS'] ?? amount('rows of a lane', { usual: 3_000, full: 10_000 }))

test('a deposit reads no more records as the history of its lane and account grows', async () => {
  const { id: _, ...record } = spentRecord(1)
  const insert = (from: number, to: number) =>
    executions.insertMany(
      Array.from({ length: to - from }, (_, n) => ({
        _id: `8453:${hashOf(from + n)}:0`,
        ...record,
        version: 1,
        writer: 'test',
        keys: { hashes: [hashOf(from + n)], seconds: [], over: ['SUCCESS'] },
      })) as never,
    )
  const after: Record<string, number>[] = []
  let stored = 0
  for (const count of [10, 1_000, rows]) {
    for (; stored < count; stored = Math.min(count, stored + batch))
      await insert(stored, Math.min(count, stored + batch))
    while ((await newStore().laneSums.sumUp(lane)) > 0);
    await newStore().executions.save(executionOf(1_000_000 + count, {}, { block: 2 }))
    after.push(await returnedFor())
    expect(await newStore().executions.ledgerOf(lane, 9)).toMatchObject({ spentRaw: 1_000n * BigInt(count) })
  }
  if (process.env['LANE_ROWS']) console.log(after)
  const open = after.map((_, n) => n)
  // Each history ends with one more open deposit, and nothing else is read.
  for (const [n, counts] of after.entries())
    expect(Object.values(counts).every((count) => count <= after[0]!['ledgerOf']! + 2 * open[n]!)).toBe(true)
})
