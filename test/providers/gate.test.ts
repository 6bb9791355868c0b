import { expect, test } from 'bun:test'
import { type SchedulerLike, Subscription } from 'rxjs'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { Offer } from '../../src/domain/execution/route'
import type { Purpose } from '../../src/domain/limits/provider-budget'
import {
  ListedRefusal,
  ProviderFailsBetween,
  ProviderPaused,
  ProviderRateLimited,
  ProviderUnavailable,
  RouteRefused,
  Unreadable,
} from '../../src/domain/unavailable'
import type { RouteRequest } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'
import type { ProviderGate } from '../../src/providers/breaker'
import type { GatePorts } from '../../src/providers/gate'
import { rateLimiter, withRateLimit } from '../../src/providers/shared-budget'
import { hashOf } from '../support/deposits'
import { minute, ofEveryPair, offered, processes, requestOf } from '../support/outage'
import { recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'

const signal = new AbortController().signal
const sent = (n: number) => ({ hash: hashOf(n), fromChainId: 8453, toChainId: 42161, reference: null }) as const
type World = ReturnType<typeof processes>
type Worker = World['workers'][number]
const met = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(() => 'answered').catch((error) => error.code ?? error.name)
/** A deposit that asks, and where it fails, who is at fault. */
async function deposit(worker: Worker, request: RouteRequest): Promise<string> {
  try {
    await worker.quote(request, signal)
    return 'ANSWERED'
  } catch (error) {
    return error instanceof ProviderUnavailable ? 'HELD' : await worker.blame(request, error)
  }
}
const always = (meets: unknown): { code: ErrorCode; from: number; to: number; meets: () => Promise<never> } => ({
  code: 'PROVIDER_FAILED',
  from: 0,
  to: Number.POSITIVE_INFINITY,
  meets: () => Promise.reject(meets),
})

testAll([
  ['its internal error', new RoutingError('PROVIDER_FAILED'), 'PROVIDER', 'OPEN'],
  ['an answer of unknown form', new RoutingError('PROVIDER_MALFORMED'), 'PROVIDER', 'OPEN'],
  ['an answer that cannot be read', new Unreadable('It is new.'), 'PROVIDER', 'OPEN'],
  ['no connection', new RoutingError('PROVIDER_UNREACHABLE'), 'PROVIDER', 'OPEN'],
  ['no answer in time', new RoutingError('PROVIDER_TIMEOUT'), 'PROVIDER', 'OPEN'],
  ['a refusal', new ListedRefusal(1011), 'PROVIDER', 'OPEN'],
  ['a route that the chains refuse', new RouteRefused('No.'), 'UNKNOWN', 'CLOSED'],
  ['its limit', new ProviderRateLimited('one', 1_000, 1_000), 'HELD', 'CLOSED'],
  ['a bug of ours', new TypeError('a bug'), 'UNKNOWN', 'CLOSED'],
])(
  'a provider’s response counts equally in a deposit’s request and in a usual request',
  async (_, error, fault, breaker) => {
    const { workers, records } = processes(1, always(error))
    const [worker] = workers as [Worker]
    expect(await deposit(worker, requestOf(0))).toBe(fault)
    expect(await worker.health()).toMatchObject({ breaker, isAway: breaker === 'OPEN' })
    expect(records.all().length).toBeLessThanOrEqual(1)
  },
)

test('a route that the signer’s rules refuse is a failure for a deposit, a usual request and a probe', async () => {
  const { start, clock, calls, told } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  let objection: string | null = 'Its call is unknown.'
  let offered = 0
  const quote = async () => {
    offered += 1
    return { provider: 'one' } as never
  }
  const worker = start(0, { quote, read: () => objection })
  expect(await met(worker.quote(requestOf(0), signal))).toBe('PROVIDER_MALFORMED')
  expect(await worker.blame(requestOf(0), new Unreadable('x'))).toBe('PROVIDER')
  expect([offered, calls()]).toEqual([4, 0])
  expect(await worker.health()).toMatchObject({ breaker: 'OPEN', unreadable: 'Its call is unknown.' })
  for (clock.at = 0; clock.at < minute; clock.at += 1_000) await worker.probe()
  expect(told).toEqual(['FAILING'])
  objection = null
  for (; clock.at < minute + 13_000; clock.at += 1_000) await worker.probe()
  expect(told).toEqual(['FAILING', null])
  expect(await worker.quote(requestOf(0), signal)).toEqual({ provider: 'one' } as never)
})

test('three healthy providers cost each process less than two reads a second at rest, and no write', async () => {
  const { clock, start } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  let [reads, writes] = [0, 0]
  const stored = recordsInMemory<ProviderGate>()
  const records = {
    load: (id: string) => {
      reads += 1
      return stored.load(id)
    },
    save: (record: ProviderGate) => {
      writes += 1
      return stored.save(record)
    },
  }
  const gates = [0, 1, 2].map((n) => start(n, { records }))
  for (; clock.at < minute; clock.at += 500) for (const one of gates) await one.probe()
  expect([reads / 60 <= 2, writes]).toEqual([true, 0])
  for (let n = 0; n < 600; n++, clock.at += 100) for (const one of gates) await one.quote(requestOf(n), signal)
  expect([reads / 120 <= 3, writes]).toEqual([true, 0])
})

test('a paused provider gets no quotes or usual requests, and is still queried about money in flight', async () => {
  const { start, calls, clock } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: minute })
  const on = { isPaused: false }
  const worker = start(0, {
    pauses: { find: ([scope]) => (on.isPaused && scope === 'provider:one' ? {} : null) as never },
  })
  expect(await deposit(worker, requestOf(0))).toBe('PROVIDER')
  on.isPaused = true
  const before = calls()
  for (clock.at = 0; clock.at < minute; clock.at += 1_000) await worker.probe()
  expect(worker.quote(requestOf(1), signal)).rejects.toBeInstanceOf(ProviderPaused)
  expect(calls()).toBe(before)
  expect(await worker.outcome(sent(1), signal)).toEqual({ kind: 'PENDING' })
})

