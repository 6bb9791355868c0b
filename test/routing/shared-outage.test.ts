import { expect, test } from 'bun:test'
import { cctp } from '../../src/adapters/aggregators/cctp'
import { withCircuitBreaker } from '../../src/adapters/aggregators/circuit-breaker'
import { lifi } from '../../src/adapters/aggregators/lifi'
import { providerProbe } from '../../src/adapters/aggregators/provider-probe'
import { readableAggregator } from '../../src/adapters/aggregators/readable-aggregator'
import { relay } from '../../src/adapters/aggregators/relay'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { ProviderCircuit } from '../../src/domain/execution/provider-circuit'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import { ProviderUnavailable } from '../../src/domain/unavailable'
import type { Aggregator, RouteRequest } from '../../src/ports/aggregator'
import { depositForBurn } from '../../src/protocols/cctp/burn'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import { lifiRules, routeObjection } from '../../src/signer/route-rules'
import { burnOf } from '../support/cctp-fixtures'
import { addressOf, hashOf } from '../support/deposits'
import { type Comes, endings, minute, processes, requestOf, usualTokens } from '../support/outage'
import { testAll } from '../support/test-all'

const signal = new AbortController().signal
const onePair = { ...requestOf(0), fromToken: addressOf(0x0dd) }
const isOnePair = ({ fromToken }: RouteRequest) => fromToken === onePair.fromToken

const asked = { ...requestOf(0), policy: defaultPolicy, account: addressOf(1), recipient: addressOf(2), amountIn: 1n }
const usdcOnly = {
  ...asked,
  fromChainId: 8453,
  fromToken: usdcOf(8453),
  toChainId: 42161,
  toToken: usdcOf(42161),
} as const
const said = (status: number, body: unknown) => ({
  url: 'http://x',
  fetcher: async () => Response.json(body, { status }),
})
const ofLifi = (status: number, body: unknown) => () =>
  lifi({ ...said(status, body), apiKey: null, bridges: [] }).quote(asked, signal)
const ofRelay = (status: number, body: unknown) => () =>
  relay({ ...said(status, body), apiKey: null }).quote(usdcOnly, signal)
const ofCircle = (status: number, body: unknown) => () => cctp(said(status, body)).quote(usdcOnly, signal)
const ofHash = { hash: hashOf(1), ...usdcOnly, reference: hashOf(2), call: null }

/** Every way in which a provider's response can deviate from our tables. */
const unread: Record<string, () => Promise<unknown>> = {
  'a call that the signer does not allow': async () => {
    const call = { target: addressOf(9), spender: addressOf(9), data: '0xdeadbeef', nativeFee: '0' } as const
    const route = { kind: 'BRIDGE', call, amountIn: '1', amountOutMin: '1' } as unknown as Route
    const offering = { name: 'one', quote: async () => route } as unknown as Aggregator
    return readableAggregator(offering, routeObjection(lifiRules(), { now: () => 0 })).quote(asked, signal)
  },
  'a refusal by LI.FI that is not listed': ofLifi(400, { code: 1099 }),
  'a refusal by LI.FI without a code': ofLifi(422, { message: 'simulation failed' }),
  'a quote of LI.FI in another form': ofLifi(200, { route: 1 }),
  'a refusal by Relay that is not listed': ofRelay(400, { errorCode: 'SIMULATION_FAILED' }),
  'a refusal by Relay without a code': ofRelay(400, { message: 'simulation failed' }),
  'a step of Relay that is not listed': ofRelay(200, { steps: [{ id: 'bond', kind: 'transaction', items: [] }] }),
  'a quote of Relay in another form': ofRelay(200, { steps: 1 }),
  'a refusal by Circle': ofCircle(400, { error: 'Invalid domain' }),
  'a finality of Circle that is not listed': ofCircle(200, [{ finalityThreshold: 1500, minimumFee: 0 }]),
  'fees of Circle in another form': ofCircle(200, { fees: [] }),
  'a status of LI.FI': () => lifi({ ...said(410, {}), apiKey: null, bridges: [] }).outcome(ofHash, signal),
  'a status of Relay': () => relay({ ...said(410, {}), apiKey: null }).outcome(ofHash, signal),
  'messages of Circle': () =>
    cctp(said(410, {})).outcome({ ...ofHash, call: depositForBurn(burnOf(usdcOnly)) }, signal),
}

