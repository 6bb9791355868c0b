import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { inCents, usdOfCents } from '../../src/dashboard/pages/usage/usage-figures'

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
  expect(inCents(fees).map(usdOfCents)).toEqual(['0.13', '0.50', '0.12'])
  expect(usdOfCents(sum(inCents(fees)))).toBe('0.75')
})