test('a process that alone cannot reach a provider stops its own requests, and spends no retry', async () => {
  const isHit = (_: RouteRequest, worker: number) => worker === 0
  const trouble = { code: 'PROVIDER_UNREACHABLE', from: 0, to: 30 * minute, isHit } as const
  const { workers, clock, calls, told, changes } = processes(3, trouble)
  const said = workers.map(() => new Set<string>())
  let asked = 0
  for (let n = 0; clock.at < 30 * minute; clock.at += 1_000, n++)
    for (const [w, worker] of workers.entries()) {
      const before = calls()
      await worker.probe()
      said[w]!.add(await deposit(worker, requestOf(n)))
      if (w === 0) asked += calls() - before
    }
  expect(said.map((all) => [...all].toSorted())).toEqual([['HELD', 'PROVIDER'], ['ANSWERED'], ['ANSWERED']])
  expect(asked).toBeLessThan(30 * 6 + 10)
  expect(told).toEqual(['FAILING'])
  expect(changes.filter(({ pair }) => pair === null)).toMatchObject([{ isOwn: true }])
  clock.at += 13_000
  await workers[0]!.probe()
  expect(await deposit(workers[0]!, requestOf(1))).toBe('ANSWERED')
})

test('a process that keeps crashing with a broken network shuts nothing for others', async () => {
  const trouble = { code: 'PROVIDER_UNREACHABLE', from: 0, to: 30 * minute } as const
  const { start, clock, records } = processes(0, trouble)
  for (let n = 0; n < 20; n++, clock.at += 5_000) await deposit(start(0), requestOf(n))
  expect(records.get('one').shut.all).toMatchObject({ by: ['worker-0'] })
  await deposit(start(1), requestOf(1))
  expect(records.get('one').shut.all).toMatchObject({ by: null })
})