const outages = [1, 3, 10].flatMap((count): [ErrorCode, string, number, Comes & { deposits: number }][] => [
  ['PROVIDER_FAILED', 'of many tokens', count, { deposits: 49 }],
  ['PROVIDER_UNREACHABLE', 'of one pair', count, { deposits: 49, requestOf: () => onePair }],
  ['PROVIDER_FAILED', 'that comes alone', count, { deposits: 1 }],
])

testAll(outages)(
  'an outage of 45 minutes ends no deposit and costs no retry, with any number of workers',
  async (code, _, count, comes) => {
    const { deposits, ...how } = comes
    const { dead, retries, spentOpen, told, calls } = await endings(
      count,
      { code, from: 0, to: 45 * minute },
      deposits,
      how,
    )
    expect(dead).toBe(0)
    expect(spentOpen).toBe(0)
    expect(retries).toBe(0)
    expect(new Set(told)).toEqual(new Set(['FAILING', null]))
    // Probes every ten seconds detect recovery within fifteen. After that each deposit makes one request.
    expect(calls).toBeLessThan(45 * 6 + 10 + deposits)
  },
)

test('a pair of tokens that fails alone, or cannot be parsed, spends its retries and ends', async () => {
  for (const meets of [undefined, unread['a call that the signer does not allow']!]) {
    const trouble = { code: 'PROVIDER_FAILED', from: 0, to: 24 * 60 * minute, isHit: isOnePair } as const
    const one = { ...trouble, ...(meets && { meets }) }
    const { dead, retries, told } = await endings(3, one, 1, { requestOf: () => onePair })
    expect([dead, retries, told]).toEqual([1, 10, []])
  }
})

test('no deposit ends or spends a retry while a provider’s responses are unreadable, and its health states the fault', async () => {
  const wrong: unknown[] = []
  for (const [name, meets] of Object.entries(unread)) {
    const trouble = { code: 'PROVIDER_REFUSED', from: 0, to: 45 * minute, meets } as const
    const { dead, retries, told } = await endings(3, trouble, 15)
    const { workers } = processes(1, trouble)
    for (let n = 0; n < 4; n++) await workers[0]!.quote(requestOf(n), signal).catch(() => {})
    const { healthy, breaker, unreadable } = await workers[0]!.health()
    const other = processes(1, trouble).workers[0]!
    for (let n = 0; n < 5; n++)
      await other
        .outcome({ hash: hashOf(n), fromChainId: 8453, toChainId: 42161, reference: null }, signal)
        .catch(() => {})
    const seen = { dead, retries, told, healthy, breaker, says: [unreadable, (await other.health()).unreadable] }
    const isRight =
      dead + retries === 0 && String(told) === 'FAILING,' && !healthy && breaker === 'OPEN' && seen.says.every(Boolean)
    if (!isRight) wrong.push({ name, ...seen })
  }
  expect(wrong).toEqual([])
})

testAll([1, 3, 10])(
  'a deposit that failed before is tried again while every probe fails for hours, with any number of workers',
  async (count) => {
    let failures = 0
    const isHit = (request: RouteRequest) => !isOnePair(request) || failures++ < 1
    const { workers, clock, told } = processes(count, { code: 'PROVIDER_FAILED', from: 0, to: 240 * minute, isHit })
    const ports = { tokens: usualTokens, quoteTimeoutMs: 8_000, now: () => clock.at }
    const beats = workers.map((worker) => providerProbe({ ...ports, providers: [worker] }))
    const ask = (n: number) => workers[n % count]!.quote(onePair, signal).catch(() => 'none')
    expect(await ask(0)).toBe('none')
    for (; told.length === 0; clock.at += 1_000) for (const beat of beats) await beat()
    const openedAt = clock.at
    let n = 0
    do {
      clock.at += 1_000
      for (const beat of beats) await beat()
    } while ((await ask(n++)) === 'none' && clock.at < 240 * minute)
    expect(clock.at - openedAt).toBeLessThanOrEqual(minute)
    expect(told).toEqual(['FAILING', null])
  },
)

