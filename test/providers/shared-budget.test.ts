import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import type { Allowance } from '../../src/domain/limits/limits-in-force'
import type { ProviderBudget } from '../../src/domain/limits/provider-budget'
import { ProviderRateLimited } from '../../src/domain/unavailable'
import type { RouteRequest } from '../../src/ports/gate'
import type { Records } from '../../src/ports/records'
import type { Aggregator } from '../../src/providers/aggregator'
import { limitUpdateOf } from '../../src/providers/limit-headers'
import { type RateLimiter, rateLimiter, withRateLimit } from '../../src/providers/shared-budget'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'

const signal = new AbortController().signal
const requestOf = (n: number, waitingSince: number | null = null): RouteRequest =>
  ({
    fromChainId: 8453,
    fromToken: addressOf(n % 5),
    toChainId: 42161,
    toToken: addressOf(n % 7),
    requester: { id: `exe_${n}`, organizationId: 'org_1', purpose: 'DEPOSIT', waitingSince },
  }) as RouteRequest

/** A provider that refuses requests beyond its limit, in windows that begin with a request, and its processes. */
function world(count: number, { real, configured = real, isTold = true }: World) {
  const clock = { at: 1_000_000 }
  const now = () => clock.at
  const stored = recordsInMemory<ProviderBudget>()
  let writes = 0
  const budgets: Records<ProviderBudget> = {
    load: stored.load,
    save: (book) => {
      writes += 1
      return stored.save(book)
    },
  }
  const counts = { answered: 0, refused: 0 }
  let window = { endsAt: 0, used: 0 }

  function processOf(): { one: Aggregator; quote: RateLimiter } {
    const quote = rateLimiter('one', configured, { budgets, now })
    const ask = async () => {
      if (window.endsAt <= now()) window = { endsAt: now() + real.windowMs, used: 0 }
      const isAdmitted = window.used < real.most
      if (isAdmitted) window.used += 1
      const seconds = `${Math.ceil((window.endsAt - now()) / 1_000)}`
      const left = `${real.most - window.used}`
      const told = { 'ratelimit-limit': `${real.most}`, 'ratelimit-remaining': left, 'ratelimit-reset': seconds }
      const headers = new Headers({ ...(isTold && told), ...(!isAdmitted && { 'retry-after': seconds }) })
      quote.note(limitUpdateOf(isAdmitted ? 200 : 429, headers, now()))
      counts[isAdmitted ? 'answered' : 'refused'] += 1
      if (!isAdmitted) throw new RoutingError('PROVIDER_RATE_LIMITED')
      return null
    }
    const provider = { name: 'one', quote: ask, outcome: ask, priceUsd: ask } as unknown as Aggregator
    return { one: withRateLimit(provider, { quote, other: quote }), quote }
  }
  return { clock, counts, writes: () => writes, stored, processes: Array.from({ length: count }, processOf) }
}
type World = { real: Allowance; configured?: Allowance; isTold?: boolean }

/** Serves simultaneous deposits on any process, each retrying when it should. */
async function served(count: number, deposits: number, about: World) {
  const { clock, counts, processes, writes } = world(count, about)
  const from = clock.at
  let waits = 0
  const due = Array.from({ length: deposits }, (_, n) => ({ n, at: from, since: null as number | null }))
  while (due.length > 0) {
    clock.at = Math.max(clock.at, Math.min(...due.map(({ at }) => at)))
    const ready = due.filter(({ at }) => at <= clock.at)
    await Promise.all(
      ready.map(async (each) => {
        const { one } = processes[(each.n * 7 + waits) % count]!
        try {
          await one.quote(requestOf(each.n, each.since), signal)
          due.splice(due.indexOf(each), 1)
        } catch (error) {
          expect(error).toBeInstanceOf(ProviderRateLimited)
          waits += 1
          each.since ??= clock.at
          each.at = clock.at + (error as ProviderRateLimited).retryInMs
        }
      }),
    )
  }
  return { ...counts, waits, tookMs: clock.at - from, writes: writes() }
}

const minute = (most: number): Allowance => ({ most, windowMs: 60_000 })

testAll([1, 3, 10])(
  'a known limit refuses no request and is used fully, with any number of processes',
  async (count) => {
    const { answered, refused, tookMs } = await served(count, 100, { real: minute(60) })
    expect({ answered, refused }).toEqual({ answered: 100, refused: 0 })
    expect(tookMs).toBeLessThan(70_000)
  },
)

testAll([1, 10])(
  'a smaller limit than expected is learned from the first responses, with any number of processes',
  async (count) => {
    const { answered, refused } = await served(count, 100, { real: minute(30), configured: minute(100) })
    expect({ answered, refused }).toEqual({ answered: 100, refused: 0 })
  },
)