test('ten processes together probe a failing provider six times a minute, and notice its recovery within 15 seconds', async () => {
  const { workers, clock, calls, told } = processes(10, { code: 'PROVIDER_FAILED', from: 0, to: 10 * minute })
  await deposit(workers[0]!, requestOf(0))
  const before = calls()
  for (; clock.at < 10 * minute; clock.at += 500) for (const one of workers) await one.probe()
  expect(calls() - before).toBeLessThanOrEqual(60)
  expect(await workers[3]!.health()).toMatchObject({ healthy: false, isAway: true, failingSince: 0, breaker: 'OPEN' })
  for (; clock.at < 10 * minute + 15_000; clock.at += 500) for (const one of workers) await one.probe()
  expect(told).toEqual(['FAILING', null])
  expect(await workers[3]!.health()).toMatchObject({ healthy: true, failingSince: null, breaker: 'CLOSED' })
})

test('ten processes whose deposits fail at one moment send one usual request for each pair of chains', async () => {
  const isHit = ({ fromToken }: RouteRequest) => fromToken === requestOf(0).fromToken
  const { workers, calls } = processes(10, { code: 'PROVIDER_FAILED', from: 0, to: minute, isHit })
  const said = await Promise.all(workers.map((one) => deposit(one, requestOf(0))))
  expect(said.filter((fault) => fault === 'REQUEST').length).toBeGreaterThan(0)
  expect(new Set(said).difference(new Set(['REQUEST', 'UNKNOWN'])).size).toBe(0)
  expect(calls()).toBe(11)
})

test('a usual request has the timeout of a quote', async () => {
  const given: unknown[] = []
  const scheduler: SchedulerLike = {
    now: () => 0,
    schedule: (_, ms) => {
      given.push(ms)
      return new Subscription()
    },
  }
  const { start } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: minute })
  await deposit(start(0, { quoteTimeoutMs: 14_000, scheduler }), requestOf(0))
  expect(given).toEqual([14_000, 14_000, 14_000])
})

test('a response that arrives after the next probe also opens the provider', async () => {
  const { start, clock, told } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  const slow = Promise.withResolvers<Offer>()
  let answer: () => Promise<Offer> = () => Promise.reject(new RoutingError('PROVIDER_FAILED'))
  const worker = start(0, { quote: () => answer() })
  await deposit(worker, requestOf(0))
  clock.at = 40_000
  const asked = Promise.withResolvers<void>()
  answer = () => {
    asked.resolve()
    return slow.promise
  }
  const late = worker.quote(requestOf(1), signal)
  await asked.promise
  clock.at = 55_000
  answer = () => Promise.reject(new RoutingError('PROVIDER_FAILED'))
  await worker.probe()
  slow.resolve(offered)
  expect(await late).toBe(offered as never)
  expect(told).toEqual(['FAILING', null])
})

test('health covers the last ten minutes, and a recovery shows within seconds', async () => {
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: 5_000 })
  const [worker] = workers as [Worker]
  for (let n = 0; n < 2; n++) await met(worker.quote(requestOf(n), signal))
  expect(await worker.health()).toMatchObject({ healthy: false, breaker: 'CLOSED', errorRate: 1 })
  clock.at = 12_000
  await worker.quote(requestOf(1), signal)
  expect(await worker.health()).toMatchObject({ healthy: true, errorRate: 0.667, p50Ms: 0, updatedAt: 12_000 })
  clock.at = 11 * minute
  expect(await worker.health()).toMatchObject({ p50Ms: null, updatedAt: null, errorRate: 0 })
})

test('a request that is held back makes no call and counts as none', async () => {
  const { workers, calls } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: minute })
  const [worker] = workers as [Worker]
  await deposit(worker, requestOf(0))
  const [before, health] = [calls(), await worker.health()]
  for (let n = 0; n < 50; n++) expect(await deposit(worker, ofEveryPair(n))).toBe('HELD')
  expect(calls()).toBe(before)
  expect(await worker.health()).toEqual(health)
})

