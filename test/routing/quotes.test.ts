import { expect, test } from 'bun:test'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import { ProviderPaused, ProviderStandsStill, ProviderUnavailable, RouteRefused } from '../../src/domain/unavailable'
import type { Blame, RouteRequest } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'
import { bestQuote } from '../../src/routing/pricing/quotes'
import { believing } from '../support/appraisers'
import { openGate } from '../support/gates'
import { testAll } from '../support/test-all'

const offer = (provider: string, amountOutExpected: string, other: Partial<Route> = {}): Route => ({
  provider,
  kind: 'BRIDGE',
  amountIn: '1000',
  amountOutExpected,
  amountOutMin: amountOutExpected,
  expectedSeconds: 10,
  hops: 1,
  slippageBps: 50,
  call: null,
  reference: null,
  quotedAt: 0,
  ...other,
})
const asked = (name: string, quote: Aggregator['quote']): Aggregator => ({
  name,
  quote,
  outcome: async () => ({ kind: 'PENDING' }),
  priceUsd: async () => null,
})
const offers = (name: string, amount: string, other: Partial<Route> = {}) =>
  asked(name, async () => offer(name, amount, other))
const hasNone = (name: string) => asked(name, async () => null)
const fails = (name: string, code: ErrorCode) =>
  asked(name, async () => {
    throw new RoutingError(code)
  })
const rests = (name: string) =>
  asked(name, async () => {
    throw new ProviderUnavailable(name, 1_000)
  })

const request = { policy: defaultPolicy } as RouteRequest
const ask = (...aggregators: Aggregator[]) =>
  bestQuote(request, {
    aggregators: aggregators.map((one) => openGate(one)),
    prices: { usd: async () => 1n },
    appraiser: believing,
    quoteTimeoutMs: 1_000,
    now: () => 7,
  })
const failureOf = (...aggregators: Aggregator[]) =>
  ask(...aggregators).then(
    () => 'a route',
    (error) => (error instanceof RoutingError ? error.code : error.name),
  )

test('bestQuote: the offer that delivers most is chosen, and the others are stored with the reason', async () => {
  const { route, candidates } = await ask(
    offers('a', '900'),
    offers('b', '950'),
    hasNone('c'),
    fails('d', 'PROVIDER_TIMEOUT'),
  )

  expect(route.provider).toBe('b')
  expect(candidates.map(({ provider, outcome }) => [provider, outcome])).toEqual([
    ['a', 'NOT_BEST'],
    ['b', 'CHOSEN'],
    ['c', 'NO_ROUTE'],
    ['d', 'NO_ANSWER'],
  ])
})

test('bestQuote: the reason names the better provider by its own name', async () => {
  const { candidates } = await ask(offers('relay', '900'), offers('lifi', '950'))
  expect(candidates[0]!.reason).toBe('LI.FI delivers more.')
})

test('bestQuote: the first of several equal offers is chosen', async () => {
  expect((await ask(offers('a', '900'), offers('b', '900'))).route.provider).toBe('a')
})

testAll([
  ['slippage', { slippageBps: 51 }],
  ['duration', { expectedSeconds: 1_801 }],
  ['hops', { hops: 4 }],
  ['guaranteed output', { amountOutMin: '800' }],
])('bestQuote: an offer outside the policy is refused, however good', async (_what, other) => {
  const { route, candidates } = await ask(offers('greedy', '999', other), offers('fair', '900'))

  expect(route.provider).toBe('fair')
  expect(candidates[0]).toMatchObject({ outcome: 'OUTSIDE_POLICY' })
  expect(await failureOf(offers('greedy', '999', other))).toBe('ROUTE_OUTSIDE_POLICY')
})

// A provider that may still answer takes precedence over a permanent error.
testAll<[string, string, Aggregator[]]>([
  ['all report no route', 'NO_ROUTE', [hasNone('a'), hasNone('b')]],
  ['one has none, one is unreachable', 'PROVIDER_TIMEOUT', [hasNone('a'), fails('b', 'PROVIDER_TIMEOUT')]],
  ['one refuses, one has none', 'NO_ROUTE', [fails('a', 'PROVIDER_REFUSED'), hasNone('b')]],
  ['all refuse', 'PROVIDER_REFUSED', [fails('a', 'PROVIDER_REFUSED'), fails('b', 'PROVIDER_REFUSED')]],
  ['one is in back-off, one has none', 'ProviderUnavailable', [rests('a'), hasNone('b')]],
  ['one is left alone, one fails', 'PROVIDER_FAILED', [rests('a'), fails('b', 'PROVIDER_FAILED')]],
])('bestQuote: a result without an offer gives the reason', async (_case, code, aggregators) => {
  expect(await failureOf(...aggregators)).toBe(code)
})

test('bestQuote: an unreadable route loses to any offer; without one, the deposit waits for the signer', async () => {
  const settings = { prices: { usd: async () => 1n }, appraiser: believing, quoteTimeoutMs: 1_000, now: () => 7 }
  const unreadUntil = (route: Pick<Route, 'call'>) => ((route as Route).provider === 'new' ? 60_007 : null)
  const quoting = (...aggregators: Aggregator[]) => ({
    aggregators: aggregators.map((one) => openGate(one)),
    ...settings,
    unreadUntil,
  })
  const { route, candidates } = await bestQuote(request, quoting(offers('new', '990'), offers('old', '900')))
  expect(route.provider).toBe('old')
  const reason = 'The signer cannot read its call yet.'
  expect(candidates[0]).toMatchObject({ provider: 'new', outcome: 'NO_ANSWER', reason })
  for (const others of [[], [hasNone('old')], [fails('old', 'PROVIDER_REFUSED')], [fails('old', 'PROVIDER_FAILED')]]) {
    const error = await bestQuote(request, quoting(offers('new', '990'), ...others)).catch((failure) => failure)
    expect(error).toMatchObject({ name: 'SignerUnable', waitingFor: 'SIGNER', retryInMs: 60_000 })
  }
  const outside = await bestQuote(request, quoting(offers('new', '990', { hops: 4 }))).catch((failure) => failure)
  expect(outside.code).toBe('ROUTE_OUTSIDE_POLICY')
})

