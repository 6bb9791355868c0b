import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Document } from 'mongodb'
import type { Connection } from 'mongoose'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { StoreRefusing, StoreUnavailable } from '../../../src/domain/unavailable'
import { inTurn, isNightly, sample } from '../../support/depth'
import { type Call, everyCall, seedForEveryCall } from '../../support/every-call'
import { type Command, faults, fullDiskFaults, mongoOnTheWire } from '../../support/mongo-on-the-wire'
import { newDatabase } from '../../support/new-database'
import { mongoUrl } from '../../support/servers'

/** Counters cannot recognize a repeated call. A lost response makes them count too much, never too little. */
const counting = ['limitCounters.take', 'limitCounters.take of a new one', 'limitCounters.giveBack', 'nodeRequests.add']
/** For ten seconds it reports a refused write to every caller. */
const remembering = 'assureWritable'
/** Only a write waits for a majority. */
const ofWrites = 'finds no majority in time'

type Way = Awaited<ReturnType<typeof mongoOnTheWire>>
const opened: { way: Way; connection: Connection }[] = []
const direct = await newDatabase()
let workers = 0

async function open(isSet: boolean) {
  const url = new URL(await mongoUrl())
  const way = await mongoOnTheWire(url.hostname, Number(url.port || 27017), { isSet })
  const connection = await connectMongo(way.url, { database: direct.name })
  opened.push({ way, connection })
  return { way, connection }
}

beforeAll(async () => {
  await mongoStore(direct, 'first', Date.now).ensureIndexes()
  await seedOnce()
})
afterAll(async () => {
  for (const { way, connection } of opened) {
    await connection.close()
    way.stop()
  }
})

/** Fixed, because the compared documents must not differ in time. */
const now = Date.now()
const newStore = (connection: Connection) => mongoStore(connection, `worker-${++workers}`, () => now)

const volatile = new Set(['writer', 'turn', 'forgetAt', 'times', 'salt', 'hash'])
/** A pseudonym is hashed with a new salt each time, and so is its entry. */
const standForm = /name_sha256_[0-9a-f]{64}/g
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) => {
      if (typeof part === 'bigint') return String(part)
      // Only whether it is done counts, without the time.
      if (name === 'doneAt' || name === 'unlogged') return part !== null
      if (volatile.has(name)) return undefined
      return typeof part === 'string' ? part.replace(standForm, 'a name') : part
    }) ?? 'null',
  )

/** The documents of the collections that a call writes. */
async function written(collections: Iterable<string>): Promise<unknown> {
  const found = await Promise.all(
    [...collections].map(async (name) => [name, await direct.collection(name).find().sort({ _id: 1 }).toArray()]),
  )
  return plain(found)
}

/** Every seeded collection. */
const seeded = new Map<string, Document[]>()

async function seedOnce(): Promise<void> {
  await seedForEveryCall(direct)
  for (const { name } of await direct.db!.listCollections({}, { nameOnly: true }).toArray())
    seeded.set(name, await direct.collection(name).find().toArray())
}

async function reset(collections: Iterable<string>): Promise<void> {
  for (const name of collections) {
    await direct.collection(name).deleteMany({})
    const rows = seeded.get(name) ?? []
    if (rows.length > 0) await direct.collection(name).insertMany(rows as never)
  }
}

/** A call without a fault: its requests, its result and the documents afterwards. */
async function undisturbed({ way, connection }: { way: Way; connection: Connection }, call: Call) {
  way.fail()
  way.asked.length = 0
  const answer = plain(await call(newStore(connection)))
  const asked = [...way.asked]
  const collections = new Set(asked.filter(({ isWrite }) => isWrite).map(({ collection }) => collection))
  return { answer, asked, collections, left: await written(collections) }
}

const once = (place: number, fault: (typeof faults)[string]) => {
  let n = 0
  return () => (n++ === place ? fault : null)
}

