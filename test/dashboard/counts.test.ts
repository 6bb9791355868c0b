import { expect, test } from 'bun:test'
import {
  beforehand,
  countOf,
  inFlight,
  isBeforehand,
  isInFlight,
  listedBeforehand,
  type StateCount,
  waitsForRetry,
} from '../../src/dashboard/live/counts'
import { depositStages } from '../../src/domain/deposit/deposit-stage'
import type { Status } from '../../src/domain/execution/status'

const row = (state: string, status: Status | null, count: number): StateCount => ({
  state,
  status,
  count,
  superseded: 0,
  unlisted: 0,
  forProvider: 0,
  oldestAt: '2026-11-21T10:00:00.000Z',
  enteredAt: null,
  overdue: 0,
  endedLastDay: 0,
})
const rows = [row('finding route', null, 4), row('finding route', 'FAILED', 3), row('FAILED', 'FAILED', 2)]

test('counts: a FAILED status waits for a retry in any state of the attempt', () => {
  expect(countOf(rows, waitsForRetry)).toBe(5)
  expect(countOf([row('FAILED', null, 1), row('RUNNING', 'RUNNING', 9)], waitsForRetry)).toBe(1)
})

test('counts: executions in flight match the list behind their number, and unsent ones count as deposits', () => {
  const all = [...rows, row('PENDING', 'PENDING', 2), row('RUNNING', 'RUNNING', 7), row('SUCCESS', 'SUCCESS', 9)]
  const listed = (statuses: readonly string[]) => countOf(all, ({ status }) => statuses.includes(status!))
  expect(countOf(all, isInFlight)).toBe(listed(inFlight))
  expect([countOf(all, isInFlight), countOf(all, isBeforehand)]).toEqual([9, 4])
  const apart = { ...row('finding route', null, 3), unlisted: 2 }
  expect(listedBeforehand([...all, apart])).toBe(5)
  const beforeAnyStatus = depositStages.filter((stage) => (beforehand as readonly string[]).includes(stage))
  expect(beforeAnyStatus.toSorted()).toEqual([...beforehand].toSorted())
})
