import { expect, test } from 'bun:test'
import { withCircuitBreaker } from '../../src/adapters/aggregators/circuit-breaker'
import { limitUpdateOf } from '../../src/adapters/aggregators/limit-headers'
import { rateLimiter } from '../../src/adapters/aggregators/rate-limiter'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { chainIds } from '../../src/domain/chain/chain'
import { RoutingError } from '../../src/domain/error'
import { type Asker, freeNow } from '../../src/domain/execution/provider-budget'
import type { ProviderCircuit } from '../../src/domain/execution/provider-circuit'
import type { Aggregator, RouteRequest } from '../../src/ports/aggregator'
import { addressOf } from '../support/deposits'
import { newDatabase } from '../support/new-database'

const connection = await newDatabase()
test('only one of ten processes that meet refused credentials together fails and reports it', async () => {
  const told: ProviderCircuit['reason'][] = []
  const provider: Aggregator = {
    name: 'one',
    quote: async () => {
      throw new RoutingError('PROVIDER_UNAUTHORIZED')
    },
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async () => null,
  }
  const onChange = ({ reason }: ProviderCircuit) => void told.push(reason)
  const processes = Array.from({ length: 10 }, (_, n) =>
    withCircuitBreaker(provider, () => 1_000, {
      circuits: mongoStore(connection, `worker-${n}`, Date.now).providerCircuits,
      onChange,
      self: `worker-${n}`,
    }),
  )
  const asked = { fromChainId: 8453, fromToken: addressOf(1), toChainId: 42161, toToken: addressOf(2) } as RouteRequest
  const signal = new AbortController().signal
  const said = await Promise.all(
    processes.map((one) => one.quote(asked, signal).catch(({ code, name }) => code ?? name)),
  )
  expect(said.toSorted()).toEqual(['PROVIDER_UNAUTHORIZED', ...Array(9).fill('ProviderUnavailable')])
  expect(told).toEqual(['CREDENTIALS'])
  expect(await processes[9]!.health()).toMatchObject({ credentialsRefusedAt: 1_000, breaker: 'OPEN', healthy: false })
})

test('an unreachable provider opens the stored circuit only after a second process fails to reach it', async () => {
  const provider: Aggregator = {
    name: 'far',
    quote: async () => {
      throw new RoutingError('PROVIDER_UNREACHABLE')
    },
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async () => null,
  }
  const circuits = mongoStore(connection, 'worker', Date.now).providerCircuits
  const [first, second] = [1, 2].map((n) =>
    withCircuitBreaker(provider, () => 1_000, { circuits, onChange: () => {}, self: `worker-${n}` }),
  )
  const ask = (n: number) => {
    const [fromChainId, toChainId] = [chainIds[n % chainIds.length], chainIds[(n + 2) % chainIds.length]]
    return { fromChainId, fromToken: addressOf(n), toChainId, toToken: addressOf(n) } as RouteRequest
  }
  const signal = new AbortController().signal
  for (const n of [1, 2, 3, 4]) await first!.quote(ask(n), signal).catch(() => {})
  expect(await circuits.load('far')).toMatchObject({ reason: null, failed: [{}, {}, {}] })
  await second!.quote(ask(5), signal).catch(() => {})
  expect(await circuits.load('far')).toMatchObject({ reason: 'FAILING' })
})

test('ten processes together stay within a provider’s limit, and tenants share the requests', async () => {
  const configured = { most: 60, windowMs: 60_000 }
  const now = () => 1_000_000
  const start = (name: string) =>
    rateLimiter('limited', configured, { budgets: mongoStore(connection, name, Date.now).providerBudgets, now })
  const processes = Array.from({ length: 10 }, (_, n) => start(`worker-${n}`))
  const ask = (n: number, organizationId: string, waitingSince: number | null = null, one = processes[n % 10]!) => {
    const asker: Asker = { id: `${organizationId}_${n}`, organizationId, purpose: 'DEPOSIT', waitingSince }
    return one.take(asker)
  }
  expect(await ask(0, 'org_1')).toBeNull()
  processes[0]!.hear(limitUpdateOf(200, new Headers(), now()))
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
  // A tenant without any request comes before another tenant's forty waiting ones.
  await Promise.all(waiting.map((n) => ask(n, 'org_1', 900_000)))
  const fresh = start('fresh') // it has no cached permits
  const theirs = await ask(500, 'org_2', 990_000, fresh)
  const ours = await ask(501, 'org_1', 800_000, fresh)
  expect(theirs!.comeBackAt).toBeLessThanOrEqual(ours!.comeBackAt)
})
