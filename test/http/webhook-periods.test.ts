import { expect, test } from 'bun:test'
import { periodLabel } from '../../src/dashboard/pages/webhooks/period-label'
import type { DeliveryStatus } from '../../src/domain/webhook/delivery'
import { periodsOf, totalsOf } from '../../src/http/webhooks/delivery-periods'

const hour = 3_600_000
const day = 24 * hour
const now = Date.UTC(2026, 10, 21, 10, 30)
const at = (hoursAgo: number): number => now - (now % hour) - hoursAgo * hour
const count = (status: DeliveryStatus, hoursAgo: number, count: number) => ({ status, at: at(hoursAgo), count })
const most = 100

test('deliveries of two days are counted by hours, from the first one until now, and the hours between have none', () => {
  const counts = [count('DELIVERED', 3, 4), count('RETRYING', 1, 2), count('DELIVERED', 1, 5)]
  const none = { PENDING: 0, RETRYING: 0, DELIVERED: 0, FAILED: 0 }
  expect(periodsOf(counts, { now }, most)).toEqual({
    step: 'HOUR',
    rows: [
      { at: '2026-11-21T07:00:00.000Z', ...none, DELIVERED: 4 },
      { at: '2026-11-21T08:00:00.000Z', ...none },
      { at: '2026-11-21T09:00:00.000Z', ...none, DELIVERED: 5, RETRYING: 2 },
      { at: '2026-11-21T10:00:00.000Z', ...none },
    ],
  })
})

test('a longer span is counted by days, at most those that are retained, and its rows add up to the counts', () => {
  const counts = [count('DELIVERED', 70, 4), count('FAILED', 50, 1), count('DELIVERED', 0, 5)]
  const { step, rows } = periodsOf(counts, { now }, most)
  expect([step, rows.map((row) => [row.at.slice(5, 10), row.DELIVERED, row.FAILED])]).toEqual([
    'DAY',
    [
      ['11-18', 4, 0],
      ['11-19', 0, 1],
      ['11-20', 0, 0],
      ['11-21', 5, 0],
    ],
  ])
  expect(totalsOf(counts)).toEqual({ PENDING: 0, RETRYING: 0, DELIVERED: 9, FAILED: 1 })
  expect(periodsOf(counts, { createdFrom: 0, now }, most).rows).toHaveLength(30)
})

test('a day or an hour is left out if some of its deliveries are no longer retained', () => {
  const counts = [count('DELIVERED', 720, 3), count('DELIVERED', 700, 4), count('DELIVERED', 690, 5)]
  const rows = (createdTo?: number) =>
    periodsOf(counts, { createdTo, now }, most).rows.map((row) => [row.at.slice(5, 13), row.DELIVERED])
  expect(rows()[0]).toEqual(['10-23T00', 9])
  expect(rows(at(698)).slice(0, 2)).toEqual([
    ['10-22T11', 0],
    ['10-22T12', 0],
  ])
})

test('a chosen period has all of its hours, and none after now', () => {
  const rows = (createdFrom: number, createdTo?: number) =>
    periodsOf([count('DELIVERED', 2, 4)], { createdFrom, createdTo, now }, most).rows.map((row) => row.at.slice(11, 16))
  expect(rows(at(3), at(1))).toEqual(['07:00', '08:00'])
  expect(rows(at(1), now + day)).toEqual(['09:00', '10:00'])
  expect(rows(now + 1)).toEqual([])
})

test('hours that were not counted whole are left out, not shown with a part of their deliveries', () => {
  const cut = [count('DELIVERED', 3, 40), count('DELIVERED', 1, 60), count('FAILED', 5, 1)]
  expect(periodsOf(cut, { now }, most).rows.map((row) => [row.at.slice(11, 16), row.DELIVERED])).toEqual([
    ['08:00', 0],
    ['09:00', 60],
    ['10:00', 0],
  ])
  // A partly counted day is left out.
  const older = [count('DELIVERED', 80, 40), count('DELIVERED', 1, 60)]
  expect(periodsOf(older, { now }, most).rows.map((row) => row.at.slice(0, 10))).toEqual([
    ...['2026-11-19', '2026-11-20', '2026-11-21'],
  ])
})

test('an endpoint without deliveries has the current hour alone', () => {
  expect(periodsOf([], { now }, most).rows).toHaveLength(1)
})

test('the names of hours are unique within two days, and are in UTC', () => {
  const names = Array.from({ length: 48 }, (_, n) => periodLabel(new Date(at(n)).toISOString(), 'HOUR'))
  expect([names[0], new Set(names).size]).toEqual(['Sat 10:00', 48])
  expect(periodLabel('2026-11-01T00:00:00.000Z', 'DAY')).toBe('1 Nov')
})
