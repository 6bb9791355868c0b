import { expect, test } from 'bun:test'
import { lastValueFrom } from 'rxjs'
import { withCircuitBreaker } from '../../src/adapters/aggregators/circuit-breaker'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import type { ProviderCircuit } from '../../src/domain/execution/provider-circuit'
import { isTerminal } from '../../src/domain/execution/status'
import { ProviderUnavailable } from '../../src/domain/unavailable'
import type { Aggregator, RouteRequest } from '../../src/ports/aggregator'
import { advance } from '../../src/routing/engine/advance'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { intent, stepsThatSucceed } from '../support/world'

const minute = 60_000
const signal = new AbortController().signal
/** Deposits of several tokens to several: the n-th has its own two sides. */
const requestOf = (n: number) =>
  ({ fromChainId: 8453, fromToken: addressOf(n % 5), toChainId: 42161, toToken: addressOf(n % 7) }) as RouteRequest

type Trouble = { code: ErrorCode; from: number; to: number; isHit?: (request: RouteRequest) => boolean }

/** Processes that share nothing but the store, and a provider that fails for a while. */
function processes(count: number, trouble: Trouble) {
  const clock = { at: 0 }
  const circuits = recordsInMemory<ProviderCircuit>()
  const told: ProviderCircuit['reason'][] = []
  let calls = 0
  const provider: Aggregator = {
    name: 'one',
    quote: async (request) => {
      calls += 1
      const isHit = trouble.isHit?.(request) ?? true
      if (isHit && clock.at >= trouble.from && clock.at < trouble.to) throw new RoutingError(trouble.code)
      return null
    },
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async () => null,
  }
  const onChange = ({ reason }: ProviderCircuit) => told.push(reason)
  const workers = Array.from({ length: count }, () =>
    withCircuitBreaker(provider, () => clock.at, { circuits, onChange }),
  )
  return { clock, circuits, told, workers, calls: () => calls }
}

type Comes = { everyMs?: number; requestOf?: (n: number) => RouteRequest }

/** A deposit a minute for so long, each step by whichever worker is woken, until all have ended. */
async function endings(
  count: number,
  trouble: Trouble,
  deposits: number,
  { everyMs = minute, requestOf: ofDeposit = requestOf }: Comes = {},
) {
  const { clock, workers, told, calls } = processes(count, trouble)
  const all = Array.from({ length: deposits }, (_, n) => executionOf(n, { version: 1, dueAt: n * everyMs }))
  const executions = executionsInMemory(...all)
  const ids = all.map(({ id }) => id)
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const dueOf = (id: string) => executions.get(id).dueAt ?? Number.POSITIVE_INFINITY
  for (;;) {
    const id = ids.reduce((first, other) => (dueOf(other) < dueOf(first) ? other : first))
    if (dueOf(id) === Number.POSITIVE_INFINITY) break
    clock.at = Math.max(clock.at, dueOf(id))
    const worker = workers[Math.floor(random() * count)]!
    const findRoute = async () => {
      await worker.quote(ofDeposit(ids.indexOf(id)), signal)
      return { type: 'route found' } as const
    }
    const routeId = hashOf(1_000 + ids.indexOf(id))
    const matchIntent = async () => ({ type: 'intent matched', facts: { intent, routeId } }) as const
    const steps = { ...stepsThatSucceed, matchIntent, findRoute }
    const surroundings = { executions, steps, now: () => clock.at, random, onBug: () => {} }
    await lastValueFrom(advance(id, false, surroundings), { defaultValue: null })
  }
  const ended: Execution[] = ids.map((id) => executions.get(id))
  expect(ended.every(({ state }) => isTerminal(state))).toBe(true)
  return { dead: ended.filter(({ state }) => state === 'DEAD_LETTER').length, told, calls: calls() }
}

test.each([1, 3, 10])('an outage of 45 minutes at a deposit a minute ends none, with %d workers', async (count) => {
  const trouble = { code: 'PROVIDER_FAILED', from: 0, to: 45 * minute } as const
  const { dead, told, calls } = await endings(count, trouble, 49)
  expect(dead).toBe(0)
  expect(told).toEqual(['FAILING', null])
  // A look every ten seconds is what it costs to tell within fifteen that it is back.
  expect(calls).toBeLessThan(45 * 6)
})

const onePair = { ...requestOf(0), fromToken: addressOf(0x0dd) }
const isOnePair = ({ fromToken }: RouteRequest) => fromToken === onePair.fromToken

