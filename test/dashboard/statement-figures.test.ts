import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createElement } from 'react'
import { dollars } from '../../src/dashboard/data/format'
import { valueWords } from '../../src/dashboard/pages/execution/value-words'
import {
  byChain,
  closingWords,
  exactUsd,
  monthName,
  monthsUntil,
  periodName,
  type Statement,
  type StatementRow,
  sumsOf,
  totalsOf,
} from '../../src/dashboard/pages/statement/statement-figures'
import { StatementTables } from '../../src/dashboard/pages/statement/statement-tables'
import { pageMarkup } from '../support/page-markup'

const row = (chainKey: string, changed: Partial<StatementRow>): StatementRow =>
  ({
    ...{ chainKey, deposits: 0, deliveries: 0, unpricedDeliveries: 0, deliveredUsd: '0.00' },
    ...{ refunds: 0, unpricedRefunds: 0, refundedUsd: '0.00' },
    ...{ departures: 0, unpricedDepartures: 0, volumeUsd: '0.00', ...changed },
  }) as StatementRow

const usdOf = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

test('the sums of the chains add up to the total to the cent', () => {
  const anyRow = fc
    .tuple(fc.constantFrom('base', 'polygon', 'arbitrum'), fc.bigInt(0n, 10n ** 20n), fc.nat(99))
    .map(([chainKey, cents, deliveries]) =>
      row(chainKey, { deliveries, refunds: deliveries, deliveredUsd: usdOf(cents), refundedUsd: usdOf(cents / 3n) }),
    )
  fc.assert(
    fc.property(fc.array(anyRow), (rows) => {
      const [total, groups] = [sumsOf(rows), byChain(rows).map(({ sums }) => sums)]
      expect(groups.reduce((sum, { usdCents }) => sum + usdCents!, 0n)).toBe(total.usdCents!)
      expect(groups.reduce((sum, { refundedCents }) => sum + refundedCents!, 0n)).toBe(total.refundedCents!)
      expect(groups.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(total.deliveries)
    }),
  )
})

test('a value that is unknown is in no sum, and makes a sum unknown only if no delivery has a price', () => {
  const unknown = row('base', { deliveries: 2, unpricedDeliveries: 2, deliveredUsd: null })
  const priced = row('base', { deliveries: 1, deliveredUsd: '24.83' })
  expect(sumsOf([unknown]).usdCents).toBeNull()
  expect(sumsOf([unknown, priced])).toMatchObject({ deposits: 0, deliveries: 3, unpriced: 2, usdCents: 2_483n })
  const given = row('base', { refunds: 1, unpricedRefunds: 1, refundedUsd: null })
  expect([sumsOf([given]).refundedCents, sumsOf([given, row('base', { refunds: 1 })]).refundedCents]).toEqual([
    null,
    0n,
  ])
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

test('the value of fees is shown with every decimal, and an unknown one is not zero', () => {
  expect(['0.000000', '0.125000', '12345.678901', '3.100000', null].map(exactUsd)).toEqual([
    '$0.00',
    '$0.125',
    '$12,345.678901',
    '$3.10',
    'unknown',
  ])
})

test('the value of an execution is that of its own times, and unknown stays unknown', () => {
  const words = (changed: object) =>
    valueWords({
      ...{ protocolFee: '1', volumeUsd: '1234.50', deliveredUsd: null, destinationTxHash: null, completedAt: null },
      ...changed,
    } as Parameters<typeof valueWords>[0])
  const arrived = { destinationTxHash: '0x1', completedAt: 'now' }
  expect(words({ protocolFee: null, volumeUsd: null })).toBe('stored when the money leaves')
  expect(words({})).toBe('$1,234.50 when it left')
  expect(words({ ...arrived, deliveredUsd: '24.83' })).toBe('$1,234.50 when it left, $24.83 when it arrived')
  expect(words({ ...arrived, volumeUsd: null })).toBe('unknown when it left, unknown when it arrived')
})

test('a statement says whether the month is closed, and how many of its deposits have not ended', () => {
  const words = (isFinal: boolean, unfinishedDeposits: number, month = '2026-11') => {
    const isClosed = isFinal && unfinishedDeposits === 0
    return closingWords({ month, isFinal, isClosed, unfinishedDeposits } as Statement, '21 Nov')
  }
  expect(words(true, 0)).toStartWith('This month is closed:')
  expect(words(true, 1)).toStartWith('This month is not closed: 1 deposit of this month has not ended. Its own figures')
  expect(words(false, 3)).toEndWith('they can still change. 3 deposits of this month have not ended.')
  expect(words(false, 0)).toEndWith('they can still change.')
  expect(words(true, 0, '2026-11-03/2026-11-09')).toStartWith('This period is closed:')
  expect(periodName('2026-11-03/2026-11-09')).toBe('3 Nov 2026 to 9 Nov 2026')
})

test('the totals of one token are those of its rows, and an unknown value stays unknown', () => {
  const fees = { charges: 2, unpricedCharges: 1, protocolFeeUsd: '0.125000', gasFeeUsd: '0.018432' }
  const rows = [
    row('base', { ...fees, deliveries: 1, deliveredUsd: '24.83', departures: 1, volumeUsd: '25.00' }),
    row('polygon', {
      ...{ ...fees, deliveries: 2, unpricedDeliveries: 2, deliveredUsd: null },
      ...{ departures: 2, unpricedDepartures: 2, volumeUsd: null },
    }),
  ]
  expect(totalsOf(rows)).toMatchObject({ deliveries: 3, deliveredUsd: '24.83', protocolFeeUsd: '0.250000', charges: 4 })
  expect(totalsOf(rows)).toMatchObject({ departures: 3, unpricedDepartures: 2, volumeUsd: '25.00' })
  expect([totalsOf(rows.slice(1)).deliveredUsd, totalsOf(rows.slice(1)).volumeUsd]).toEqual([null, null])
  expect(totalsOf([])).toMatchObject({ deliveries: 0, deliveredUsd: '0.00', gasFeeUsd: '0.000000' })
})

test('each sum in USD says at which price: when the money left, was collected, or arrived', () => {
  const markup = pageMarkup(createElement(StatementTables, { rows: [], totals: totalsOf([]) }), {})
  const tiles = [...markup.matchAll(/<dt class="what">([^<]+)<\/dt><dd class="value">[^<]*<\/dd><dd[^>]*>([^<]+)/g)]
  expect(Object.fromEntries(tiles.map(([, what, more]) => [what, more]))).toMatchObject({
    Volume: 'Each at the price when it left',
    Delivered: 'Each at the price when it arrived',
    Fees: 'Each at the price when it was collected',
    Gas: 'Each at the price when it was collected',
    Refunded: 'Each at the price when it arrived',
  })
})
