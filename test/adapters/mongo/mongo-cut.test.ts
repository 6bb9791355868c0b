import { afterAll, beforeAll, expect, test } from 'bun:test'
import { lastValueFrom } from 'rxjs'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { onBugOf, rateLimitedLog, steadily } from '../../../src/app/logging/outcome-log'
import { retentionDays } from '../../../src/domain/retention'
import { StoreUnavailable } from '../../../src/domain/unavailable'
import { advance } from '../../../src/routing/engine/advance'
import type { Steps } from '../../../src/routing/engine/step'
import { cuttable } from '../../support/cuttable'
import { executionOf } from '../../support/deposits'
import { mongoUrl } from '../../support/servers'
import { silentAtFirst } from '../../support/silent-at-first'
import { until } from '../../support/until'
import { stepsThatSucceed } from '../../support/world'

let way: Awaited<ReturnType<typeof cuttable>>
let connection: Awaited<ReturnType<typeof connectMongo>>
let store: ReturnType<typeof mongoStore>
const said: string[] = []
const isBack = Promise.withResolvers<void>()
const log = {
  write: (event: string) => {
    said.push(event)
    if (event === 'MONGODB_BACK') isBack.resolve()
  },
}
const told = steadily(log as never, { lost: 'MONGODB_LOST', back: 'MONGODB_BACK' }, 100)

/** The real driver, with a connection to the database that can be cut. */
beforeAll(async () => {
  const url = new URL(await mongoUrl())
  way = await cuttable(url.hostname, Number(url.port || 27017))
  url.host = `127.0.0.1:${way.port}`
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  connection = await connectMongo(String(url), { database: 'cut', onChange: told.changed })
  store = mongoStore(connection, 'cut', Date.now)
})
afterAll(async () => {
  told.stop()
  await connection.close()
  way.stop()
})

const id = executionOf(1).id
const surroundings = (steps: Partial<Steps>) => ({
  executions: store.executions,
  steps: { ...stepsThatSucceed, ...steps },
  now: () => 10,
  random: () => 1,
  onBug: onBugOf(log as never, () => 0),
})
const carried = (steps: Partial<Steps>) =>
  lastValueFrom(advance(id, true, surroundings(steps)), { defaultValue: null }).catch((error) => error)

test('a step cut off by an outage of the database is not a bug, leaves the record unchanged, and resumes', async () => {
  await connection.dropDatabase()
  const begun = (await store.executions.save(executionOf(1, { dueAt: 0 })))!
  // The first query is under way when the connection is cut. The next cannot connect.
  const cutOff: Steps['findRoute'] = async () => {
    const asked = store.executions.load(id)
    way.cut()
    await asked
    throw new Error('it was answered all the same')
  }
  const failed = await carried({ findRoute: cutOff })
  expect(failed).toBeInstanceOf(StoreUnavailable)
  expect(await carried({})).toBeInstanceOf(StoreUnavailable)
  const fault = rateLimitedLog(log as never, () => 0)
  fault('a wake-up', failed)
  await way.mend()
  await isBack.promise
  expect(said).toEqual(['MONGODB_LOST', 'CUT_OFF', 'MONGODB_BACK'])

  expect(await store.executions.load(id)).toEqual(begun)
  expect(await carried({})).toMatchObject({ status: 'SUCCESS', cause: null, retryCount: 0 })
})

test('a query on a silent connection is repeated on another one or ends as an outage, but never hangs', async () => {
  const url = new URL(await mongoUrl())
  url.host = `127.0.0.1:${way.port}`
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  const impatient = await connectMongo(String(url), { database: 'cut', answerWithinMs: 400, poolMax: 4 })
  const { executions } = mongoStore(impatient, 'cut', Date.now)
  try {
    const ask = () => executions.load(id).catch((error: Error) => error)
    await Promise.all(Array.from({ length: 8 }, ask))
    expect(way.silence()).toBeGreaterThan(0)
    const asked = await Promise.all(Array.from({ length: 8 }, ask))
    for (const answer of asked) if (answer instanceof Error) expect(answer).toBeInstanceOf(StoreUnavailable)
    await until('questions are answered again', async (note) => !(note(await ask()) instanceof Error))
  } finally {
    await impatient.close()
  }
})

type Method = (...given: unknown[]) => unknown

/** Arguments that let any method reach the database. */
const anything = [
  ['one', 'one'],
  [['one'], 1, 1],
  [executionOf(2), 1, 1],
  [{ id: 'one', version: 0, userId: 'one' }],
  ['executions', 0, 1, 1],
  [8453, 1, 1],
  [retentionDays],
  [[{ ...executionOf(2), chainId: 8453, account: 'one', token: 'one', newest: [] }], 1, 1],
  [{ organizationId: 'one', actor: { id: 'one', label: 'one' }, target: 'one', reason: null, details: {} }],
  [{ keyIds: ['one'], areRefused: false }, { limit: 1 }],
  [new Headers(), { email: 'a@x.test' }],
  [{ email: 'a@x.test', name: 'A', password: 'a long enough sentence' }],
  [
    new Request('http://localhost/app/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost' },
      body: JSON.stringify({ email: 'a@x.test', password: 'a long enough sentence' }),
    }),
  ],
]
const askNothing = [
  'executions.begun',
  'requestLog.note',
  'requestLog.settle',
  'inboundWebhooks.note',
  'identity.markOf',
  'identity.traceOf',
  'identity.isMarkOf',
]

async function ended(answer: unknown): Promise<void> {
  if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)
    await (answer as AsyncGenerator).next()
}

test('the start connects to a database that is silent at first', async () => {
  const url = new URL(await mongoUrl())
  const proxy = await silentAtFirst(url.hostname, Number(url.port || 27017))
  url.host = proxy.host
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  const late = await connectMongo(String(url), { database: 'cut' })
  expect(proxy.connections()).toBeGreaterThan(1)
  await late.close()
  proxy.stop()
})

test('no path out of the store or the sign-in leaks an error of the driver', async () => {
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin: 'http://localhost',
    secret: 's'.repeat(32),
    send: null,
    onLink: () => {},
    onTrouble: () => {},
  })
  const { ensureIndexes, assureWritable, time, ...ports } = store
  const own = { ensureIndexes, assureWritable, time, authSecret: () => authSecret(connection) }
  const methods = Object.entries({ ...ports, identity, own }).flatMap(([port, members]) =>
    Object.entries(members).flatMap(([name, member]) =>
      typeof member === 'function' ? [{ name: `${port}.${name}`, member: member as Method }] : [],
    ),
  )
  const asked = methods.flatMap(({ name, member }) =>
    anything.map(async (given) => {
      try {
        await ended(await member(...given))
        return { name, error: null }
      } catch (error) {
        return { name, error: error as Error & { code?: unknown } }
      }
    }),
  )
  way.cut() // queries with a connection lose it, and waiting ones cannot connect
  const answers = await Promise.all(asked)
  await way.mend()
  const raw = answers.filter(
    ({ error }) =>
      (/^(Mong|PoolCleared)/.test(`${error?.name}`) && error?.name !== 'MongoInvalidArgumentError') ||
      /ECONN|EPIPE/.test(`${error?.code}`),
  )
  expect(raw.map(({ name, error }) => `${name}: ${error!.name}: ${error!.message}`)).toEqual([])
  const coded = new Set(answers.flatMap(({ name, error }) => (error instanceof StoreUnavailable ? [name] : [])))
  const never = methods.map(({ name }) => name).filter((name) => !coded.has(name))
  expect(never).toEqual(askNothing)
})
