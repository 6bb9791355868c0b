import { expect, test } from 'bun:test'
import { type SchedulerLike, Subscription } from 'rxjs'
import { withCircuitBreaker } from '../../../src/adapters/aggregators/circuit-breaker'
import { providerProbe } from '../../../src/adapters/aggregators/provider-probe'
import { sharedCircuit } from '../../../src/adapters/aggregators/shared-circuit'
import { RoutingError } from '../../../src/domain/error'
import type { ProviderCircuit } from '../../../src/domain/execution/provider-circuit'
import { TokenList } from '../../../src/domain/money/token'
import { ProviderUnavailable } from '../../../src/domain/unavailable'
import type { Aggregator, RouteRequest } from '../../../src/ports/aggregator'
import { addressOf } from '../../support/deposits'
import { recordsInMemory } from '../../support/records'
import { testAll } from '../../support/test-all'

const signal = AbortSignal.timeout(60_000)
const pair = (from: number, to: number) =>
  ({ fromChainId: 8453, fromToken: addressOf(from), toChainId: 42161, toToken: addressOf(to) }) as RouteRequest

function provider(answers: () => Promise<null>) {
  let calls = 0
  const aggregator: Aggregator = {
    name: 'one',
    quote: () => {
      calls += 1
      return answers()
    },
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async () => null,
  }
  return { aggregator, calls: () => calls }
}
/** A single process with its own store. */
const process = (aggregator: Aggregator, now: () => number) =>
  withCircuitBreaker(aggregator, now, {
    circuits: recordsInMemory<ProviderCircuit>(),
    onChange: () => {},
    self: 'worker',
  })
const fails = async () => {
  throw new RoutingError('PROVIDER_FAILED')
}
const refuses = async () => {
  throw new RoutingError('PROVIDER_REFUSED')
}
/** Pairs without a common chain or token. */
const several = [pair(1, 2), { ...pair(3, 4), fromChainId: 137, toChainId: 1 } as RouteRequest, pair(5, 6)]
async function askOften(aggregator: Aggregator, times: number, pairs = several): Promise<unknown[]> {
  const errors: unknown[] = []
  for (let n = 0; n < times; n++)
    await aggregator.quote(pairs[n % pairs.length]!, signal).catch((error) => errors.push(error))
  return errors
}

test('circuit breaker: a provider that only fails gets no more requests', async () => {
  const { aggregator, calls } = provider(fails)
  const errors = await askOften(
    process(aggregator, () => 0),
    100,
  )

  expect(calls()).toBeLessThan(100)
  expect(errors.at(-1)).toBeInstanceOf(ProviderUnavailable)
})

test('circuit breaker: a refusal is a response and never opens the breaker', async () => {
  const { aggregator, calls } = provider(refuses)
  const errors = await askOften(
    process(aggregator, () => 0),
    100,
  )

  expect(calls()).toBe(100)
  expect(errors.at(-1)).toBeInstanceOf(RoutingError)
})

test('circuit breaker: each provider has its own breaker', async () => {
  const [bad, good] = [provider(fails), provider(async () => null)]
  const [first, second] = [process(bad.aggregator, () => 0), process(good.aggregator, () => 0)]
  await askOften(first, 100)

  expect(await askOften(second, 5)).toEqual([])
  expect(await first.health()).toMatchObject({ healthy: false, breaker: 'OPEN' })
  expect(await second.health()).toMatchObject({ healthy: true, breaker: 'CLOSED', errorRate: 0 })
})

test('circuit breaker: health covers the last ten minutes', async () => {
  let time = 0
  const { aggregator } = provider(refuses)
  const one = process(aggregator, () => time)
  await askOften(one, 1)
  time = 11 * 60_000

  expect(await one.health()).toMatchObject({ p50Ms: null, updatedAt: null })
})

testAll([
  ['of one token', [pair(1, 2), pair(1, 3)]],
  ['to one token', [pair(1, 2), pair(3, 2), pair(5, 2)]],
  ['of two pairs', [pair(1, 2), pair(3, 4)]],
])('watched: only the failing pairs are skipped', async (_what, odd) => {
  const isOdd = (asked: RouteRequest) =>
    odd.some(({ fromToken, toToken }) => {
      return asked.fromToken === fromToken && asked.toToken === toToken
    })
  let calls = 0
  const { aggregator } = provider(fails)
  const quote: Aggregator['quote'] = async (asked) => {
    calls += 1
    return isOdd(asked) ? fails() : null
  }
  const one = process({ ...aggregator, quote }, () => 0)
  const errors = await askOften(one, 200, odd)
  expect(calls).toBeLessThan(200)
  expect(errors.at(-1)).toBeInstanceOf(ProviderUnavailable)
  expect(await askOften(one, 50, [pair(7, 8), pair(9, 10)])).toEqual([])
  expect((await one.health()).breaker).toBe('CLOSED')
})

