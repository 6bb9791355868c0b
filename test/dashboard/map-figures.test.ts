import { expect, test } from 'bun:test'
import type { StateCount } from '../../src/dashboard/live/counts'
import { figuresOf } from '../../src/dashboard/machine/figures'
import { modelOf } from '../../src/dashboard/machine/model'
import { shortCount } from '../../src/dashboard/machine/node-parts'
import { leftWords } from '../../src/dashboard/pages/operations/left-words'
import { retry } from '../../src/domain/execution/retry'
import { lifecycle } from '../../src/routing/engine/lifecycle'

const model = modelOf(lifecycle(retry) as never)
const now = Date.parse('2026-11-28T12:00:00.000Z')
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString()
const row = (state: string, changed: Partial<StateCount> = {}): StateCount => ({
  ...{ state, status: null, count: 1, superseded: 0, unlisted: 0, forProvider: 0 },
  ...{ oldestAt: ago(9_000), enteredAt: ago(5), overdue: 0, endedLastDay: 0 },
  ...changed,
})
const stays = (p95Ms: number, isWhole = true) => [{ state: 'finding route', left: 20, isWhole, medianMs: 1_000, p95Ms }]
const routing = (changed: Partial<StateCount>, p95Ms = 20_000) =>
  figuresOf(model, [row('finding route', changed)], stays(p95Ms), now)['finding route']!

test('a state is late while one execution stays longer than 19 of 20 did, and overdue past a deadline', () => {
  expect(routing({ enteredAt: ago(19) }).lateness).toBeNull()
  expect(routing({ enteredAt: ago(21) })).toMatchObject({
    lateness: 'LATE',
    lines: ['p50 1.0 s', 'p95 20.0 s', 'longest 21.0 s'],
  })
  expect(routing({ enteredAt: ago(5), count: 9, overdue: 2 })).toMatchObject({
    lateness: 'OVERDUE',
    lines: ['2 overdue', 'p95 20.0 s', 'longest 5.0 s'],
  })
})

test('a stay below ten seconds is never late, nor is one whose usual duration or beginning is unknown', () => {
  expect(routing({ enteredAt: ago(9) }, 200).lateness).toBeNull()
  expect(routing({ enteredAt: null }).lateness).toBeNull()
  expect(figuresOf(model, [row('finding route', { enteredAt: ago(900) })], undefined, now)['finding route']).toEqual({
    ...{ count: 1, lines: ['longest 15 min'], lateness: null },
  })
})

test('a final state counts the last 24 hours, and an unknown count is not zero', () => {
  const ended = row('DEAD_LETTER', { status: 'DEAD_LETTER', count: 1_312, endedLastDay: 3, enteredAt: null })
  expect(figuresOf(model, [ended], [], now)['DEAD_LETTER']).toEqual({ count: 3, lines: [], lateness: null })
  expect(figuresOf(model, [], [], now)['DEAD_LETTER']!.count).toBe(0)
  expect(figuresOf(model, undefined, [], now)['DEAD_LETTER']!.count).toBeNull()
})

test('a count on the map has at most six characters', () => {
  const counts = [null, 0, 9_999, 10_000, 99_949, 123_456, 999_499, 999_500, 1_205_000, 123_456_789]
  expect(counts.map(shortCount)).toEqual(['–', '0', '9,999', '10.0k', '99.9k', '123k', '999k', '1.0M', '1.2M', '123M'])
})

test('the number that left a state is a minimum in a sample, and unknown for a state that none of it left', () => {
  const words = (isWhole: boolean) =>
    ['finding route', 'signing'].map((state) => leftWords(stays(20_000, isWhole), state))
  expect([words(true), words(false)]).toEqual([
    ['20', '0'],
    ['at least 20', '–'],
  ])
  expect(leftWords([], 'signing')).toBe('–')
})
