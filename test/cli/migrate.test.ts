import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Connection } from 'mongoose'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { migrateStore } from '../../src/cli/verbs/migrate'
import { runProgram } from '../../src/devnet/servers/run-program'
import { account, addressOf, depositOf, executionOf, hashOf } from '../support/deposits'
import { recordedIn, recordingsOfReleases } from '../support/record-documents'
import { mongoUrl } from '../support/servers'
import { testAll } from '../support/test-all'

let connection: Connection
let workers = 0
const newStore = () => mongoStore(connection, `worker-${++workers}`, Date.now)
const rows = (name: string) => connection.db!.collection<{ _id: string }>(name)

// Each test has a database of its own: DocumentDB sometimes refuses a collection right after a drop of its database.
const open = async () => {
  connection = await connectMongo(await mongoUrl())
}
const close = async () => {
  await connection.dropDatabase()
  await connection.close()
}
beforeEach(open)
afterEach(close)

/** An execution as the last release stored it, without a lane sum and without a claim of its routeId. */
function ofLastRelease(n: number, of = account) {
  const over = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: 1 } as const
  const facts = { routeId: hashOf(n), spent: { hash: hashOf(n), block: 3, amountRaw: '1000', at: 1 } } as never
  const { id, ...record } = executionOf(n, { ...over, facts }, { account: of, block: 2 })
  return {
    _id: id,
    ...record,
    version: 9,
    writer: 'old:1',
    keys: { hashes: [hashOf(n)], seconds: [], over: ['SUCCESS'] },
  }
}
const other = addressOf(0xad)
const lanes = [depositOf(1).lane, depositOf(1, { account: other }).lane]
const count = 30
const fill = () =>
  rows('executions').insertMany(
    Array.from({ length: count }, (_, n) => ofLastRelease(n, n % 3 ? account : other)) as never,
  )
const books = () => Promise.all(lanes.map((lane) => newStore().executions.ledgerOf(lane, 9)))
const plainBooks = async () =>
  (await books()).map((book) => ({ broughtRaw: book!.broughtRaw, spentRaw: book!.spentRaw, finds: book!.finds }))
const sums = () =>
  rows('laneSums')
    .find({}, { projection: { writer: 0 } })
    .toArray()

test('documents of the last release are migrated, and a second run changes nothing', async () => {
  await fill()
  await newStore().ensureIndexes()
  const before = await plainBooks()
  expect(await newStore().migrations.owed()).toEqual(['laneSums', 'routeIds', 'auditChain', 'userParts', 'events'])
  const said: string[] = []
  await migrateStore(newStore(), (line) => said.push(line))
  const steps = { laneSums: 2, routeIds: 1, auditChain: 0, userParts: 0, events: 8 }
  expect(said).toEqual(Object.entries(steps).map(([name, count]) => `${name}: done in ${count} steps`))
  expect(await newStore().migrations.owed()).toEqual([])
  const first = await sums()
  await migrateStore(newStore(), () => {})
  const again = await sums()
  expect(first.map(({ _id }) => _id).toSorted()).toEqual(lanes.toSorted())
  expect(again).toEqual(first)
  expect(await plainBooks()).toEqual(before)
})

test('an interrupted migration resumes, and the ledgers are correct at every moment', async () => {
  await fill()
  await newStore().ensureIndexes()
  const before = await plainBooks()
  const broken = newStore().migrations.run('laneSums', () => {
    throw new Error('killed')
  })
  expect(broken).rejects.toThrow('killed')
  await broken.catch(() => {})
  expect(await plainBooks()).toEqual(before)
  expect(await newStore().migrations.run('laneSums')).toBe(1) // one of two lanes was done
  expect(await plainBooks()).toEqual(before)
})

test('the migration claims the routeIds of stored records without a unique index, and reports a duplicate', async () => {
  await fill()
  await rows('executions').createIndex({ 'facts.routeId': 1 }, { name: 'routeId', sparse: true })
  await newStore().migrations.run('routeIds')
  expect(await rows('routeIds').countDocuments()).toBe(count)
  await rows('executions').updateOne({ _id: executionOf(1).id }, { $set: { 'facts.routeId': hashOf(2) } } as never)
  await expect(newStore().migrations.run('routeIds')).rejects.toThrow('belongs to another execution')
})

