import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Connection } from 'mongoose'
import type { NatsConnection } from 'nats'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { connectNats } from '../../../src/adapters/nats/connection'
import { natsMessages } from '../../../src/adapters/nats/nats-messages'
import { createApi } from '../../../src/app/api/api'
import type { DashboardPorts } from '../../../src/app/api/ports'
import { seedDatabase } from '../../../src/cli/demo/seed-database'
import { payToken } from '../../../src/http/pay/pay-token'
import { cuttable } from '../../support/cuttable'
import { hashOf } from '../../support/deposits'
import { nodesBillOf } from '../../support/nodes-bill'
import { noSso } from '../../support/open-id-provider'
import { operatorInMemory } from '../../support/operators'
import { seals } from '../../support/seals'
import { mongoUrl, natsUrl } from '../../support/servers'
import { testAll } from '../../support/test-all'
import { until } from '../../support/until'
import { vault } from '../../support/webhooks'
import { acceptedToken, goodBodies } from '../openapi/good-bodies'
import { apiWorld, factory, target, uniqueUser } from '../world'

const origin = 'http://localhost'
const password = 'a long enough sentence'
const reason = 'because of the outage'
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

type Way = Awaited<ReturnType<typeof cuttable>>
type Route = { method: string; path: string; hooks?: { detail?: { operation?: { bodyExample?: object } } } }
let [database, natsWay]: (Way | null)[] = [null, null]
let world: Awaited<ReturnType<typeof start>>

