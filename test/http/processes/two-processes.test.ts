import { afterAll, expect, test } from 'bun:test'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { mongoUrl } from '../../support/servers'
import { peopledWorld, target } from '../world'

const connections: Awaited<ReturnType<typeof connectMongo>>[] = []

afterAll(async () => {
  await connections[0]?.dropDatabase()
  for (const connection of connections) await connection.close()
})

/** Two processes on one database, each with its own connection, caches and write tokens. */
async function twoProcesses() {
  const url = await mongoUrl()
  const open = async (worker: string) => {
    const connection = await connectMongo(url)
    connections.push(connection)
    const store = mongoStore(connection, worker, Date.now)
    await store.ensureIndexes()
    const { accounts, intents, idempotency } = store
    const world = await peopledWorld({ accounts, intents, idempotency })
    return { ...world, stored: store, connection }
  }
  return [await open('worker-1'), await open('worker-2')] as const
}

const create = ({ ask, client }: Awaited<ReturnType<typeof twoProcesses>>[number], userId: string, headers = {}) =>
  ask('/api/deposit-intents', { key: client, body: { userId, ...target }, headers })

test('50 creates of one user in two processes make one account and one intent, with exactly one 201', async () => {
  const processes = await twoProcesses()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => create(processes[n % 2]!, 'user-1')))
  const statuses = answers.map(({ status }) => status)
  expect([
    statuses.filter((status) => status === 201).length,
    statuses.filter((status) => status === 200).length,
  ]).toEqual([1, 49])
  expect(new Set(answers.map(({ json }) => json.depositAddress)).size).toBe(1)
  const [{ connection }] = processes
  expect(await connection.collection('accounts').countDocuments({ userId: 'user-1' })).toBe(1)
  expect(await connection.collection('intents').countDocuments({ userId: 'user-1' })).toBe(1)
})

test('a process that died between account and intent does not block the next create, which is the 201', async () => {
  const [first, second] = await twoProcesses()
  first.ports.intents.save = async () => {
    throw new Error('killed here')
  }
  await Promise.all(Array.from({ length: 10 }, () => create(first, 'user-2').catch(() => null)))
  const answers = await Promise.all(Array.from({ length: 40 }, () => create(second, 'user-2')))
  expect(answers.filter(({ status }) => status === 201).length).toBe(1)
  expect(answers.filter(({ status }) => status === 200).length).toBe(39)
})

test('only one of 20 requests with one Idempotency-Key in two processes runs, and all responses are equal', async () => {
  const processes = await twoProcesses()
  const headers = { 'idempotency-key': 'once' }
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(processes[n % 2]!, 'user-3', headers)))
  const done = answers.filter(({ status }) => status !== 409)
  expect(new Set(done.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(done[0]!.status).toBe(201)
  expect(done.filter(({ headers: told }) => told.get('idempotent-replayed') === null).length).toBe(1)
})