test('audit entries without a chain are added to their organization’s chain, once each', async () => {
  const store = newStore()
  await store.ensureIndexes()
  const { auditLog, migrations } = store
  const actor = { kind: 'API_KEY', id: 'key_1', label: 'on-call' } as const
  const rest = { actor, verb: 'key.edit', target: 'key_1', reason: null, details: {}, requestId: null } as const
  const old = (n: number) => ({ _id: `aud_${n}`, at: n, organizationId: `org_${n % 2}`, ...rest })
  await auditLog.append({ id: 'aud_new', at: 9, organizationId: 'org_1', ...rest })
  await rows('auditLog').insertMany([1, 2, 3].map(old) as never)
  expect(await auditLog.list({ organizationId: 'org_0' }, { limit: 1 })).toMatchObject([{ id: 'aud_2', seq: null }])
  expect(await migrations.owed()).toContain('auditChain')
  await rows('auditLog').dropIndex('chain')
  expect(await auditLog.head('org_0')).toMatchObject({ seq: 0 }) // also before the index exists
  expect(await auditLog.nextChain('')).toBe('org_1')
  await store.ensureIndexes()
  const areWhole = () => Promise.all(['org_0', 'org_1', 'org_2', null].map(auditLog.isWhole))
  expect(await areWhole()).toEqual([false, false, true, false])
  await migrations.run('auditChain')
  await migrations.run('auditChain')
  expect(await areWhole()).toEqual([true, true, true, true])
  const entries = await auditLog.list({ organizationId: null }, { limit: 9 })
  expect(entries.map(({ id, seq }) => [id, seq])).toEqual([
    ['aud_new', 1],
    ['aud_3', 3],
    ['aud_2', 1],
    ['aud_1', 2],
  ])
})

test('what earlier releases stored in the last eight days is marked for the log, unless its events are there', async () => {
  const store = newStore()
  await store.ensureIndexes()
  const at = Date.now() - 1_000
  const stored = (n: number, then: number) => {
    const { id, ...record } = executionOf(n, {}, { detectedAt: then })
    return { _id: id, ...record, version: 1, writer: 'old:1' }
  }
  await rows('executions').insertMany([stored(1, at), stored(2, at), stored(3, at - 9 * 86_400_000)] as never)
  const warning = { organizationId: 'org_1', quotaKey: 'k', at, percent: 80, limit: 10, used: 8 }
  await rows('quotaWarnings').insertOne({ _id: 'w', ...warning } as never)
  const [known, missing] = [executionOf(1).id, executionOf(2).id]
  const event = { dataId: known, seq: 1, type: 'deposit.detected', organizationId: 'org_1', userId: 'ada' }
  await store.eventLog.append([{ ...event, position: 1, id: 'evt_1', at, loggedAt: at, text: '{}' }])
  for (let n = 0; n < 2; n++) {
    await store.migrations.run('events')
    const marks = await store.eventMarks.due('executions', -1, Date.now(), 9)
    expect(marks.map(({ id, dueAt }) => [id, dueAt])).toEqual([[missing, at]])
    expect(await store.eventMarks.due('quotaWarnings', -1, Date.now(), 9)).toMatchObject([{ id: 'w', dueAt: at }])
  }
})

/** `keys` and `derived` can be in records of any collection, unnamed by its model. */
const withoutUnnamed = (row: object, paths: object) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !['keys', 'derived'].includes(name) || name in paths))

