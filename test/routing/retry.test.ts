import { expect, test } from 'bun:test'
import { errorCodes } from '../../src/domain/error'
import {
  backoffMs,
  holdAfter,
  isLongHold,
  isOfProvider,
  mayRetry,
  type Obstacle,
  pollMs,
  providerPollMs,
  retry,
  retryBackoffMs,
  usesRetry,
  waitedMs,
} from '../../src/domain/execution/retry'

test('retry: the wait doubles from two seconds to five minutes', () => {
  const waits = Array.from({ length: 11 }, (_, n) => backoffMs(n, 1))
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000))
})

test('retry: up to half of the wait is jitter', () => {
  expect([0, 0.5, 1].map((jitter) => backoffMs(3, jitter))).toEqual([8_000, 12_000, 16_000])
})

test('retry: the retries outlast six hours, whatever the jitter, the first come soon, and none takes more than 90 minutes', () => {
  const waits = (jitter: number) => Array.from({ length: retry.retriesMax }, (_, n) => retryBackoffMs(n, jitter))
  const sum = waits(0).reduce((total, ms) => total + ms, 0)
  expect(sum).toBeGreaterThan(6 * 3_600_000)
  const seconds = [2, 10, 50, 250, 1_250, 5_400, 5_400, 5_400, 5_400, 5_400]
  expect(waits(1)).toEqual(seconds.map((each) => each * 1_000))
})

test('retry: executions that waited a day for a provider return within minutes, spread over time', () => {
  const day = 24 * 3_600_000
  expect([0, 0.5].map((jitter) => providerPollMs(day, 5_000, jitter))).toEqual([300_000, 315_000])
  expect([5_000, 600_000].map((leastMs) => providerPollMs(0, leastMs, 0))).toEqual([5_000, 600_000])
})

test('retry: an attempt is repeated ten times, and only after an error that may pass', () => {
  expect([9, 10].map((count) => mayRetry(count, 'TIMEOUT'))).toEqual([true, false])
  expect(mayRetry(0, 'VALIDATION')).toBe(false)
  expect(mayRetry(0, null)).toBe(false)
})

test('retry: a long wait is polled less and less often, but at least once an hour', () => {
  const [minute, hour, week] = [60_000, 3_600_000, 7 * 24 * 3_600_000]
  expect([0, minute, hour, week].map((elapsed) => pollMs(elapsed, 5_000))).toEqual([5_000, 5_000, 180_000, hour])
})

test('a hold keeps its start over polls while its source and its reason stay the same, and a pause between polls does not', () => {
  const before: Obstacle = { of: 'PROVIDER', why: 'AWAY', since: 1_000, until: 2_000 }
  const next: Obstacle = { ...before, since: 2_000, until: 3_000 }
  expect(holdAfter(before, next)).toEqual({ ...next, since: 1_000 })
  for (const other of [{ of: 'NODE' }, { why: 'LIMIT' }] as const)
    expect(holdAfter(before, { ...next, ...other })).toEqual({ ...next, ...other })
  expect(holdAfter({ ...before, why: 'PACE' }, { ...next, why: 'PACE' }).since).toBe(2_000)
  expect(holdAfter(undefined, next)).toEqual(next)
})

test('a hold is shown to people once it lasts more than a minute', () => {
  const holdOf = (ms: number): Obstacle => ({ of: 'PROVIDER', why: 'AWAY', since: 1_000, until: 1_000 + ms })
  expect([holdOf(60_000), holdOf(60_001), undefined].map(isLongHold)).toEqual([false, true, false])
})

test('retry: a provider fails if it is unreachable, late, broken or unreadable', () => {
  expect(errorCodes.filter(isOfProvider).toSorted()).toEqual([
    ...(['PROVIDER_FAILED', 'PROVIDER_MALFORMED', 'PROVIDER_TIMEOUT', 'PROVIDER_UNREACHABLE'] as const),
  ])
})

test('retry: a retry is used by failures of providers and by lapsed orders, and by no failure of a node or a deposit', () => {
  expect(errorCodes.filter(usesRetry).toSorted()).toEqual([
    ...(['GAS_ESTIMATE_FAILED', 'ORDER_LAPSED', 'PROVIDER_FAILED', 'PROVIDER_MALFORMED'] as const),
    ...(['PROVIDER_RATE_LIMITED', 'PROVIDER_TIMEOUT', 'PROVIDER_UNREACHABLE'] as const),
  ])
})

test('a wait is measured from its start, and one for another reason has not begun', () => {
  const waiter = { facts: { waiting: { for: 'NODE', since: 7 } } } as const
  expect([waitedMs(waiter, 'NODE', () => 10), waitedMs(waiter, 'GAS', () => 10)]).toEqual([3, 0])
})
