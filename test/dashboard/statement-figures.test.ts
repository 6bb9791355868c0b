import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dollars } from '../../src/dashboard/data/format'
import {
  byChain,
  monthName,
  monthsUntil,
  type StatementRow,
  sumsOf,
} from '../../src/dashboard/pages/statement/statement-figures'

const row = (chainKey: string, changed: Partial<StatementRow>): StatementRow =>
  ({ chainKey, deposits: 0, deliveries: 0, unpricedDeliveries: 0, deliveredUsd: '0.00', ...changed }) as StatementRow

test('the sums of the chains add up to the total to the cent', () => {
  const anyRow = fc
    .tuple(fc.constantFrom('base', 'polygon', 'arbitrum'), fc.bigInt(0n, 10n ** 20n), fc.nat(99))
    .map(([chainKey, cents, deliveries]) =>
      row(chainKey, { deliveries, deliveredUsd: `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}` }),
    )
  fc.assert(
    fc.property(fc.array(anyRow), (rows) => {
      const [total, groups] = [sumsOf(rows), byChain(rows).map(({ sums }) => sums)]
      expect(groups.reduce((sum, { usdCents }) => sum + usdCents!, 0n)).toBe(total.usdCents!)
      expect(groups.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(total.deliveries)
    }),
  )
})

test('a value that is unknown is in no sum, and makes a sum unknown only if no delivery has a price', () => {
  const unknown = row('base', { deliveries: 2, unpricedDeliveries: 2, deliveredUsd: null })
  const priced = row('base', { deliveries: 1, deliveredUsd: '24.83' })
  expect(sumsOf([unknown]).usdCents).toBeNull()
  expect(sumsOf([unknown, priced])).toEqual({ deposits: 0, deliveries: 3, unpriced: 2, usdCents: 2_483n })
  expect(sumsOf([]).usdCents).toBe(0n)
})

test('dollars are exact to the cent, however many', () => {
  expect([0n, 5n, 123_456n, 12_345_678_901_234_567_890n, -250n].map(dollars)).toEqual([
    '$0.00',
    '$0.05',
    '$1,234.56',
    '$123,456,789,012,345,678.90',
    '-$2.50',
  ])
})

test('the months to choose from begin with the current one, across the year and in UTC', () => {
  expect(monthsUntil(Date.UTC(2027, 0, 31, 23, 59), 3)).toEqual(['2027-01', '2026-12', '2026-11'])
  expect(monthName('2026-11')).toBe('November 2026')
})
