import { afterAll, expect, test } from 'bun:test'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import type { Execution } from '../../../src/domain/execution/execution'
import { directRoute } from '../../../src/domain/execution/route'
import { type RetentionDays, retentionDays } from '../../../src/domain/retention'
import { executionDetailView } from '../../../src/http/views/execution-full'
import { addressOf, executionOf, hashOf } from '../../support/deposits'
import { type Command, type Fault, faults, mongoOnTheWire } from '../../support/mongo-on-the-wire'
import { newDatabase } from '../../support/new-database'
import { delivery, fees, intent, order, sent, spent } from '../../support/world'

const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 21)
const ago = (days: number) => now - days * dayMs
const connection = await newDatabase()
const clock = { at: now }
const newStore = (name: string) => mongoStore(connection, name, () => clock.at)
const store = newStore('first')
await store.ensureIndexes()
const archive = () => connection.db!.collection<{ _id: string; forgetAt: number | null }>('orderArchive')
const keptFor = (orders: RetentionDays['orders']) => ({ ...retentionDays, orders })

const call = { target: addressOf(0xb1), spender: addressOf(0xb1), data: '0xdada', nativeFee: '0' } as const
const route = { ...directRoute({ amountIn: 990n }, 0), provider: 'lifi', kind: 'BRIDGE', call } as const
let count = 0

/** Stores an execution that began this many days ago, in its own lane. */
async function stored(organizationId: string, days: number, changed: Partial<Execution> = {}): Promise<Execution> {
  const n = ++count
  const facts = { intent, routeId: hashOf(1_000 + n), quotaKey: `${organizationId}:2026-10`, route, order, fees }
  const began = { organizationId, createdAt: ago(days), completedAt: ago(days), dueAt: null }
  const state = { state: 'SUCCESS', status: 'SUCCESS' } as const
  const all = { facts: { ...facts, transactions: [sent], spent, delivery }, ...began, ...state, ...changed }
  return (await store.executions.save(executionOf(n, all, { account: addressOf(0xac00 + n) })))!
}
/** Creates an organization with a plan. The archive reads each hour since then. */
async function organization(id: string, plan: string, days = 41): Promise<string> {
  await connection
    .db!.collection<{ _id: string }>('organizations')
    .insertOne({ _id: id, plan, createdAt: ago(days) } as never)
  return id
}
async function sweepAll(orders: RetentionDays['orders'], of = store): Promise<number> {
  let moved = 0
  for (let n = 0; n < 20; n++) moved += await of.retention.sweep(keptFor(orders))
  return moved
}
const loaded = async ({ id }: Execution) => (await store.executions.load(id))!
const shown = (execution: Execution) =>
  executionDetailView(execution, {
    ...{ findToken: () => null, confirmationsRequired: () => 1, scannedBlock: () => 9 },
    ...{ now, isPlatform: true },
  })

test('an order leaves the ended record as the plan requires, and reads do not change', async () => {
  const [free, scale] = [await organization('org_free', 'free'), await organization('org_scale', 'scale')]
  const old = await stored(free, 40)
  const kept = [
    await stored(scale, 40),
    await stored(free, 20),
    await stored(free, 40, { completedAt: ago(2) }),
    await stored(free, 40, { state: 'DEAD_LETTER', status: 'DEAD_LETTER' }),
    await stored(free, 40, { state: 'RUNNING', status: 'RUNNING', completedAt: null, dueAt: ago(1) }),
  ]
  expect([await sweepAll({}), await archive().countDocuments()]).toEqual([0, 0])
  expect(await sweepAll({ free: { days: 30, archiveDays: null } })).toBe(1)

  const after = await loaded(old)
  expect([after.facts.order, after.facts.route?.call, after.version]).toEqual([undefined, null, old.version + 1])
  expect(await archive().find().toArray()).toEqual([
    { _id: old.id, organizationId: free, archivedAt: now, forgetAt: null, order, call } as never,
  ])
  expect(shown(after)).toEqual(shown(old))
  expect(after).toEqual({
    ...old,
    version: old.version + 1,
    facts: { ...old.facts, order: undefined, route: { ...route, call: null } },
  } as never)
  for (const one of kept) expect(await loaded(one)).toEqual(one)

  const { lane } = old.deposit
  expect(await store.executions.ledgerOf(lane, 9)).toMatchObject({ spentRaw: 1_000n })
  expect(await store.executions.unspentIn(lane)).toEqual([])
  expect(await store.executions.countQuota(`${free}:2026-10`)).toBe(5)
  // The repeated deposit is still recognized, and its route is still taken.
  expect(await store.executions.save({ ...old, version: 0 })).toBeNull()
  const other = executionOf(++count, { facts: { routeId: old.facts.routeId! } })
  expect(await store.executions.save(other)).toBeNull()
})

test('a lane whose sum contains an execution reads no more of it after its order is moved', async () => {
  const of = await organization('org_sum', 'growth')
  const old = await stored(of, 40)
  while ((await store.laneSums.sumUp(old.deposit.lane)) > 0);
  const keysOf = async () => (await connection.db!.collection('executions').findOne({ _id: old.id as never }))?.['keys']
  const before = await keysOf()
  expect(before).toMatchObject({ over: ['~SUMMED'] })
  expect(await sweepAll({ growth: { days: 30, archiveDays: null } })).toBe(1)
  expect(await keysOf()).toEqual(before)
  expect(await store.executions.ledgerOf(old.deposit.lane, 9)).toMatchObject({ spentRaw: 1_000n })
})