test.each([1, 3, 10])(
  'an outage of one pair of tokens ends none of forty that come at once, with %d workers',
  async (count) => {
    const trouble = { code: 'PROVIDER_FAILED', from: 0, to: 45 * minute, isHit: isOnePair } as const
    const { dead, told, calls } = await endings(count, trouble, 40, { everyMs: 0, requestOf: () => onePair })
    expect(dead).toBe(0)
    expect(told).toEqual([]) // the provider itself is well
    expect(calls).toBeLessThan(45 * 6 + 100)
  },
)

test('a pair that others found to be down makes nobody wait who asks for another one', async () => {
  const { workers, clock } = processes(2, { code: 'PROVIDER_FAILED', from: 0, to: minute, isHit: isOnePair })
  const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]]
  const said = (one: typeof first, request: RouteRequest) =>
    one.quote(request, signal).catch(({ code, name }) => code ?? name)
  for (let n = 0; n < 30; n++) expect(await said(first, onePair)).toBe('PROVIDER_FAILED')
  expect(await said(first, onePair)).toBe('ProviderUnavailable')
  expect(await said(second, onePair)).toBe('ProviderUnavailable') // it asked, and learned that others wait
  for (const one of workers) expect(await said(one, requestOf(1))).toBeNull()
  clock.at = 2 * minute
  expect(await said(second, onePair)).toBeNull()
  clock.at += 2_000
  expect(await said(first, onePair)).toBeNull()
})

test.each([1, 3, 10])(
  'rotated credentials end the deposit that met the refusal first, with %d workers',
  async (count) => {
    const trouble = { code: 'PROVIDER_UNAUTHORIZED', from: 10.5 * minute, to: 40 * minute } as const
    const { dead, told } = await endings(count, trouble, 49)
    expect(dead).toBe(1)
    expect(told).toEqual(['CREDENTIALS', null])
  },
)

test('of many executions that meet a refusal at the same moment one fails and the others wait, as does every probe', async () => {
  const { clock, workers, told, calls } = processes(10, { code: 'PROVIDER_UNAUTHORIZED', from: 0, to: 30 * minute })
  const askAll = () =>
    Promise.all(
      workers.map((worker, n) => worker.quote(requestOf(n), signal).catch((error) => error.code ?? error.name)),
    )
  const first = await askAll()
  expect(first.filter((said) => said === 'PROVIDER_UNAUTHORIZED')).toHaveLength(1)
  expect(first.filter((said) => said === 'ProviderUnavailable')).toHaveLength(9)
  expect(calls()).toBe(10)

  const probed: number[] = []
  for (clock.at = 1_000; clock.at < 30 * minute; clock.at += 1_000) {
    const before = calls()
    expect(new Set(await askAll())).toEqual(new Set(['ProviderUnavailable']))
    expect(calls() - before).toBeLessThanOrEqual(1)
    if (calls() > before) probed.push(clock.at)
  }
  const gaps = probed.map((at, n) => at - (probed[n - 1] ?? 0))
  expect(gaps).toEqual(gaps.toSorted((a, b) => a - b))
  expect(probed.length).toBeLessThan(12)
  expect((await workers[3]!.health()).credentialsRefusedAt).toBe(0)

  clock.at = 36 * minute
  await askAll()
  clock.at += 2_000
  expect(await askAll()).toEqual(Array(10).fill(null))
  expect((await workers[3]!.health()).credentialsRefusedAt).toBeNull()
  expect(told).toEqual(['CREDENTIALS', null])
})

test('credentials refused for an outcome stop quotes too, and other failures there do not', async () => {
  const { clock, circuits, told } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  let code: ErrorCode = 'PROVIDER_FAILED'
  const provider: Aggregator = {
    name: 'one',
    quote: async () => null,
    outcome: async () => {
      throw new RoutingError(code)
    },
    priceUsd: async () => null,
  }
  const onChange = ({ reason }: ProviderCircuit) => told.push(reason)
  const one = withCircuitBreaker(provider, () => clock.at, { circuits, onChange })
  const ask = (n: number) =>
    one.outcome({ hash: hashOf(n), fromChainId: 8453, toChainId: 42161, reference: null }, signal).catch(() => {})
  for (let n = 0; n < 20; n++) await ask(n)
  expect(await one.quote(requestOf(1), signal)).toBeNull()
  code = 'PROVIDER_UNAUTHORIZED'
  await ask(21)
  expect(one.quote(requestOf(1), signal)).rejects.toBeInstanceOf(ProviderUnavailable)
  expect(told).toEqual(['CREDENTIALS'])
})