test('circuit breaker: a transaction whose status always fails blocks neither other transactions nor quotes', async () => {
  const { aggregator } = provider(async () => null)
  const outcome: Aggregator['outcome'] = ({ hash }) =>
    ['0x1', '0x2', '0x3'].includes(hash) ? fails() : Promise.resolve({ kind: 'PENDING' as const })
  const one = process({ ...aggregator, outcome }, () => 0)
  const sent = (hash: `0x${string}`) => ({ hash, fromChainId: 8453, toChainId: 42161, reference: null }) as const
  for (let n = 0; n < 300; n++) await one.outcome(sent(`0x${(n % 3) + 1}`), signal).catch(() => {})
  expect(await one.outcome(sent('0x7'), signal)).toEqual({ kind: 'PENDING' })
  expect(await askOften(one, 20)).toEqual([])
})

test('circuit breaker: tokens that always fail do not keep the breaker open for others', async () => {
  let at = 1_000_000
  const circuits = recordsInMemory<ProviderCircuit>()
  const circuit = sharedCircuit({ provider: 'one' }, { circuits, now: () => at, onChange: () => {} })
  const failing = () => Promise.reject(new RoutingError('PROVIDER_FAILED'))
  const asking = (id: string, ask: () => Promise<unknown>) =>
    circuit.call({ id, from: `from ${id}`, to: `to ${id}` }, () => true, ask).catch(({ name }) => name)
  for (const odd of ['1', '2', '3']) await asking(odd, failing)
  expect((await circuit.read()).reason).toBe('FAILING')
  let waited = 0
  for (; waited < 600 && (await asking('good', async () => 'a route')) !== 'a route'; waited++) {
    at += 1_000
    for (const odd of ['1', '2', '3']) expect(await asking(odd, failing)).toBe('ProviderUnavailable')
  }
  expect(waited).toBe(10)
})

test('circuit breaker: a recovered provider is healthy within seconds of its next responses, however many failed before', async () => {
  let time = 0
  let isIll = true
  const { aggregator } = provider(async () => {
    if (isIll) throw new RoutingError('PROVIDER_FAILED')
    return null
  })
  const one = process(aggregator, () => time)
  await askOften(one, 2)
  expect(await one.health()).toMatchObject({ healthy: false })
  isIll = false
  time = 12_000
  expect(await askOften(one, 1)).toEqual([])
  expect(await one.health()).toMatchObject({ healthy: true, errorRate: 0.667 })
})

const named = { symbol: 'USDC', name: 'USD Coin', decimals: 6 }
const tokens = new TokenList([
  { chainId: 8453, address: addressOf(91), ...named },
  { chainId: 42161, address: addressOf(92), ...named },
])

/** A provider that fails, one process that skips it, and the probe timer, second by second. */
async function away(failsUntil: number) {
  const clock = { at: 1_000_000 }
  const began = clock.at
  const isAway = () => clock.at < began + failsUntil
  const { aggregator, calls } = provider(async () => (isAway() ? fails() : null))
  const circuits = recordsInMemory<ProviderCircuit>()
  const one = withCircuitBreaker(aggregator, () => clock.at, { circuits, onChange: () => {}, self: 'worker' })
  await askOften(one, 100)
  const lookAfter = providerProbe({ providers: [one], tokens, quoteTimeoutMs: 8_000, now: () => clock.at })
  const seconds = async (count: number) => {
    for (let n = 0; n < count; n++) {
      clock.at += 1_000
      await lookAfter()
    }
  }
  return { one, calls, seconds, began, circuits, clock, aggregator }
}