test('tokens that always fail leave every second attempt to the probes', async () => {
  const odd = [0, 1, 2, 3, 4].map((n) => ({ ...requestOf(n), fromToken: addressOf(0x0dd + n) }))
  const isOdd = ({ fromToken }: RouteRequest) => odd.some((one) => one.fromToken === fromToken)
  const trouble = { code: 'PROVIDER_FAILED', from: 0, to: 240 * minute, isHit: isOdd } as const
  const { workers, clock, told } = processes(1, trouble)
  const [worker] = workers as [(typeof workers)[0]]
  for (const one of odd) await worker.quote(one, signal).catch(() => {})
  expect(told).toEqual(['FAILING'])
  const beat = providerProbe({ providers: [worker], tokens: usualTokens, quoteTimeoutMs: 8_000, now: () => clock.at })
  for (; told.length === 1 && clock.at < 240 * minute; clock.at += 1_000) {
    for (const one of odd) await worker.quote(one, signal).catch(() => {})
    await beat()
  }
  expect(clock.at).toBeLessThanOrEqual(minute)
})

test('a process whose network alone fails stops asking the provider and spends no retry', async () => {
  const isHit = (_: RouteRequest, worker: number) => worker === 0
  const trouble = { code: 'PROVIDER_UNREACHABLE', from: 0, to: 30 * minute, isHit } as const
  const { workers, clock, calls } = processes(3, trouble)
  const said = new Map<number, unknown[]>(workers.map((_, n) => [n, []]))
  let before = 0
  let asked = 0
  for (let n = 0; clock.at < 30 * minute; clock.at += 1_000, n++)
    for (const [w, worker] of workers.entries()) {
      before = calls()
      const answer = worker.quote(requestOf(n), signal)
      said.get(w)!.push(await answer.then(() => 'answered').catch(({ code, name }) => code ?? name))
      if (w === 0) asked += calls() - before
    }
  for (const well of [1, 2]) expect(new Set(said.get(well))).toEqual(new Set(['answered']))
  expect(said.get(0)!.filter((one) => one === 'PROVIDER_UNREACHABLE').length).toBeLessThanOrEqual(5)
  expect(asked).toBeLessThan(30 * 6 + 5)
  clock.at += 10_000
  await workers[0]!.look(requestOf(1), signal)
  expect(await workers[0]!.quote(requestOf(1), signal)).toBeNull()
})

test('a process that keeps crashing from its own broken network opens no circuit for others', async () => {
  const trouble = { code: 'PROVIDER_UNREACHABLE', from: 0, to: 30 * minute } as const
  const { start, clock, told, circuits } = processes(0, trouble)
  for (let n = 0; n < 20; n++, clock.at += 5_000)
    await start(0)
      .quote(requestOf(n), signal)
      .catch(() => {})
  expect(circuits.get('one')).toMatchObject({ reason: null })
  await start(1)
    .quote(requestOf(1), signal)
    .catch(() => {})
  expect(circuits.get('one')).toMatchObject({ reason: 'FAILING' })
  expect(told.at(-1)).toBe('FAILING')
})

test('the next probe of another process decides whether one process or the provider is cut off', async () => {
  const cutOff = new Set([0])
  const isHit = (_: RouteRequest, worker: number) => cutOff.has(worker)
  const { workers, told, circuits } = processes(2, { code: 'PROVIDER_TIMEOUT', from: 0, to: minute, isHit })
  const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]]
  const failThrice = async () => {
    for (let n = 0; n < 3; n++) await first.quote(requestOf(n), signal).catch(() => {})
  }
  await failThrice()
  expect(await first.health()).toMatchObject({ breaker: 'OPEN', healthy: false })
  expect(await second.health()).toMatchObject({ breaker: 'CLOSED', healthy: false })
  await second.look(requestOf(4), signal)
  expect(await second.health()).toMatchObject({ breaker: 'CLOSED', healthy: true })
  expect(circuits.get('one').failed).toEqual([])

  cutOff.add(1)
  const other = processes(2, { code: 'PROVIDER_TIMEOUT', from: 0, to: minute, isHit })
  for (let n = 0; n < 3; n++) await other.workers[0]!.quote(requestOf(n), signal).catch(() => {})
  await other.workers[1]!.look(requestOf(4), signal)
  expect(other.circuits.get('one').reason).toBe('FAILING')
  expect([told, other.told]).toEqual([['FAILING'], ['FAILING', 'FAILING']])
})

