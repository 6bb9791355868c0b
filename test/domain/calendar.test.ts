import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dateOf, dayCount, dayOf, monthOf, sentenceTime, timeOf } from '../../src/domain/calendar'
import { testAll } from '../support/test-all'

const dayMs = 86_400_000
const two = (n: number): string => String(n).padStart(2, '0')

test('dayOf: returns the start of a day, and null for a day that does not exist', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.nat(32), (year, month, day) => {
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
      const isThere =
        month >= 1 &&
        month <= 12 &&
        day >= 1 &&
        day <= new Date(Date.UTC(4 * 500 + (year % 400), month, 0)).getUTCDate()
      expect([text, dayOf(text) !== null, timeOf(`${text}T23:59:59.999+14:00`) !== null]).toEqual([
        text,
        isThere,
        isThere,
      ])
      if (isThere) expect(dateOf(dayOf(text)!)).toBe(text)
    }),
  )
})

testAll([
  '',
  '2026-11-1',
  '26-11-01',
  '+002026-11-01',
  '2026-11-01T00:00Z',
  ' 2026-11-01',
  '2026-11-01 ',
  '2026-11-01\n',
])('a day in another notation is rejected', (text) => expect(dayOf(text)).toBeNull())

test('timeOf: requires a time of day, and applies the offset', () => {
  expect(timeOf('2026-11-21')).toBeNull()
  expect(timeOf('2026-11-21 10:00Z')).toBeNull()
  expect(timeOf('2026-02-30T00:00:00Z')).toBeNull()
  expect(timeOf('2026-11-21T10:00+05:30')).toBe(Date.UTC(2026, 10, 21, 4, 30))
})

test('a range of days includes both ends, and a month begins on its first day, even across a year', () => {
  const at = Date.UTC(2026, 11, 31, 23, 59)
  expect(dayCount(at, at + 2 * dayMs)).toBe(3)
  expect(dayCount(at, at - dayMs)).toBe(0)
  expect([monthOf(at), monthOf(at, 1)].map(dateOf)).toEqual(['2026-12-01', '2027-01-01'])
})

test('sentenceTime: is readable, truncates to the minute, and names its zone', () => {
  expect(sentenceTime(Date.UTC(2026, 10, 27, 14, 5, 59, 999))).toBe('27 November 2026, 14:05 UTC')
  expect(sentenceTime(Date.UTC(2027, 0, 1))).toBe('1 January 2027, 00:00 UTC')
})