// Only a usual request shows whether a provider refuses the deposit or everything.
testAll<[Blame, string]>([
  ['REQUEST', 'PROVIDER_REFUSED'],
  ['PROVIDER', 'ProviderUnavailable'],
  ['UNKNOWN', 'PROVIDER_MALFORMED'],
])('bestQuote: a refusal ends a deposit only if the provider grants a usual request', async (blame, code) => {
  const settings = { prices: { usd: async () => 1n }, appraiser: believing, quoteTimeoutMs: 1_000, now: () => 7 }
  for (const others of [[], [openGate(hasNone('b'))]]) {
    const aggregators = [openGate(fails('a', 'PROVIDER_REFUSED'), blame), ...others]
    const error = await bestQuote(request, { aggregators, ...settings }).catch((failure) => failure)
    const isAlone = others.length === 0
    expect(error.code ?? error.name).toBe(blame === 'REQUEST' && !isAlone ? 'NO_ROUTE' : code)
  }
})

test('bestQuote: a provider that cannot carry the money is stored with its reason, which the final error repeats', async () => {
  const cannot = asked('a', async () => Promise.reject(new RouteRefused('Nobody mints it for this recipient.')))
  const still = asked('a', async () => Promise.reject(new ProviderStandsStill('a', 60_000, 'It is paused there.')))
  const [refused] = (await ask(cannot, offers('b', '1'))).candidates
  expect(refused).toMatchObject({ outcome: 'REFUSED', reason: 'Nobody mints it for this recipient.' })
  const [resting] = (await ask(still, offers('b', '1'))).candidates
  expect(resting).toMatchObject({ outcome: 'NO_ANSWER', reason: 'It is paused there.' })
  expect(await failureOf(still, hasNone('b'))).toBe('ProviderStandsStill')
  for (const others of [[], [hasNone('b')], [fails('b', 'PROVIDER_REFUSED')]]) {
    const error = await ask(cannot, ...others).catch((failure) => failure)
    expect([error.code, error.candidates[0]]).toEqual(['NO_ROUTE', refused])
  }
})

test('bestQuote: a bug in one adapter does not matter while another provider has an offer', async () => {
  const buggy = asked('a', async () => {
    throw new TypeError('undefined is not a function')
  })
  const { route, candidates } = await ask(buggy, offers('b', '1'))
  expect(route.provider).toBe('b')
  expect(candidates[0]).toMatchObject({ provider: 'a', outcome: 'NO_ANSWER' })
  expect(await failureOf(buggy)).toBe('TypeError')
  expect(await failureOf(buggy, hasNone('b'))).toBe('TypeError')
  expect(await failureOf(buggy, fails('b', 'PROVIDER_TIMEOUT'))).toBe('PROVIDER_TIMEOUT')
})

test('bestQuote: an offer’s age follows our clock instead of the adapter’s', async () => {
  expect((await ask(offers('a', '900', { quotedAt: 9_999_999 }))).route.quotedAt).toBe(7)
})

test('an unacceptable offer is refused alone', async () => {
  const objectionTo = ({ provider }: Route) => (provider === 'odd' ? 'Its bridge holds the recipient on a list.' : null)
  const settings = {
    objectionTo,
    prices: { usd: async () => 1n },
    appraiser: believing,
    quoteTimeoutMs: 1_000,
    now: () => 7,
  }
  const aggregators = [offers('odd', '990'), offers('honest', '900')]
  const { route, candidates } = await bestQuote(request, {
    aggregators: aggregators.map((one) => openGate(one)),
    ...settings,
  })
  expect(route.provider).toBe('honest')
  expect(candidates.map(({ outcome }) => outcome)).toEqual(['NO_ANSWER', 'CHOSEN'])
  const alone = bestQuote(request, { aggregators: [openGate(offers('odd', '990'))], ...settings })
  expect(alone).rejects.toMatchObject({ code: 'PROVIDER_MALFORMED' })
})

test('bestQuote: a paused provider is kept with that reason, and is waited for when only it might have a route', async () => {
  const best = openGate(
    asked('best', async () => {
      throw new ProviderPaused()
    }),
  )
  const settings = {
    prices: { usd: async () => 1n },
    appraiser: believing,
    quoteTimeoutMs: 1_000,
    now: () => 7,
  }
  const { route, candidates } = await bestQuote(request, {
    aggregators: [best, openGate(offers('b', '900'))],
    ...settings,
  })
  expect(route.provider).toBe('b')
  expect(candidates.map(({ provider, outcome, reason }) => [provider, outcome, reason])).toEqual([
    ['best', 'NO_ANSWER', 'It is paused.'],
    ['b', 'CHOSEN', null],
  ])
  const without = (...others: Aggregator[]) =>
    bestQuote(request, { aggregators: [best, ...others.map((one) => openGate(one))], ...settings })
  expect(without(hasNone('b'))).rejects.toBeInstanceOf(ProviderPaused)
  expect(without()).rejects.toBeInstanceOf(ProviderPaused)
  expect(without(fails('b', 'PROVIDER_TIMEOUT'))).rejects.toMatchObject({ code: 'PROVIDER_TIMEOUT' })
})
