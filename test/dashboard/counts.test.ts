import { expect, test } from 'bun:test'
import { countOf, movedOn, type StateCount, waitsForRetry } from '../../src/dashboard/live/counts'

const row = (state: string, status: string | null, count: number): StateCount => ({
  ...{ state, status, count },
  oldestAt: null,
})
const rows = [row('finding route', null, 4), row('finding route', 'FAILED', 3), row('FAILED', 'FAILED', 2)]

test('counts: what shows FAILED waits for a retry, whichever state the attempt is in', () => {
  expect(countOf(rows, waitsForRetry)).toBe(5)
  expect(countOf([row('FAILED', null, 1), row('RUNNING', 'RUNNING', 9)], waitsForRetry)).toBe(1)
})

test('counts: what moves is taken from a state once, however many rows it has', () => {
  const moved = movedOn(
    rows,
    new Map([
      ['finding route', -2],
      ['PENDING', 2],
      ['signing order', -1],
    ]),
  )
  const inState = (name: string) => countOf(moved, ({ state }) => state === name)
  expect(['finding route', 'FAILED', 'PENDING', 'signing order'].map(inState)).toEqual([5, 2, 2, 0])
})