test('a failing unusual token is itself at fault, shuts nothing, and costs at most one usual request every ten seconds', async () => {
  const odd = { ...ofEveryPair(1), fromToken: hashOf(7) as never }
  const isHit = ({ fromToken }: RouteRequest) => fromToken === odd.fromToken
  const { workers, clock, calls } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: 20 * minute, isHit })
  const [worker] = workers as [Worker]
  let controls = 0
  for (; clock.at < 10 * minute; clock.at += 1_000) {
    const before = calls()
    expect(await deposit(worker, odd)).toBe('REQUEST')
    controls += calls() - before - 1
  }
  expect(controls).toBeLessThanOrEqual(6 * 10)
  expect(await worker.health()).toMatchObject({ failsBetween: [], breaker: 'CLOSED' })
})

testAll<ErrorCode>(['PROVIDER_UNAUTHORIZED', 'PROVIDER_REFUSED'])(
  'tokens that are always refused, or refused as if our credentials were wrong, cost one usual request in ten seconds',
  async (code) => {
    const odd = { ...ofEveryPair(1), fromToken: hashOf(7) as never }
    const isHit = ({ fromToken }: RouteRequest) => fromToken === odd.fromToken
    const { workers, clock, calls, told } = processes(3, { code, from: 0, to: 20 * minute, isHit })
    let controls = 0
    for (let n = 0; clock.at < 10 * minute; clock.at += 1_000, n++) {
      const before = calls()
      expect(await deposit(workers[n % 3]!, odd)).toBe('REQUEST')
      controls += calls() - before - 1
    }
    expect(controls).toBeLessThanOrEqual(6 * 10)
    expect(told).toEqual([])
  },
)

// Otherwise a deposit repeats its own request until it has used the whole reserve.
test('a usual request has its deposit’s priority, so a refusal is decided while previews have used all but the reserve', async () => {
  const { start, clock } = processes(0, always(null))
  const limit = { most: 100, windowMs: 120 * minute }
  const limiter = rateLimiter('one', limit, { budgets: recordsInMemory(), now: () => clock.at })
  const odd = hashOf(7) as never
  let answers = 0
  const quote = async ({ fromToken }: RouteRequest) => {
    answers += 1
    limiter.note({ at: clock.at, isRefusal: false, most: null, left: null, resetMs: null, retryMs: null })
    if (fromToken === odd) throw new ListedRefusal(1011)
    return offered
  }
  const within = (one: Aggregator) => withRateLimit(one, { quote: limiter, other: limiter })
  const worker = start(0, { quote, within })
  const by = (purpose: Purpose) => ({ requester: { id: 'one', organizationId: 'org_1', purpose, waitingSince: null } })
  for (; clock.at < 3 * minute; clock.at += 1_000)
    await worker.quote({ ...ofEveryPair(0), ...by('PREVIEW') }, signal).catch(() => {})
  expect(answers).toBe(80)
  expect(await deposit(worker, { ...ofEveryPair(0), fromToken: odd, ...by('DEPOSIT') })).toBe('REQUEST')
  expect(answers).toBe(82)
})

test('a usual request that is refused shuts the provider, names the code, and decides over an earlier answer', async () => {
  let isRetired = false
  const quote = async () => {
    if (isRetired) throw new ListedRefusal(1011)
    return offered
  }
  const { start, clock, told } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  const worker = start(0, { quote })
  for (let n = 0; n < 25; n++) await worker.quote(ofEveryPair(n), signal)
  isRetired = true
  clock.at = 1_000
  expect(await deposit(worker, ofEveryPair(1))).toBe('PROVIDER')
  expect(await worker.health()).toMatchObject({
    breaker: 'OPEN',
    healthy: false,
    unreadable: 'It refused a request with the code 1011.',
  })
  // A refused deposit does not open it either.
  clock.at = 3 * minute
  expect(await deposit(worker, ofEveryPair(2))).toBe('HELD')
  expect(told).toEqual(['FAILING'])
  isRetired = false
  for (; clock.at < 4 * minute; clock.at += 1_000) await worker.probe()
  expect(told).toEqual(['FAILING', null])
})