test('circuit breaker: a provider is down if the usual request fails, while a single odd pair of tokens changes nothing', async () => {
  const clock = { at: 1_000_000 }
  let fail: (request: RouteRequest) => boolean = ({ fromToken }) => fromToken === addressOf(1)
  const { aggregator } = provider(async () => null)
  const quote: Aggregator['quote'] = async (request) => (fail(request) ? fails() : null) as never
  const one = process({ ...aggregator, quote }, () => clock.at)
  const lookAfter = providerProbe({ providers: [one], tokens, quoteTimeoutMs: 8_000, now: () => clock.at })
  const looked = async () => {
    await askOften(one, 1, [pair(1, 2)])
    clock.at += 6_000
    await lookAfter()
    return one.health()
  }
  await askOften(one, 1, [pair(1, 2)])
  expect(await one.health()).toMatchObject({ healthy: false, isAway: false })
  expect(await looked()).toMatchObject({ isAway: false })
  fail = () => true
  expect(await looked()).toMatchObject({ healthy: false, isAway: true, breaker: 'CLOSED' })
  fail = () => false
  clock.at += 12_000
  expect(await looked()).toMatchObject({ healthy: true, isAway: false })
})

testAll([30, 61, 299])(
  'probed: a provider’s return is reported within 15 s of any outage, even without a deposit',
  async (healedAfter) => {
    const { one, seconds, began } = await away(healedAfter * 1_000)
    expect(await one.health()).toMatchObject({ healthy: false, failingSince: began, breaker: 'OPEN' })
    await seconds(healedAfter - 1)
    expect(await one.health()).toMatchObject({ healthy: false, failingSince: began })
    await seconds(13)
    expect(await one.health()).toMatchObject({ healthy: true, failingSince: null, breaker: 'CLOSED' })
  },
)

test('provider probe: ten processes together probe a failing provider six times a minute and a healthy one never', async () => {
  const { one, calls, clock, circuits, aggregator } = await away(Number.POSITIVE_INFINITY)
  const others = Array.from({ length: 9 }, () =>
    withCircuitBreaker(aggregator, () => clock.at, { circuits, onChange: () => {}, self: 'worker' }),
  )
  const beats = [one, ...others].map((each) =>
    providerProbe({ providers: [each], tokens, quoteTimeoutMs: 8_000, now: () => clock.at }),
  )
  const before = calls()
  for (let second = 0; second < 600; second++) {
    clock.at += 1_000
    for (const beat of beats) await beat()
  }
  expect(calls() - before).toBeLessThanOrEqual(60)

  const well = provider(async () => null)
  const fine = process(well.aggregator, () => clock.at)
  const beat = providerProbe({ providers: [fine], tokens, quoteTimeoutMs: 8_000, now: () => clock.at })
  for (let second = 0; second < 600; second++) {
    clock.at += 1_000
    await beat()
  }
  expect(well.calls()).toBe(0)
})

test('circuit breaker: a blocked call makes no request and counts as no response', async () => {
  const { one } = await away(Number.POSITIVE_INFINITY)
  const { errorRate, updatedAt } = await one.health()
  await askOften(one, 50)
  expect([errorRate, (await one.health()).errorRate]).toEqual([1, 1])
  expect((await one.health()).updatedAt).toBe(updatedAt)
})

test('provider probe: a probe has the timeout of a quote', async () => {
  const { one, clock } = await away(Number.POSITIVE_INFINITY)
  const given: unknown[] = []
  const scheduler: SchedulerLike = {
    now: () => clock.at,
    schedule: (_, ms) => {
      given.push(ms)
      return new Subscription()
    },
  }
  clock.at += 12_000
  await providerProbe({ providers: [one], tokens, quoteTimeoutMs: 14_000, now: () => clock.at, scheduler })()
  expect(given).toEqual([14_000])
})

test('circuit breaker: a response that arrives after the next probe began also closes the circuit', async () => {
  let at = 1_000_000
  const circuits = recordsInMemory<ProviderCircuit>()
  const circuit = sharedCircuit({ provider: 'one' }, { circuits, now: () => at, onChange: () => {} })
  const asking = (id: string, ask: () => Promise<unknown>) =>
    circuit.call({ id, from: `from ${id}`, to: `to ${id}` }, () => true, ask).catch(({ name }) => name)
  for (const id of ['1', '2', '3']) await asking(id, fails)
  at += 10_000
  const slow = Promise.withResolvers<string>()
  const answer = asking('4', () => slow.promise)
  await Promise.resolve()
  at += 11_000
  expect(await asking('5', fails)).toBe('ProviderUnavailable')
  slow.resolve('a route')
  expect(await answer).toBe('a route')
  expect((await circuit.read()).reason).toBeNull()
})