testAll(recordingsOfReleases())(
  'documents of each recorded release are migrated to the form that this release stores',
  async (file) => {
    await close()
    await open()
    const stored = (await recordedIn(file)).flatMap((line) => ('collection' in line ? [line] : []))
    const all = Map.groupBy(stored, ({ collection }) => collection)
    for (const [name, each] of all) await rows(name).insertMany(each.map(({ document }) => document))
    const store = newStore()
    await store.ensureIndexes()
    const ids = all.get('executions')!.map(({ document }) => document._id)
    const before = await store.executions.loadMany(ids)
    expect(before.length).toBeGreaterThan(0)
    const booksOf = () =>
      Promise.all(before.map(({ deposit }) => newStore().executions.ledgerOf(deposit.lane, Number.MAX_SAFE_INTEGER)))
    const booksBefore = await booksOf()

    expect(await store.migrations.owed()).not.toEqual([])
    await migrateStore(store, () => {})
    expect(await store.migrations.owed()).toEqual([])
    expect(await newStore().executions.loadMany(ids)).toEqual(before)
    expect((await booksOf()).map((book) => [book!.broughtRaw, book!.spentRaw])).toEqual(
      booksBefore.map((book) => [book!.broughtRaw, book!.spentRaw]),
    )
    for (const organization of new Set(
      all.get('auditLog')!.map(({ document }) => (document as { organizationId?: string }).organizationId),
    ))
      expect(await store.auditLog.isWhole(organization ?? null)).toBe(true)

    // Each collection's model refuses unknown fields and wrong types.
    const refused: string[] = []
    for (const [name, model] of Object.entries(connection.models))
      for (const row of await rows(name).find().toArray()) {
        const judge = async () => new model(withoutUnnamed(row, model.schema.paths)).validate()
        await judge().catch((error) => refused.push(`${name}: ${error}`))
      }
    expect(refused).toEqual([])
    const dump = async () =>
      Object.fromEntries(
        await Promise.all(
          [...all.keys()].map(async (name) => [name, await rows(name).find().sort({ _id: 1 }).toArray()]),
        ),
      )
    const migrated = await dump()
    await migrateStore(newStore(), () => {})
    expect(await dump()).toEqual(migrated)
  },
)

test('the indexes of the previous release stay until a migration with --finish', async () => {
  await fill()
  await rows('executions').createIndexes([
    { key: { userId: 1, organizationId: 1, createdAt: -1, _id: -1 }, name: 'user' },
    { key: { 'keys.seconds': 1 }, name: 'moved' },
  ])
  await newStore().ensureIndexes()
  const names = async () => (await rows('executions').indexes()).map(({ name }) => name)
  const current = async () => (await names()).filter((name) => name !== 'user' && name !== 'moved').toSorted()
  const before = await current()
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  await migrateStore(newStore(), say)
  expect(said.at(-1)).toStartWith('2 indexes are used only by the previous release')
  expect(await names()).toEqual(expect.arrayContaining(['user', 'moved']))
  await migrateStore(newStore(), say, { finish: true })
  expect(said.slice(-2).toSorted()).toEqual(['index moved: dropped', 'index user: dropped'])
  expect((await names()).toSorted()).toEqual(before)
  await migrateStore(newStore(), say, { finish: true })
  expect(said.at(-1)).toMatch(/^events: done in \d+ steps$/)
})

test('a database without executions never needs a migration', async () => {
  expect(await newStore().migrations.owed()).toEqual([])
  await newStore().executions.save(executionOf(1))
  expect(await newStore().migrations.owed()).toEqual([])
})

test('the program migrates with only the database in its environment, named by MONGODB_DATABASE', async () => {
  await fill()
  await newStore().ensureIndexes()
  const url = new URL(await mongoUrl())
  url.pathname = '/another'
  const env = { PATH: process.env['PATH'], MONGODB_URL: url.href, MONGODB_DATABASE: connection.name }
  const cwd = `${import.meta.dir}/../..`
  const said = await runProgram([process.execPath, 'src/cli/main.ts', 'migrate'], { env, cwd })
  expect(said.trim().split('\n')).toEqual([
    'laneSums: done in 2 steps',
    'routeIds: done in 1 steps',
    'auditChain: done in 0 steps',
    'userParts: done in 0 steps',
    'events: done in 8 steps',
  ])
  expect(await newStore().migrations.owed()).toEqual([])
})