test.each([
  ...sample<[string, boolean]>(
    'servers that step down',
    [
      ['a member of a replica set', true],
      ['a lone server', false],
    ],
    1,
  ),
])('nothing is lost, doubled or a bug, whatever %s responds while it steps down', async (_name, isSet) => {
  const { way, connection } = await open(isSet)
  const wrong: string[] = []
  const faultsInTurn = inTurn('faults of a step-down', Object.entries(faults))
  let passed = 0
  for (const [method, call] of everyCall) {
    const expected = await undisturbed({ way, connection }, call)
    for (const [place, { isWrite }] of expected.asked.entries())
      for (const [kind, fault] of faultsInTurn()) {
        if (!isWrite && kind === ofWrites) continue
        await reset(expected.collections)
        const store = newStore(connection)
        way.fail(once(place, fault))
        const outcome = await call(store).then(plain, (error: Error) => error)
        way.fail()
        const name = `${method}, whose request ${place} ${kind}`
        const isTold = outcome instanceof StoreUnavailable
        if (outcome instanceof Error && !isTold) wrong.push(`${name}: ${outcome.name}: ${outcome.message}`)
        else if (!isTold && !Bun.deepEquals(outcome, expected.answer)) wrong.push(`${name}: ${JSON.stringify(outcome)}`)
        if (isTold && method !== remembering) await call(store).catch((error) => wrong.push(`${name}, again: ${error}`))
        const isSame = Bun.deepEquals(await written(expected.collections), expected.left)
        if (!isSame && !(isTold && [...counting, remembering].includes(method))) wrong.push(`${name}: other documents`)
        passed += 1
      }
    await reset(expected.collections)
  }
  expect(wrong).toEqual([])
  expect(passed).toBeGreaterThan(everyCall.length * (isNightly ? Object.keys(faults).length - 1 : 0.9))
})

test('a write on a full disk reports that the store accepts no writes, for every write', async () => {
  const { way, connection } = await open(false)
  const wrong: string[] = []
  const fullDiskFaultsInTurn = inTurn('faults of a full disk', Object.entries(fullDiskFaults))
  for (const [method, call] of sample('calls on a full disk', everyCall, 40)) {
    const expected = await undisturbed({ way, connection }, call)
    for (const [place, { isWrite }] of expected.asked.entries())
      for (const [kind, fault] of isWrite ? fullDiskFaultsInTurn() : []) {
        await reset(expected.collections)
        way.fail(once(place, fault))
        const outcome = await call(newStore(connection)).catch((error: Error) => error)
        way.fail()
        if (!(outcome instanceof StoreRefusing))
          wrong.push(`${method}, whose request ${place} ${kind}: ${outcome instanceof Error ? outcome : 'succeeds'}`)
      }
    await reset(expected.collections)
  }
  expect(wrong).toEqual([])
})

const methodsOf = (port: object): string[] =>
  Object.entries(port).flatMap(([name, member]) => (typeof member === 'function' ? [name] : []))

test('every store method that uses the database is tested', () => {
  const { ensureIndexes: _, ...store } = mongoStore(direct, 'names', Date.now)
  const own = Object.entries(store).flatMap(([port, members]) =>
    typeof members === 'function' ? [port] : methodsOf(members).map((name) => `${port}.${name}`),
  )
  const walked = new Set(everyCall.map(([method]) => method.split(' ')[0]))
  const unasked = ['executions.begun', 'requestLog.note', 'requestLog.settle', 'inboundWebhooks.note', 'onMarked']
  expect(own.filter((name) => !walked.has(name))).toEqual(unasked)
})

/** Records of requests are a convenience. Every other write is permanent, and reads see what a majority has. */
test('every write waits for the journals of a majority, and every read sees only a majority’s data', async () => {
  const { way, connection } = await open(true)
  for (const [, call] of everyCall) await call(newStore(connection))
  const asked: Command[] = way.asked.filter(({ name }) => !['aggregate', 'getMore', 'listIndexes'].includes(name))
  const isSafe = (command: Command): boolean =>
    command.isWrite
      ? command['writeConcern']?.w === 'majority' && command['writeConcern']?.j === true
      : command['readConcern']?.level === 'majority'
  expect(asked.filter((command) => !isSafe(command)).map(({ name, collection }) => `${name} ${collection}`)).toEqual([])
  expect(way.asked.filter(({ $readPreference }) => ($readPreference?.mode ?? 'primary') !== 'primary')).toEqual([])
})

test('a fail-over of a second is awaited, and a longer one is reported as an outage', async () => {
  const { way, connection } = await open(true)
  await reset(['executions'])
  const store = newStore(connection)
  way.become('SECONDARY')
  setTimeout(() => way.become('PRIMARY'), 1_000)
  const [, save] = everyCall.find(([method]) => method === 'executions.save of a new one')!
  const first = await save(store).catch((error) => error)
  expect(first instanceof StoreUnavailable || (first as { version: number }).version === 1).toBe(true)
  way.become('SECONDARY')
  expect(await store.executions.due(9, -1, 5).catch((error) => error)).toBeInstanceOf(StoreUnavailable)
  way.become('PRIMARY')
  expect(await store.executions.due(9, -1, 5)).toBeArray()
})