test('a larger limit than expected is used as soon as the provider states it', async () => {
  const { tookMs } = await served(3, 100, { real: minute(1_000), configured: minute(50) })
  expect(tookMs).toBeLessThan(5_000)
})

test('an unstated limit is learned from the first refusals, and no more follow', async () => {
  const about = { real: minute(30), configured: minute(50), isTold: false }
  const { answered, refused } = await served(3, 300, about)
  expect(answered).toBe(300)
  // Only the requests sent together before the limit was known can exceed it.
  expect(refused).toBeLessThanOrEqual(50 - 30)
})

test('writes are fewer than requests while plenty of requests are left', async () => {
  const { clock, counts, writes, processes } = world(1, { real: minute(6_000) })
  for (let n = 0; n < 200; n++) {
    await processes[0]!.one.quote(requestOf(n), signal)
    clock.at += 50
  }
  expect(counts.answered).toBe(200)
  expect(writes()).toBeLessThan(50)
})

test('no request is made until the wait after a rate limit refusal is over', async () => {
  const { clock, counts, processes } = world(2, { real: minute(5), configured: minute(50) })
  const ask = async (n: number) =>
    (await processes[n % 2]!.one.quote(requestOf(n), signal).catch(({ name }) => name)) ?? 'none'
  const said = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n)))
  expect(said.filter((one) => one === 'ProviderRateLimited')).toHaveLength(3)
  const before = { ...counts }
  expect(await ask(8)).toBe('ProviderRateLimited')
  expect(counts).toEqual(before)
  clock.at += 64_000
  expect(await ask(9)).toBe('none')
})

test('outcomes and prices obey a limit like other needs of deposits, and probes leave a fifth to them', async () => {
  const { clock, counts, processes } = world(2, { real: minute(20) })
  const said = async (ask: () => Promise<unknown>): Promise<string> =>
    (await ask().catch(({ name }: Error) => name)) === null ? 'answered' : 'waits'
  const of = (answers: string[]) => answers.filter((one) => one === 'answered').length
  await processes[0]!.one.priceUsd(8453, addressOf(1), signal)
  clock.at += 1_000
  const look = () => processes[0]!.one.quote({ ...requestOf(1), requester: undefined } as never, signal)
  const price = () => processes[1]!.one.priceUsd(8453, addressOf(1), signal)
  const outcome = () => processes[1]!.one.outcome({} as never, signal)
  const all = async (ask: () => Promise<unknown>) => of(await Promise.all(Array.from({ length: 30 }, () => said(ask))))
  expect(await all(look)).toBe(15)
  expect(of([await said(price), await said(outcome)])).toBe(2)
  expect(await all(outcome)).toBe(20 - 15 - 3)
  expect(counts).toEqual({ answered: 20, refused: 0 })
})

test('requests that a process took without using lapse', async () => {
  const { clock, stored, processes } = world(1, { real: minute(6_000) })
  const ask = () => processes[0]!.one.quote(requestOf(1), signal)
  for (let n = 0; n < 3; n++) await ask()
  const { version } = stored.get('one')
  clock.at += 2_000
  await ask()
  expect(stored.get('one').version).toBeGreaterThan(version)
})

test('the rate limit headers of providers are read, and invalid ones are ignored', () => {
  const read = (headers: Record<string, string>, status = 200) => limitUpdateOf(status, new Headers(headers), 1_000_000)
  expect(read({ 'ratelimit-limit': '100', 'ratelimit-remaining': '7', 'ratelimit-reset': '12' })).toEqual({
    at: 1_000_000,
    isRefusal: false,
    most: 100,
    left: 7,
    resetMs: 12_000,
    retryMs: null,
  })
  expect(read({ 'x-ratelimit-limit': '50, 50;w=60', 'x-ratelimit-remaining': '0' })).toMatchObject({
    most: 50,
    left: 0,
  })
  expect(read({ 'retry-after': '3' }, 429)).toMatchObject({ isRefusal: true, retryMs: 3_000 })
  expect(read({ 'retry-after': new Date(1_005_000).toUTCString() })).toMatchObject({ retryMs: 5_000 })
  expect(read({ 'ratelimit-reset': '1005' })).toMatchObject({ resetMs: 1_005_000 })
  const nonsense = {
    'ratelimit-limit': '-4',
    'ratelimit-remaining': 'many',
    'ratelimit-reset': '',
    'retry-after': '1e9',
  }
  expect(read(nonsense)).toMatchObject({ most: null, left: null, resetMs: null, retryMs: null })
  expect(read({ 'ratelimit-limit': '0', 'retry-after': '99999999' })).toMatchObject({ most: null, retryMs: 7_200_000 })
})