test('each order is moved once despite a kill after archiving and several processes', async () => {
  const of = await organization('org_custom', 'custom')
  const orders = { custom: { days: 30, archiveDays: 100 } }
  const all = await Promise.all(Array.from({ length: 40 }, (_, n) => stored(of, 35 + n / 10)))
  const first = { _id: all[0]!.id, organizationId: of, archivedAt: 7, forgetAt: null, order, call }
  await archive().insertOne(first as never)
  const others = ['second', 'third', 'fourth'].map(newStore)
  await Promise.all(others.map((one) => sweepAll(orders, one)))
  for (const one of all) expect((await loaded(one)).facts.order).toBeUndefined()
  expect(await archive().countDocuments({ organizationId: of } as never)).toBe(40)
  expect(await archive().findOne({ _id: first._id })).toEqual(first as never)
})

test('an order that the archive did not store stays in its record, however storing failed', async () => {
  const of = await organization('org_lost', 'growth', 41)
  const orders = { growth: { days: 30, archiveDays: null } }
  const wire = await mongoOnTheWire(connection.host, connection.port, { isSet: false })
  const cutOff = await connectMongo(wire.url, { database: connection.name })
  afterAll(async () => {
    await cutOff.close()
    wire.stop()
  })
  const failing = mongoStore(cutOff, 'failing', () => clock.at)
  const old = await stored(of, 40)
  const unauthorized = { code: 13, codeName: 'Unauthorized', isApplied: false }
  const refusals: Record<string, Fault> = { ...faults, 'is not authorized': unauthorized }
  for (const [what, fault] of Object.entries(refusals)) {
    wire.fail(({ name, collection }) => (name === 'insert' && collection === 'orderArchive' ? fault : null))
    const failed = await failing.retention.sweep(keptFor(orders)).catch((error) => error)
    expect({ what, failed }).toEqual({ what, failed: expect.any(Error) })
    expect({ what, order: (await loaded(old)).facts.order }).toEqual({ what, order })
    await archive().deleteOne({ _id: old.id })
  }

  // An unreadable organization does not block another either.
  const behind = await stored(await organization('org_behind', 'growth', 40.5), 40)
  const isOfFirst = ({ name, filter }: Command) => name === 'find' && filter?.organizationId === of
  wire.fail((command) => (isOfFirst(command) ? unauthorized : null))
  const troubles: [string, unknown][] = []
  const noted = (what: string, error: unknown) => void troubles.push([what, error])
  expect(await failing.retention.sweep(keptFor(orders), noted)).toBe(1)
  expect(troubles).toEqual([[`archiving orders of ${of}`, expect.any(Error)]])
  expect(await failing.retention.sweep(keptFor(orders), noted)).toBe(0)
  expect(troubles).toHaveLength(2)
  expect((await loaded(behind)).facts.order).toBeUndefined()
  wire.fail()
  expect(await sweepAll(orders, failing)).toBe(1)
  expect((await loaded(old)).facts.order).toBeUndefined()
  expect(await archive().findOne({ _id: old.id })).toMatchObject({ order })
})

test('more than one batch of an hour is moved oldest first, and the next sweep continues where the last one ended', async () => {
  const of = await organization('org_many', 'growth', 41)
  const one = await stored(of, 40)
  const executions = connection.db!.collection<{ _id: string; facts: { routeId: string } }>('executions')
  const raw = (await executions.findOne({ _id: one.id }))!
  const copies = Array.from({ length: 600 }, (_, n) => ({
    ...{ ...raw, _id: `many:${n}`, createdAt: ago(40) + (n + 1) * 1_000 },
    ...{ keys: {}, facts: { ...raw.facts, routeId: hashOf(100_000 + n) } },
  }))
  await executions.insertMany(copies)
  const held = { organizationId: of, 'facts.order': { $exists: true } }
  const orders = { growth: { days: 30, archiveDays: null } }
  const progress = connection.db!.collection<{ _id: string; done: number }>('orderArchiveProgress')
  expect(await store.retention.sweep(keptFor(orders))).toBe(500)
  expect(await executions.countDocuments(held)).toBe(101)
  expect((await progress.findOne({ _id: of }))!.done).toBe(copies[498]!.createdAt)
  expect(await sweepAll(orders)).toBe(101)
  expect(await executions.countDocuments(held)).toBe(0)
  expect(await archive().countDocuments({ organizationId: of } as never)).toBe(601)
})

test('a writer with a version older than the move of an order is refused and reads again', async () => {
  const of = await organization('org_held', 'free', 46)
  const old = await stored(of, 45)
  const worker = newStore('worker')
  const held = (await worker.executions.load(old.id))!
  expect(await sweepAll({ free: { days: 30, archiveDays: null } })).toBeGreaterThan(0)
  expect(await worker.executions.save({ ...held, takenBy: 'other' })).toBeNull()
  const again = (await worker.executions.load(old.id))!
  expect(await worker.executions.save({ ...again, takenBy: 'other' })).toMatchObject({ takenBy: 'other' })
  expect((await loaded(old)).facts.order).toBeUndefined()
})

test('the archive keeps an order as long as the plan requires, or takes none', async () => {
  const of = await organization('org_brief', 'scale', 51)
  const old = await stored(of, 50)
  await connection.db!.collection('orderArchiveProgress').deleteMany({})
  await sweepAll({ scale: { days: 40, archiveDays: 10 } })
  expect(await archive().findOne({ _id: old.id })).toMatchObject({ forgetAt: now + 10 * dayMs })
  clock.at = now + 11 * dayMs
  await store.retention.sweep(keptFor({}))
  expect(await archive().findOne({ _id: old.id })).toBeNull()
  const newer = await stored(of, 40)
  await sweepAll({ scale: { days: 30, archiveDays: 0 } })
  expect((await loaded(newer)).facts.order).toBeUndefined()
  expect(await archive().findOne({ _id: newer.id })).toBeNull()
})
