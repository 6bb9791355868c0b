import { expect, test } from 'bun:test'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { freeNow, type Requester } from '../../src/domain/limits/provider-budget'
import { ProviderView } from '../../src/http/operator/operator-reads'
import type { Aggregator } from '../../src/providers/aggregator'
import { gate } from '../../src/providers/gate'
import type { GateChange } from '../../src/providers/gate-record'
import { limitUpdateOf } from '../../src/providers/limit-headers'
import { rateLimiter } from '../../src/providers/shared-budget'
import { newDatabase } from '../support/new-database'
import { requestOf, usualTokens } from '../support/outage'

const connection = await newDatabase()
const provider = (name: string, code: ErrorCode): Aggregator => ({
  name,
  quote: async () => {
    throw new RoutingError(code)
  },
  outcome: async () => ({ kind: 'PENDING' }),
  priceUsd: async () => null,
})
const signal = new AbortController().signal
/** A process of its own on the store. */
const started = (one: Aggregator, n: number, onChange: (change: GateChange) => void = () => {}) =>
  gate(one, {
    read: () => null,
    records: mongoStore(connection, `worker-${n}`, Date.now).providerGates,
    tokens: usualTokens,
    quoteTimeoutMs: 8_000,
    self: `worker-${n}`,
    now: () => 1_000,
    onChange,
  })

test('ten processes on one store that meet refused credentials together wait, and one reports it', async () => {
  const told: unknown[] = []
  const refusing = provider('one', 'PROVIDER_UNAUTHORIZED')
  const processes = Array.from({ length: 10 }, (_, n) =>
    started(refusing, n, ({ shut }) => void told.push(shut?.reason)),
  )
  const before = await processes[9]!.health()
  const said = await Promise.all(
    processes.map((one) => one.quote(requestOf(0), signal).catch((error) => one.blame(requestOf(0), error))),
  )
  expect(said).not.toContain('REQUEST')
  expect(told).toEqual(['LOCKED_OUT'])
  const after = await started(refusing, 10).health()
  expect(after).toMatchObject({ credentialsRefusedAt: 1_000, breaker: 'OPEN', healthy: false })
  // The API declares no other state.
  expect(ProviderView.get('breaker').toJsonSchema()).toMatchObject({ enum: [before.breaker, after.breaker] })
})

test('a process that cannot reach a provider shuts its stored gate for itself, and a second one for all', async () => {
  const far = provider('far', 'PROVIDER_UNREACHABLE')
  const { providerGates } = mongoStore(connection, 'reader', Date.now)
  for (const [n, by] of [['worker-1'], null].entries()) {
    const one = started(far, n + 1)
    await one.quote(requestOf(0), signal).catch((error) => one.blame(requestOf(0), error))
    expect((await providerGates.load('far'))!.shut.all).toMatchObject({ reason: 'FAILING', by })
  }
})

test('ten processes on one store whose deposits fail at one moment share their usual requests', async () => {
  let calls = 0
  const failing = provider('shared', 'PROVIDER_FAILED')
  const quote: Aggregator['quote'] = (...asked) => {
    calls += 1
    return failing.quote(...asked)
  }
  const processes = Array.from({ length: 10 }, (_, n) => started({ ...failing, quote }, n))
  const faults = await Promise.all(
    processes.map((one) => one.quote(requestOf(0), signal).catch((error) => one.blame(requestOf(0), error))),
  )
  expect(faults).not.toContain('REQUEST')
  // Each deposit's own request, one usual request for its pair, and one or two of others.
  expect(calls).toBeLessThanOrEqual(10 + 3)
  expect((await mongoStore(connection, 'reader', Date.now).providerGates.load('shared'))!.shut.all).toBeDefined()
})

test('ten processes together send a provider no more requests than it allows, and the tenants share them', async () => {
  const configured = { most: 60, windowMs: 60_000 }
  const now = () => 1_000_000
  const start = (name: string) =>
    rateLimiter('limited', configured, { budgets: mongoStore(connection, name, Date.now).providerBudgets, now })
  const processes = Array.from({ length: 10 }, (_, n) => start(`worker-${n}`))
  const ask = (n: number, organizationId: string, waitingSince: number | null = null, one = processes[n % 10]!) => {
    const requester: Requester = { id: `${organizationId}_${n}`, organizationId, purpose: 'DEPOSIT', waitingSince }
    return one.take(requester)
  }
  expect(await ask(0, 'org_1')).toBeNull()
  processes[0]!.note(limitUpdateOf(200, new Headers(), now()))
  await processes[0]!.restUntil()
  const reader = mongoStore(connection, 'reader', Date.now)
  const bookNow = async () => (await reader.providerBudgets.load('limited'))!
  let waiting = Array.from({ length: 100 }, (_, n) => n)
  while (freeNow(await bookNow(), configured, now()) > 0) {
    const waits = await Promise.all(waiting.map((n) => ask(n, 'org_1', 900_000)))
    waiting = waiting.filter((_, n) => waits[n] !== null)
  }
  expect(100 - waiting.length).toBeLessThanOrEqual(59)
  expect((await bookNow()).taken.reduce((sum, { count }) => sum + count, 0)).toBe(60)
  // A tenant without requests comes before the other tenant's forty queued requests.
  await Promise.all(waiting.map((n) => ask(n, 'org_1', 900_000)))
  const fresh = start('fresh') // it holds nothing
  const theirs = await ask(500, 'org_2', 990_000, fresh)
  const ours = await ask(501, 'org_1', 800_000, fresh)
  expect(theirs!.retryAt).toBeLessThanOrEqual(ours!.retryAt)
})
