import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dollars } from '../../src/dashboard/data/format'
import { inCents } from '../../src/dashboard/pages/usage/usage-figures'
import { daysOf } from '../../src/dashboard/pages/usage/usage-span'

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

test('groups in cents add up to their total in cents, and none is further from its value than a cent', () => {
  const parts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 16n }), { maxLength: 40 })
  fc.assert(
    fc.property(parts, (exact) => {
      const cents = inCents(exact)
      expect(sum(cents)).toBe(inCents([sum(exact)])[0]!)
      for (const [n, value] of exact.entries()) {
        const off = cents[n]! * 1_000_000n - value
        expect(off < 1_000_000n && off > -1_000_000n).toBe(true)
      }
    }),
  )
})

test('fees that are cut to cents one by one would lose one', () => {
  const fees = [12_500_000n, 49_950_000n, 12_500_000n]
  expect(inCents(fees).map(dollars)).toEqual(['$0.13', '$0.50', '$0.12'])
  expect(dollars(sum(inCents(fees)))).toBe('$0.75')
})

test('usage is shown for days until today, for a month in UTC, or for chosen days once both are given', () => {
  const now = Date.UTC(2026, 2, 31, 23)
  const days = (query: string) => daysOf(new URLSearchParams(query), now)
  expect(days('days=month')).toEqual({ from: '2026-03-01' })
  expect(days('days=last-month')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(days('')).toEqual({ from: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
  expect(days('days=days&since=2026-01-05&until=2026-02-04')).toEqual({ from: '2026-01-05', to: '2026-02-04' })
  expect([days('days=days'), days('days=days&since=2026-01-05')]).toEqual([null, null])
})