test('a usual request that finds no route confirms neither a deposit’s refusal nor its failure, and shuts nothing', async () => {
  const odd = hashOf(7) as never
  for (const error of [new ListedRefusal(1011), new RoutingError('PROVIDER_FAILED')]) {
    let [controls, route]: [number, Offer | null] = [0, null]
    const quote = async ({ fromToken }: RouteRequest) => {
      if (fromToken === odd) throw error
      controls += 1
      return route
    }
    const { start, clock, told } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
    const worker = start(0, { quote })
    const ask = () => deposit(worker, { ...ofEveryPair(0), fromToken: odd })
    expect([await ask(), await ask(), await ask()]).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN'])
    expect([controls, told]).toEqual([1, []]) // it covers ten seconds, as any usual request does
    clock.at = 10_000
    route = offered
    expect(await ask()).toBe('REQUEST')
  }
})

test('a usual request refused by the provider’s limit decides nothing, and the next one is sent', async () => {
  const odd = hashOf(7) as never
  let isLimited = true
  const quote = async ({ fromToken }: RouteRequest) => {
    if (fromToken === odd) throw new RoutingError('PROVIDER_FAILED')
    if (isLimited) throw new ProviderRateLimited('one', 1_000, 1_000)
    return offered
  }
  const worker = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 }).start(0, { quote })
  expect(await deposit(worker, { ...ofEveryPair(0), fromToken: odd })).toBe('UNKNOWN')
  isLimited = false
  expect(await deposit(worker, { ...ofEveryPair(0), fromToken: odd })).toBe('REQUEST')
})

test('the error of a failing pair of chains names the chains', async () => {
  const isHit = ({ fromChainId, toChainId }: RouteRequest) => [fromChainId, toChainId].includes(43114 as never)
  const { workers, records } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: minute, isHit })
  const [worker] = workers as [Worker]
  const request = Array.from({ length: 20 }, (_, n) => ofEveryPair(n)).find((one) => isHit(one))!
  expect(await deposit(worker, request)).toBe('PROVIDER')
  const error = await worker.quote(request, signal).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ProviderFailsBetween)
  expect(error.why).toMatch(/^It failed from .*Avalanche.* and is skipped there for now\.$/)
  expect(Object.keys(records.get('one').shut)).toHaveLength(1)
})

test('refused requests in every turn of deposits do not keep a provider shut whose credentials are accepted again', async () => {
  let isLockedOut = true
  const odd = hashOf(7) as never
  const quote = async ({ fromToken }: RouteRequest) => {
    if (isLockedOut) throw new RoutingError('PROVIDER_UNAUTHORIZED')
    if (fromToken === odd) throw new ListedRefusal(1011)
    return offered
  }
  const { start, clock, told } = processes(0, always(null))
  const [api, worker] = [start(0, { quote }), start(1, { quote })]
  expect(await deposit(worker, ofEveryPair(1))).toBe('PROVIDER')
  const attackTo = async (at: number) => {
    for (; clock.at < at && told.at(-1) !== null; clock.at += 500) {
      await api.quote({ ...ofEveryPair(1), fromToken: odd }, signal).catch(() => {})
      if (clock.at % 5_000 === 0) await worker.probe()
    }
  }
  await attackTo(30 * minute)
  isLockedOut = false
  await attackTo(41 * minute)
  expect(told).toEqual(['LOCKED_OUT', null])
})

