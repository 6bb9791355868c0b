import { expect, test } from 'bun:test'
import {
  earlierOf,
  emptyPriceBook,
  isFresh,
  type PriceBook,
  reportedIn,
  usableUsd,
  withReported,
} from '../../src/domain/money/price-book'

const now = 1_800_000_000_000
const one = { source: 'one', usd: 100n }
const two = { source: 'two', usd: 101n }
const reported = (said: (typeof one)[], failed: string[] = [], agreed: bigint | null = null, at = now): PriceBook =>
  withReported(emptyPriceBook('p'), { said, failed }, agreed, at)

test('prices are queried again after 30 seconds, and after 5 if a source failed', () => {
  const [whole, partial] = [reported([one]), reported([one], ['two'])]
  const fresh = (book: PriceBook) => [4_999, 5_000, 29_999, 30_000].map((ms) => isFresh(book, now + ms))
  expect(fresh(whole)).toEqual([true, true, true, false])
  expect(fresh(partial)).toEqual([true, false, false, false])
  expect([isFresh(whole, now - 29_999), isFresh(whole, now - 30_000)]).toEqual([true, false])
  expect(isFresh(emptyPriceBook('p'), 0)).toBe(false)
})

test('an agreed price is used for less than five minutes, and no other price replaces it', () => {
  const book = reported([one, two], [], 100n)
  expect([usableUsd(book, now + 299_999), usableUsd(book, now + 300_000)]).toEqual([100n, null])
  const later = withReported(book, { said: [], failed: ['one', 'two'] }, null, now + 60_000)
  expect([usableUsd(later, now + 299_999), usableUsd(later, now + 300_000)]).toEqual([100n, null])
  expect(usableUsd(reported([one]), now)).toBeNull()
})

test('the earlier price of a source that fails now is used for less than five minutes', () => {
  const book = withReported(
    reported([one, two]),
    { said: [{ source: 'two', usd: 105n }], failed: ['one'] },
    null,
    now + 1,
  )
  expect(earlierOf(book, now + 299_999)).toEqual([one])
  expect(earlierOf(book, now + 300_000)).toEqual([])
  expect(earlierOf({ ...book, failed: [] }, now)).toEqual([])
  expect(earlierOf({ ...book, failed: ['two'] }, now + 300_000)).toEqual([{ source: 'two', usd: 105n }])
})

test('a report replaces the prices of its sources, and keeps those of the silent ones', () => {
  const book = withReported(
    { ...reported([one, two], [], 7n), version: 3 },
    { said: [one], failed: ['two'] },
    9n,
    now + 5,
  )
  expect(book).toEqual({
    ...{ id: 'p', version: 3, at: now + 5, said: [{ source: 'one', usd: '100' }], failed: ['two'] },
    spoken: [
      { source: 'two', usd: '101', at: now },
      { source: 'one', usd: '100', at: now + 5 },
    ],
    believed: { usd: '9', at: now + 5 },
  })
  expect(reportedIn(book)).toEqual({ said: [one], failed: ['two'] })
  expect(reportedIn(emptyPriceBook('p'))).toEqual({ said: [], failed: [] })
})