/** The API on a real database, a real NATS and the real sign-in, each behind a connection that can be cut. */
async function start() {
  const [storeUrl, cuttableNatsUrl] = [new URL(await mongoUrl()), new URL(await natsUrl())]
  database = await cuttable(storeUrl.hostname, Number(storeUrl.port || 27017))
  natsWay = await cuttable(cuttableNatsUrl.hostname, Number(cuttableNatsUrl.port || 4222))
  const keys = await seedDatabase(String(storeUrl), factory.registry, seals)
  storeUrl.host = `127.0.0.1:${database.port}`
  storeUrl.searchParams.delete('replicaSet')
  storeUrl.searchParams.set('directConnection', 'true')
  cuttableNatsUrl.host = `127.0.0.1:${natsWay.port}`
  const connection: Connection = await connectMongo(String(storeUrl))
  const nats: NatsConnection = await connectNats(String(cuttableNatsUrl))
  closing.push(
    () => database!.stop(),
    () => natsWay!.stop(),
    () => nats.close(),
    () => connection.close(),
  )
  const store = mongoStore(connection, 'outages', Date.now)
  const { wakes, pointers, ensureStreams } = natsMessages(nats)
  await ensureStreams()
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin,
    secret: await authSecret(connection),
    send: null,
    onLink: () => {},
    onTrouble: () => {},
  })
  const dashboard: DashboardPorts = {
    ...store,
    identity,
    send: null,
    origin,
    isOpen: true,
    mayReset: true,
    faucet: { send: async () => `0x${'f'.repeat(64)}` },
    relayers: async () => [],
    nodesBill: nodesBillOf(),
    ...noSso,
    pages: async () => ({
      html: { signedIn: '<head></head>', signedOut: '<head></head>' },
      preloads: new Map(),
      files: new Map(),
    }),
  }
  const bugs: unknown[] = []
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const { ports } = apiWorld()
  const api = createApi({
    ...ports,
    ...store,
    wakes,
    dashboard,
    now,
    blacklist: { isListed: () => false },
    operator: { ...operatorInMemory(store, now), jobs: store.jobs, pauses: store.pauses },
    webhook: {
      pointers,
      signedFor: () => [8453],
      readPointers: () => [{ chainId: 8453, txHash: hashOf(1), seenAt: 1 }],
    },
    readiness: { isDraining: () => false, checks: { mongodb: store.assureWritable, nats: () => nats.flush() } },
    noteBug: (error) => bugs.push(error),
  })
  const person = await identity.create({ email: 'owner@x.test', name: 'Owner', password })
  const platform = (await store.organizations.all()).find(({ isPlatform }) => isPlatform)!
  const memberships = await store.memberships.load(platform.id)
  const member = { personId: person.id, role: 'owner' as const, joinedAt: 0 }
  const membership = {
    ...(memberships ?? { id: platform.id, version: 0 }),
    members: [...(memberships?.members ?? []), member],
  }
  await store.memberships.save(membership)
  const signedIn = await api.handle(
    new Request(`${origin}/app/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email: 'owner@x.test', password }),
    }),
  )
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const token = await payTokenOf(api, store, keys.client)
  const routes = (api as unknown as { routes: Route[] }).routes
  return { api, keys, cookie, token, routes, bugs, later: (ms: number) => (aheadMs += ms) }
}

/** A valid link to a user's hosted page, which the organization has switched on. */
async function payTokenOf(
  api: ReturnType<typeof createApi>,
  { accounts, organizations }: Pick<ReturnType<typeof mongoStore>, 'accounts' | 'organizations'>,
  key: string,
): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ userId: uniqueUser(), ...target })
  const intent = await api.handle(new Request(`${origin}/api/deposit-intents`, { method: 'POST', headers, body }))
  const { depositAddress } = (await intent.json()) as { depositAddress: `0x${string}` }
  const account = (await accounts.load(depositAddress))!
  const organization = (await organizations.load(account.organizationId))!
  const page = { name: 'Outages', color: '#0b7285', since: 0 }
  await organizations.save({ ...organization, depositPage: page })
  return payToken(vault, { account: account.id, madeAt: Date.now(), expiresAt: Date.now() + 3_600_000, deposit: null })
}

beforeAll(async () => {
  world = await start()
})

const bodies: Record<string, object> = { ...goodBodies, 'POST /app/auth/*': { email: 'owner@x.test', password } }
const queries: Record<string, string> = {
  'GET /app/api/invitation': `?token=${acceptedToken}`,
  'GET /api/search': `?q=${hashOf(1)}`,
  'GET /api/statements': '?month=2026-11',
  'GET /app/api/statements': '?month=2026-11',
  'GET /app/api/search': `?q=${hashOf(1)}`,
}
/** Ids in a path. Only the database knows whether a document is missing. */
const places: Record<string, string> = {
  userId: 'user-1',
  address: '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C',
  id: `8453:${hashOf(1)}:0`,
  scope: 'chain:8453',
  personId: 'somebody',
}
/** A path for each wildcard route, as a client would request it. */
const wild: Record<string, string> = {
  'GET /app/auth/*': '/app/auth/get-session',
  'POST /app/auth/*': '/app/auth/sign-in/email',
  'GET /app/*': '/app/executions',
}

function requestFor({ method, path, hooks }: Route): Request {
  const route = `${method} ${path}`
  const key = path.startsWith('/api/operator/') ? world.keys.platformOperator : world.keys.client
  const body = method === 'GET' || method === 'DELETE' ? undefined : (bodyOf(route, hooks) ?? { reason })
  const named: Record<string, string> = { ...places, token: world.token }
  const filled = wild[route] ?? path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(named[name] ?? 'one'))
  return new Request(`${origin}${filled}${queries[route] ?? ''}`, {
    method,
    headers: {
      ...(path.startsWith('/api/') ? { 'x-api-key': key } : { cookie: world.cookie, origin }),
      ...(path.startsWith('/webhooks/') && { 'x-alchemy-signature': 'good' }),
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

function bodyOf(route: string, hooks: Route['hooks']): object | undefined {
  const example = bodies[route] ?? hooks?.detail?.operation?.bodyExample
  return route.endsWith('/deposit-intents') ? { userId: uniqueUser(), ...target } : example
}

async function answered(route: Route) {
  const response = await world.api.handle(requestFor(route))
  await response.body?.cancel()
  return { route: `${route.method} ${route.path}`, status: response.status }
}

const isGood = ({ status }: { status: number }): boolean => status === 503 || (status >= 200 && status < 400)
const walk = () => Promise.all(world.routes.map(answered))

const rounds = 2
const payPage: Route = { method: 'GET', path: '/pay/:token' }

test('the link to the hosted page works while everything is up', async () => {
  expect(await answered(payPage)).toEqual({ route: 'GET /pay/:token', status: 200 })
})

testAll([
  ['with cached keys', 0],
  ['without cached keys', 60_000],
])(
  'a valid request gets its response or 503 on every route while the database is down, with or without cached keys',
  async (_when, aheadMs) => {
    await answered({ method: 'GET', path: '/api/events' })
    database!.cut()
    world.later(aheadMs)
    try {
      // The first requests lose their connection midway, and later ones cannot connect.
      for (let round = 0; round < rounds; round++) {
        const answers = await walk()
        expect(answers.filter((answer) => !isGood(answer))).toEqual([])
      }
      const page = await world.api.handle(requestFor(payPage))
      expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
      expect(await page.text()).toContain('This page is unavailable for a moment')
    } finally {
      await database!.mend()
    }
  },
)

test('a valid request gets 503 or its earlier response on every route while NATS is down', async () => {
  await until(
    'the feed after the database’s return',
    async (note) => note(await answered({ method: 'GET', path: '/api/events' })).status === 200,
  )
  // The first walk creates what the second one needs, such as a key.
  const before = [...(await walk()), ...(await walk())]
  natsWay!.cut()
  try {
    for (let round = 0; round < rounds; round++) {
      const answers = await walk()
      const isBefore = (answer: (typeof answers)[number]) => before.some((one) => Bun.deepEquals(one, answer))
      expect(answers.filter((answer) => !isGood(answer) && !isBefore(answer))).toEqual([])
    }
  } finally {
    await natsWay!.mend()
  }
})