test('after a refused outcome or price, a usual request decides whether quotes stop, once in ten seconds', async () => {
  for (const kind of ['outcome', 'priceUsd'] as const) {
    let [code, isLocked]: [ErrorCode | null, boolean] = ['PROVIDER_FAILED', false]
    const isHit = () => isLocked
    const trouble = { code: 'PROVIDER_UNAUTHORIZED', from: 0, to: Number.POSITIVE_INFINITY, isHit } as const
    const { start, clock, told, calls } = processes(0, trouble)
    const answer = async () => {
      if (code) throw new RoutingError(code)
      return offered as never
    }
    const worker = start(0, { within: (one) => ({ ...one, outcome: answer, priceUsd: answer }) })
    const ask = () =>
      met(kind === 'outcome' ? worker.outcome(sent(1), signal) : worker.priceUsd(8453, hashOf(1) as never, signal))
    for (let n = 0; n < 20; n++) expect(await ask()).toBe('PROVIDER_FAILED')
    expect(calls()).toBe(0)
    code = 'PROVIDER_UNAUTHORIZED'
    for (; clock.at < minute; clock.at += 1_000)
      expect(await ask()).toBe(kind === 'outcome' ? 'PROVIDER_MALFORMED' : 'PROVIDER_FAILED')
    expect(calls()).toBe(6)
    expect(await worker.quote(requestOf(1), signal)).toBeNull()
    isLocked = true
    clock.at += 10_000
    expect(await ask()).toBe('ProviderUnavailable')
    expect(await met(worker.quote(requestOf(1), signal))).toBe('ProviderUnavailable')
    code = null
    isLocked = false
    // No usual request takes its turn here.
    clock.at += 41_000
    expect(await ask()).toBe('answered')
    expect(await worker.quote(requestOf(1), signal)).toBeNull()
    expect(told).toEqual(['FAILING', 'LOCKED_OUT', null, null])
  }
})

testAll(['outcome', 'priceUsd'] as const)(
  'five unreadable responses of one kind in a row are reported, hold nothing back, and end with a readable one of that kind',
  async (kind) => {
    const { start, clock, told, changes } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
    const fails = { outcome: false, priceUsd: false, [kind]: true }
    const answer = (of: typeof kind) => async () => {
      if (fails[of]) throw new Unreadable(`Its ${of} is new.`)
      return offered as never
    }
    const within: GatePorts['within'] = (one) => ({
      ...one,
      outcome: answer('outcome'),
      priceUsd: answer('priceUsd'),
    })
    const worker = start(0, { within })
    const ask = {
      outcome: () => met(worker.outcome(sent(1), signal)),
      priceUsd: () => met(worker.priceUsd(8453, hashOf(1) as never, signal)),
    }
    const other = kind === 'outcome' ? 'priceUsd' : 'outcome'
    for (let n = 0; n < 4; n++) {
      expect(await ask[kind]()).toBe(kind === 'outcome' ? 'PROVIDER_MALFORMED' : 'PROVIDER_FAILED')
      expect(await ask[other]()).toBe('answered')
    }
    expect((await worker.health()).unreadable).toBeNull()
    await ask[kind]()
    await ask[other]()
    const unreadable = `Its ${kind} is new.`
    expect(await worker.health()).toMatchObject({ healthy: false, breaker: 'CLOSED', unreadable })
    expect(changes.at(-1)).toMatchObject({ pair: null, shut: { why: unreadable } })
    clock.at = minute
    fails[kind] = false
    expect(await ask[kind]()).toBe('answered')
    expect((await worker.health()).unreadable).toBeNull()
    expect(told).toEqual(['FAILING', null])
  },
)

test('the first response for a pair of tokens wakes its deposits once, in any process', async () => {
  const woken: unknown[] = []
  const isHit = ({ fromToken }: RouteRequest) => fromToken === requestOf(0).fromToken
  const { start, clock } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: minute, isHit })
  const onAnswer = ({ fromToken }: RouteRequest) => void woken.push(fromToken)
  const [first, second] = [start(0, { onAnswer }), start(1, { onAnswer })]
  expect(await deposit(first, requestOf(0))).toBe('REQUEST')
  await second.quote(requestOf(1), signal)
  expect(woken).toEqual([])
  clock.at = 2 * minute
  for (const one of [second, first, second]) await one.quote(requestOf(0), signal)
  expect(woken).toEqual([requestOf(0).fromToken])
})