testAll([1, 3, 10])(
  'any number of processes together ask for outcomes as often as one while outcomes fail',
  async (count) => {
    const { workers, clock, calls } = processes(count, { code: 'PROVIDER_FAILED', from: 0, to: 10 * minute })
    const ask = (n: number) =>
      workers[n % count]!.outcome(
        { hash: hashOf(n % 20), fromChainId: 8453, toChainId: 42161, reference: null },
        signal,
      ).catch(({ name }) => name)
    for (let n = 0; clock.at < 10 * minute; clock.at += 500, n++) await ask(n)
    expect(calls()).toBeLessThanOrEqual(5 + 60)
    clock.at += 40_000
    await ask(0)
    clock.at += 1_000
    for (let n = 0; n < 20; n++) expect(await ask(n)).toEqual({ kind: 'PENDING' })
  },
)

test('a provider with failing outcomes counts as unreachable until a minute after the last request', async () => {
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: minute })
  const [worker] = workers as [(typeof workers)[0]]
  const sent = (n: number) => ({ hash: hashOf(n), fromChainId: 8453, toChainId: 42161, reference: null }) as const
  for (let n = 0; n < 5; n++) await worker.outcome(sent(n), signal).catch(() => {})
  expect(await worker.health()).toMatchObject({ healthy: false, breaker: 'OPEN' })
  clock.at += 65_000
  await worker.look(requestOf(1), signal)
  expect(await worker.health()).toMatchObject({ isAway: true })
  clock.at += 10_000
  await worker.look(requestOf(1), signal)
  expect(await worker.health()).toMatchObject({ healthy: true, isAway: false, breaker: 'CLOSED' })
})

testAll([1, 3, 10])(
  'the outage of one pair of tokens ends none of forty simultaneous deposits, with any number of workers',
  async (count) => {
    const trouble = { code: 'PROVIDER_FAILED', from: 0, to: 45 * minute, isHit: isOnePair } as const
    const { dead, told, calls } = await endings(count, trouble, 40, { everyMs: 0, requestOf: () => onePair })
    expect(dead).toBe(0)
    expect(told).toEqual([]) // the provider itself is healthy
    // Probes of the pair, thirty failures until the circuit opens, a request per deposit, and two probes per process.
    expect(calls).toBeLessThan(45 * 6 + 30 + 40 + 2 * count + 20)
  },
)

test('a failing pair delays no deposit of another pair', async () => {
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

testAll([1, 3, 10])(
  'rotated credentials end the deposit that met the refusal first, with any number of workers',
  async (count) => {
    const trouble = { code: 'PROVIDER_UNAUTHORIZED', from: 10.5 * minute, to: 40 * minute } as const
    const { dead, told } = await endings(count, trouble, 49)
    expect(dead).toBe(1)
    expect(told).toEqual(['CREDENTIALS', null])
  },
)

test('only one of many executions that meet a refusal together fails, and the others and every probe wait', async () => {
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

test('credentials refused for an outcome also stop quotes, while other failures there do not', async () => {
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
  const one = withCircuitBreaker(provider, () => clock.at, { circuits, onChange, self: 'worker' })
  const ask = (n: number) =>
    one.outcome({ hash: hashOf(n), fromChainId: 8453, toChainId: 42161, reference: null }, signal).catch(() => {})
  for (let n = 0; n < 20; n++) await ask(n)
  expect(await one.quote(requestOf(1), signal)).toBeNull()
  code = 'PROVIDER_UNAUTHORIZED'
  clock.at += 10_000
  await ask(21)
  expect(one.quote(requestOf(1), signal)).rejects.toBeInstanceOf(ProviderUnavailable)
  expect(told).toEqual(['CREDENTIALS'])
})
