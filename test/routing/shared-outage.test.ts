import { expect, test } from 'bun:test'
import { cctp } from '../../src/adapters/aggregators/cctp'
import { lifi } from '../../src/adapters/aggregators/lifi'
import { relay } from '../../src/adapters/aggregators/relay'
import type { ErrorCode } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import type { RouteRequest } from '../../src/ports/gate'
import { depositForBurn } from '../../src/protocols/cctp/burn'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import { lifiRules, routeObjection } from '../../src/signer/route-rules'
import { burnOf } from '../support/cctp-fixtures'
import { addressOf, hashOf } from '../support/deposits'
import { type Arrivals, endings, minute, processes, requestOf } from '../support/outage'
import { testAll } from '../support/test-all'

const signal = new AbortController().signal
type Worker = ReturnType<typeof processes>['workers'][number]
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
const forbidden = { errorCode: 'FORBIDDEN' }
const ofHash = { hash: hashOf(1), ...usdcOnly, reference: hashOf(2), call: null }
const lifiOutcome = (status: number, body: unknown) => () =>
  lifi({ ...said(status, body), apiKey: null, bridges: [] }).outcome(ofHash, signal)
const relayOutcome = (status: number, body: unknown) => () =>
  relay({ ...said(status, body), apiKey: null }).outcome(ofHash, signal)
const circleOutcome = (status: number, body: unknown) => () =>
  cctp(said(status, body)).outcome(
    { ...ofHash, account: addressOf(1), call: depositForBurn(burnOf({ ...asked, ...usdcOnly })) },
    signal,
  )
const priceOf = [8453, usdcOf(8453), signal] as const
const lifiPrice = (status: number, body: unknown) => () =>
  lifi({ ...said(status, body), apiKey: null, bridges: [] }).priceUsd(...priceOf)
const relayPrice = (status: number, body: unknown) => () =>
  relay({ ...said(status, body), apiKey: null }).priceUsd(...priceOf)
const received = { txHash: hashOf(3) }

