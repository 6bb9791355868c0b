import { expect, test } from 'bun:test'
import { prices } from '../../../src/adapters/prices/prices'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import type { PriceBook } from '../../../src/domain/money/price-book'
import { recordsInMemory } from '../../support/records'
import { testAll } from '../../support/test-all'

type PriceReply = bigint | null | Error
let made = 0
const provider = (...replies: PriceReply[]) => {
  const source = {
    name: `source ${++made}`,
    asked: 0,
    async priceUsd() {
      const said = replies[Math.min(source.asked++, replies.length - 1)]!
      if (said instanceof Error) throw said
      return said
    },
  }
  return source
}
const away = new RoutingError('PROVIDER_UNREACHABLE')
let now = 0
const pricesOf = (...providers: ReturnType<typeof provider>[]) => prices(providers, { now: () => now })
const codeOf = (act: Promise<unknown>) => act.catch(({ code }) => code)

test('prices: a single available source is trusted', async () => {
  expect(await pricesOf(provider(away), provider(null), provider(7n)).usd(1, zeroAddress)).toBe(7n)
})

testAll([
  ['two of the same price', [1000n, 1000n], 1000n],
  ['two within 5 %, the first in the list', [1050n, 1000n], 1050n],
  ['two of three, whichever source is wrong', [9_999_999n, 1000n, 1001n], 1000n],
  ['two of three, the first among them', [1000n, 1n, 1000n], 1000n],
  ['two, while the third is not a price', [1000n, 1000n, 0n], 1000n],
])('prices: agreeing sources are trusted', async (_what, said, usd) => {
  expect(await pricesOf(...said.map((each) => provider(each))).usd(1, zeroAddress)).toBe(usd)
})

testAll([
  ['more than 5 % apart', [1051n, 1000n]],
  ['a tenth', [100n, 1000n]],
  ['three that all differ', [100n, 1000n, 10_000n]],
])('prices: contradicting sources give no price', async (_what, said) => {
  expect(await codeOf(pricesOf(...said.map((each) => provider(each))).usd(1, zeroAddress))).toBe('PROVIDER_MALFORMED')
})

test('prices: an older price does not resolve a contradiction', async () => {
  now = 0
  const known = pricesOf(provider(1000n, 1n), provider(1000n))
  await known.usd(1, zeroAddress)
  now = 30_000
  expect(await codeOf(known.usd(1, zeroAddress))).toBe('PROVIDER_MALFORMED')
})

test('prices: no other source is awaited once two agree', async () => {
  const silent = { name: 'silent', priceUsd: () => new Promise<never>(() => {}) }
  expect(await prices([silent, provider(7n), provider(7n)], { now: () => now }).usd(1, zeroAddress)).toBe(7n)
})

test('prices: simultaneous callers share one query, whose result is cached for half a minute', async () => {
  now = 0
  const one = provider(7n, 8n)
  const known = pricesOf(one)
  expect(await Promise.all([known.usd(1, zeroAddress), known.usd(1, zeroAddress)])).toEqual([7n, 7n])
  now = 29_999
  expect(await known.usd(1, zeroAddress)).toBe(7n)
  expect(one.asked).toBe(1)
  now = 30_000
  expect(await known.usd(1, zeroAddress)).toBe(8n)
})

test('prices: are cached per token and chain', async () => {
  const one = provider(7n)
  const known = pricesOf(one)
  await known.usd(1, zeroAddress)
  await known.usd(137, zeroAddress)
  await known.usd(1, `0x${'1'.repeat(40)}`)
  expect(one.asked).toBe(3)
})

test('prices: an older price serves while no source responds, for a limited time', async () => {
  now = 0
  const known = pricesOf(provider(7n, away))
  await known.usd(1, zeroAddress)
  now = 299_999
  expect(await known.usd(1, zeroAddress)).toBe(7n)
  now = 300_000
  expect(await codeOf(known.usd(1, zeroAddress))).toBe('PROVIDER_UNREACHABLE')
})

/** Processes with the same sources and one store. */
function processes(count: number, ...sources: ReturnType<typeof provider>[]) {
  const books = recordsInMemory<PriceBook>()
  return Array.from({ length: count }, () => prices(sources, { now: () => now, books }))
}

testAll([1, 3, 10])(
  'prices: each source is queried once in half a minute, with any number of processes',
  async (count) => {
    now = 0
    const [one, two] = [provider(1000n), provider(1010n)]
    const all = processes(count, one, two)
    for (now = 0; now < 60_000; now += 1_000) expect(await all[(now / 1_000) % count]!.usd(1, zeroAddress)).toBe(1000n)
    expect([one.asked, two.asked]).toEqual([2, 2])
  },
)

testAll([1, 3, 10])(
  'prices: an outage of the sources stops pricing at the same moment in every process, also in a new one',
  async (count) => {
    now = 0
    const all = processes(count, provider(1000n, away), provider(1000n, away))
    await all[0]!.usd(1, zeroAddress)
    const answers: unknown[] = []
    for (now = 30_000; now < 330_000; now += 30_000)
      answers.push(await codeOf(all[(now / 30_000) % count]!.usd(1, zeroAddress)))
    expect(answers).toEqual([...Array(9).fill(1000n), 'PROVIDER_UNREACHABLE'])
    expect(await all.at(-1)!.said(1, zeroAddress)).toEqual([])
  },
)

testAll([1, 3, 10])('prices: every process judges a contradiction equally, by the same prices', async (count) => {
  now = 0
  const all = processes(count, provider(1000n, 2000n, away), provider(1000n, 4000n))
  for (const one of all) expect(await one.usd(1, zeroAddress)).toBe(1000n)
  now = 30_000
  for (const one of all) expect(await codeOf(one.usd(1, zeroAddress))).toBe('PROVIDER_MALFORMED')
  now = 60_000
  for (const one of all) expect((await one.said(1, zeroAddress)).map(({ usd }) => usd)).toEqual([4000n, 2000n])
})

test('prices: the sources are queried as usual while the store is unavailable', async () => {
  now = 0
  const isAway = async () => {
    throw new Error('the store is away')
  }
  const [one, two] = [provider(1000n), provider(1000n)]
  const known = prices([one, two], { now: () => now, books: { load: isAway, save: isAway } })
  for (let n = 0; n < 3; n++) expect(await known.usd(1, zeroAddress)).toBe(1000n)
  expect([one.asked, two.asked]).toEqual([1, 1])
})

testAll([[0n], [-1n], [10n ** 16n], [null]])('prices: a value that cannot be a price is rejected', async (said) => {
  expect(await codeOf(pricesOf(provider(said)).usd(1, zeroAddress))).toBe('PROVIDER_FAILED')
})

test('prices: a bug of a provider stays a bug', async () => {
  expect(pricesOf(provider(new TypeError('bug'))).usd(1, zeroAddress)).rejects.toThrow(TypeError)
})