/** Every way in which a provider's response can deviate from our tables. */
const unread: Record<string, () => Promise<unknown>> = {
  'a call that the signer does not allow': async () => {
    const call = { target: addressOf(9), spender: addressOf(9), data: '0xdeadbeef', nativeFee: '0' } as const
    const route = { kind: 'BRIDGE', call, amountIn: '1', amountOutMin: '1' } as unknown as Route
    const { start } = processes(0, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
    return start(0, { quote: async () => route, read: routeObjection(lifiRules(), { now: () => 0 }) }).quote(
      asked,
      signal,
    )
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
  // A listed refusal shows nothing about the provider until a usual request is refused as well.
  'a refusal by LI.FI that is listed': ofLifi(400, { code: 1011 }),
  'a refusal by Relay that is listed': ofRelay(400, { errorCode: 'INVALID_ADDRESS' }),
  'reasons of LI.FI without a code': ofLifi(404, { code: 1002, errors: { failed: [{ reason: 'NO_POSSIBLE_ROUTE' }] } }),
  'reasons of LI.FI as text': ofLifi(404, { code: 1002, errors: 'NO_POSSIBLE_ROUTE' }),
  'one of the reasons of LI.FI': ofLifi(404, { code: 1002, errors: [{ code: 'NO_POSSIBLE_ROUTE' }, { code: 7 }] }),
  'a kind of step of Relay that is not listed': ofRelay(200, { steps: [{ id: 'deposit', kind: 'intent', items: [] }] }),
  'a quote of Relay without steps': ofRelay(200, { steps: [] }),
  'a status of LI.FI': lifiOutcome(410, {}),
  'a status of Relay': relayOutcome(410, {}),
  'messages of Circle': circleOutcome(410, {}),
  'a state of LI.FI': lifiOutcome(200, { status: 'COMPLETED', receiving: received }),
  'an end of LI.FI': lifiOutcome(200, { status: 'DONE', substatus: 'SUCCEEDED', receiving: received }),
  'a page of LI.FI that is missing': lifiOutcome(404, 'Not found'),
  'a state of Relay': relayOutcome(200, { status: 'completed', txHashes: [hashOf(3)] }),
  'a page of Relay that is missing': relayOutcome(404, { statusCode: 404, message: 'Route not found' }),
  'a state of Circle': circleOutcome(200, { messages: [{ status: 'teleported' }] }),
  'a page of Circle that is missing': circleOutcome(404, 'Not found'),
  'a price of LI.FI in another form': lifiPrice(200, { priceUSD: { value: '1' } }),
  'a refused price of LI.FI': lifiPrice(404, 'Not found'),
  'a price of Relay in another form': relayPrice(200, { price: '1.0' }),
  'a refused price of Relay': relayPrice(400, 'Bad request'),
}

const outages = [1, 3, 10].flatMap((count): [ErrorCode, string, number, Arrivals & { deposits: number }][] => [
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

/** How many hours the first deposit was tried before it ended. */
const hoursOf = ([first]: readonly Execution[]): number => first!.history.at(-1)!.at / (60 * minute)

testAll([1, 3, 10])(
  'one pair of tokens that fails or cannot be read for 45 minutes ends no deposit, alone or among forty, with any number of workers',
  async (count) => {
    for (const meets of [undefined, unread['a call that the signer does not know']!])
      for (const deposits of [1, 40]) {
        const trouble = { code: 'PROVIDER_FAILED', from: 0, to: 45 * minute, isHit: isOnePair } as const
        const one = { ...trouble, ...(meets && { meets }) }
        const { dead, told, calls } = await endings(count, one, deposits, { everyMs: 0, requestOf: () => onePair })
        expect([dead, told]).toEqual([0, []]) // the provider itself is well
        // A deposit tries some eight times, and each ten seconds with a failure cost a usual request.
        expect(calls).toBeLessThan(deposits * 10 + 45 * 6)
      }
  },
)

test('a pair of tokens that alone fails permanently spends its retries and ends, after six hours, alone or among forty', async () => {
  const trouble = { code: 'PROVIDER_FAILED', from: 0, to: Number.POSITIVE_INFINITY, isHit: isOnePair } as const
  for (const deposits of [1, 40]) {
    const { dead, retries, told, ended } = await endings(3, trouble, deposits, { everyMs: 0, requestOf: () => onePair })
    expect([dead, retries, told]).toEqual([deposits, 10 * deposits, []])
    expect(hoursOf(ended)).toBeGreaterThan(6)
    expect(hoursOf(ended)).toBeLessThan(9)
  }
})

testAll([1, 3, 10])(
  'unreadable responses for 45 minutes end no deposit and cost no retry, with any number of workers',
  async (count) => {
    const trouble = {
      code: 'PROVIDER_FAILED',
      from: 0,
      to: 45 * minute,
      meets: unread['a call that the signer does not know']!,
    } as const
    for (const deposits of [1, 49]) {
      const { dead, retries, told, calls } = await endings(count, trouble, deposits)
      expect([dead, retries, told]).toEqual([0, 0, ['FAILING', null]])
      expect(calls).toBeLessThan(45 * 6 + 10 + deposits)
    }
  },
)

test('while a provider’s responses are unreadable in any way, no deposit ends or spends a retry, and its health names the part', async () => {
  const wrong: unknown[] = []
  for (const [name, meets] of Object.entries(unread)) {
    const trouble = { code: 'PROVIDER_REFUSED', from: 0, to: 45 * minute, meets } as const
    const { dead, retries, told } = await endings(3, trouble, 15)
    const { workers } = processes(1, trouble)
    await workers[0]!.quote(requestOf(0), signal).catch((error) => workers[0]!.blame(requestOf(0), error))
    const { healthy, breaker, unreadable } = await workers[0]!.health()
    const [ofOutcome, ofPrice] = [0, 1].map(() => processes(1, trouble).workers[0]!) as [Worker, Worker]
    const prices: unknown[] = []
    for (let n = 0; n < 5; n++) {
      await ofOutcome
        .outcome({ hash: hashOf(n), fromChainId: 8453, toChainId: 42161, reference: null }, signal)
        .catch(() => {})
      await ofPrice.priceUsd(...priceOf).catch(({ code }) => prices.push(code))
    }
    const says = [unreadable, (await ofOutcome.health()).unreadable, (await ofPrice.health()).unreadable]
    const seen = { dead, retries, told, healthy, breaker, says, prices }
    const isRight =
      dead + retries === 0 &&
      String(told) === 'FAILING,' &&
      !healthy &&
      breaker === 'OPEN' &&
      says.every(Boolean) &&
      // Any other code would end a deposit, or count as a contradiction between prices.
      prices.every((code) => code === 'PROVIDER_FAILED')
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
    const ask = (n: number) => workers[n % count]!.quote(onePair, signal).catch(() => 'none')
    await workers[0]!.quote(onePair, signal).catch((error) => workers[0]!.blame(onePair, error))
    expect(told).toEqual(['FAILING'])
    const openedAt = clock.at
    let n = 0
    do {
      clock.at += 1_000
      for (const one of workers) await one.probe()
    } while ((await ask(n++)) === 'none' && clock.at < 240 * minute)
    expect(clock.at - openedAt).toBeLessThanOrEqual(minute)
    expect(told).toEqual(['FAILING', null])
  },
)

test('a token that always fails leaves every second probe to usual requests', async () => {
  const odd = [0, 1, 2, 3, 4].map((n) => ({ ...requestOf(n), fromToken: addressOf(0x0dd + n) }))
  const isOdd = ({ fromToken }: RouteRequest) => odd.some((one) => one.fromToken === fromToken)
  const isHit = (request: RouteRequest) => isOdd(request) || clock.at < 1_000
  const { workers, clock, told } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: 240 * minute, isHit })
  const [worker] = workers as [(typeof workers)[0]]
  await worker.quote(odd[0]!, signal).catch((error) => worker.blame(odd[0]!, error))
  expect(told).toEqual(['FAILING'])
  for (; told.length === 1 && clock.at < 240 * minute; clock.at += 1_000) {
    for (const one of odd) await worker.quote(one, signal).catch(() => {})
    await worker.probe()
  }
  expect(clock.at).toBeLessThanOrEqual(minute)
})

test('the next deposit of another process shows whether one process or the provider is cut off', async () => {
  const cutOff = new Set([0])
  const isHit = (_: RouteRequest, worker: number) => cutOff.has(worker)
  const { workers, records } = processes(2, { code: 'PROVIDER_TIMEOUT', from: 0, to: minute, isHit })
  const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]]
  const fails = (one: typeof first) => one.quote(requestOf(0), signal).catch((error) => one.blame(requestOf(0), error))
  expect(await fails(first)).toBe('PROVIDER')
  expect(await first.health()).toMatchObject({ breaker: 'OPEN', healthy: false })
  expect(await second.health()).toMatchObject({ breaker: 'CLOSED', healthy: true })
  expect(await fails(second)).toBeNull()
  cutOff.add(1)
  expect(await fails(second)).toBe('PROVIDER')
  expect(records.get('one').shut.all).toMatchObject({ by: null })
})

testAll([1, 3, 10])(
  'refused credentials end no deposit and spend no retry, with any number of workers and either status, and are reported once',
  async (count) => {
    const refusals = { 401: ofLifi(401, { code: 1000 }), 403: ofCircle(403, {}), FORBIDDEN: ofRelay(403, forbidden) }
    for (const meets of Object.values(refusals))
      for (const from of [0, 10.5 * minute]) {
        const trouble = { code: 'PROVIDER_UNAUTHORIZED', from, to: 40 * minute, meets } as const
        const { dead, retries, told } = await endings(count, trouble, 49)
        expect({ dead, retries, told }).toEqual({ dead: 0, retries: 0, told: ['LOCKED_OUT', null] })
      }
  },
)

test('a provider that refuses one pair of tokens as if our credentials were wrong stays open, and that deposit ends after hours', async () => {
  const trouble = { code: 'PROVIDER_UNAUTHORIZED', from: 0, to: 48 * 60 * minute, isHit: isOnePair } as const
  const { dead, told, ended } = await endings(1, trouble, 1, { everyMs: 0, requestOf: () => onePair })
  expect([dead, told]).toEqual([1, []])
  expect(ended[0]!.cause).toMatchObject({ code: 'PROVIDER_MALFORMED' })
  expect(hoursOf(ended)).toBeGreaterThan(6)
})

test('many executions that meet a refusal together share a usual request, and they and every probe wait', async () => {
  const { clock, workers, told, calls } = processes(10, { code: 'PROVIDER_UNAUTHORIZED', from: 0, to: 30 * minute })
  const askAll = () =>
    Promise.all(
      workers.map((worker, n) => worker.quote(requestOf(n), signal).catch((error) => error.code ?? error.name)),
    )
  const first = await Promise.all(
    workers.map((worker) => worker.quote(requestOf(0), signal).catch((error) => worker.blame(requestOf(0), error))),
  )
  expect(first).not.toContain('REQUEST')
  expect(calls()).toBe(11)

  const probed: number[] = []
  for (clock.at = 1_000; clock.at < 30 * minute; clock.at += 1_000) {
    const before = calls()
    expect(new Set(await askAll())).toEqual(new Set(['ProviderUnavailable']))
    expect(calls() - before).toBeLessThanOrEqual(1)
    if (calls() > before) probed.push(clock.at)
  }
  const gaps = probed.map((at, n) => at - (probed[n - 1] ?? 0))
  // No usual request takes its turn, so every other gap is longer.
  const ofTwo = gaps.map((gap, n) => gap + (gaps[n - 1] ?? 0))
  expect(ofTwo).toEqual(ofTwo.toSorted((a, b) => a - b))
  expect(probed.length).toBeLessThan(12)
  expect((await workers[3]!.health()).credentialsRefusedAt).toBe(0)

  clock.at = 36 * minute
  await askAll()
  clock.at += 2_000
  expect(await askAll()).toEqual(Array(10).fill(null))
  expect((await workers[3]!.health()).credentialsRefusedAt).toBeNull()
  expect(told).toEqual(['LOCKED_OUT', null])
})
