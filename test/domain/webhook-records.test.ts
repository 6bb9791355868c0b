import { expect, test } from 'bun:test'
import {
  afterAttempt,
  attemptsOf,
  attemptsStoredMax,
  deliveryNames,
  deliveryStatuses,
  isDelivered,
  isGone,
  isOurFault,
  isSample,
  newDelivery,
  newSample,
  type Outcome,
  resent,
  retryAfterMsOf,
} from '../../src/domain/webhook/delivery'
import {
  disabledByService,
  failingSinceOf,
  isActive,
  isSameTarget,
  newFeed,
  unannouncedDisabling,
  withAttempt,
  withDisabled,
  withEmailProgress,
} from '../../src/domain/webhook/endpoint'
import { endpointOf } from '../support/webhooks'

const now = 1_000_000
const endpoint = endpointOf('whe_1', 'org_a', 100)
const event = { id: 'evt_1', type: 'execution.success', at: 900_000, body: '{}' }
const delivery = newDelivery(endpoint, event, now)
const failed: Outcome = { statusCode: 500, durationMs: 10, error: null, retryAfterMs: null }
const unsigned: Outcome = { statusCode: null, durationMs: 0, error: 'SECRET_UNREADABLE', retryAfterMs: null }

test('a delivery is due from the time of its event, and a sample once its creator must have attempted it', () => {
  expect(delivery).toEqual({
    ...{ id: delivery.id, version: 0, organizationId: 'org_a', endpointId: 'whe_1', eventId: 'evt_1', body: '{}' },
    ...{ type: 'execution.success', status: 'PENDING', attempts: 0, tries: 0, dueAt: 900_000, lastAttempt: null },
    ...{ earlierAttempts: [], createdAt: now, deliveredAt: null },
  })
  expect(delivery.id).toMatch(/^dlv_[0-9a-f]{32}$/)
  const sample = newSample(endpoint, event, now)
  expect([sample.id.slice(0, 11), sample.id.length, sample.dueAt]).toEqual(['dlv_sample_', 43, now + 60_000])
  expect([isSample(sample), isSample(delivery)]).toEqual([true, false])
})

test('a sample gets one attempt, and an attempt that we could not sign counts towards none', () => {
  expect(afterAttempt(newSample(endpoint, event, now), failed, now, 0.5)).toMatchObject({
    status: 'FAILED',
    dueAt: null,
  })
  const after = afterAttempt(delivery, unsigned, now, 0.5)
  expect(after).toMatchObject({ status: 'RETRYING', tries: 0, attempts: 1, dueAt: now + 60_000 })
  expect(afterAttempt(newSample(endpoint, event, now), unsigned, now, 0.5).status).toBe('FAILED')
})

test('the last 21 attempts are retained, oldest first', () => {
  let last = delivery
  for (let n = 0; n < 25; n++) last = afterAttempt({ ...last, tries: 0 }, failed, now + n, 0.5)
  expect(attemptsOf(last).map(({ at }) => at - now)).toEqual(Array.from({ length: attemptsStoredMax }, (_, n) => n + 4))
  expect([attemptsStoredMax, last.attempts, attemptsOf(delivery)]).toEqual([21, 25, []])
  const { earlierAttempts: _, ...older } = last
  expect(attemptsOf(older as never)).toEqual([last.lastAttempt!])
})

test('a delivery that is queued and untried is not resent', () => {
  expect(resent(delivery, now)).toBeNull()
  const tried = afterAttempt(delivery, failed, now, 0.5)
  expect(resent(tried, now + 5)).toMatchObject({ status: 'PENDING', tries: 0, dueAt: now + 5, attempts: 1 })
  expect(resent({ ...delivery, dueAt: null, status: 'FAILED' }, now)).toMatchObject({ dueAt: now })
})

test('an outcome is a success, our own fault, or shows that the endpoint is gone', () => {
  const outcome = (statusCode: number | null, error: Outcome['error'] = null) => ({ statusCode, error })
  expect([200, 299, 199, 300, null].map((code) => isDelivered(outcome(code)))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect(isDelivered(outcome(200, 'TIMEOUT'))).toBe(false)
  expect([isOurFault(unsigned), isOurFault(failed), isGone({ statusCode: 410 }), isGone({ statusCode: 404 })]).toEqual([
    ...[true, false, true, false],
  ])
  for (const status of deliveryStatuses) expect(deliveryNames[status]).toMatch(/^[A-Z][a-z ]+$/)
})

test('a time to wait is read with spaces around it, and only in its whole form', () => {
  const date = new Date(now + 60_000).toUTCString()
  expect([retryAfterMsOf(' 7 ', now), retryAfterMsOf(` ${date} `, now)]).toEqual([7_000, 60_000])
  for (const text of ['7x', 'x7', '1234567890', `${date}x`, `x${date}`, date.slice(5)])
    expect([text, retryAfterMsOf(text, now)]).toEqual([text, null])
})

test('an endpoint fails since its first failure after the last success and after it was enabled', () => {
  const feed = newFeed(endpoint)
  expect(feed).toMatchObject({ readTo: 100, holder: null, until: 0, lastSuccessAt: null, failingSince: null })
  const failing = withAttempt(withAttempt(feed, 500, false), 400, false)
  expect(failing).toMatchObject({ lastFailureAt: 500, failingSince: 500, lastSuccessAt: null })
  expect(failingSinceOf(failing, { enabledAt: 500 })).toBe(500)
  expect([failingSinceOf(failing, { enabledAt: 501 }), failingSinceOf(feed, { enabledAt: 0 })]).toEqual([null, null])
  expect(failingSinceOf({ failingSince: 300, lastFailureAt: 500 }, { enabledAt: 400 })).toBe(400)
  const well = withAttempt(withAttempt(failing, 700, true), 600, true)
  expect(well).toMatchObject({ lastSuccessAt: 700, failingSince: null, lastFailureAt: 500 })
})

test('a response counts for an endpoint that was neither enabled again nor moved meanwhile', () => {
  expect(isSameTarget(endpoint, { ...endpoint, version: 9 })).toBe(true)
  expect(isSameTarget(endpoint, { ...endpoint, url: 'https://example.com/other' })).toBe(false)
  expect(isSameTarget(endpoint, { ...endpoint, enabledAt: 101 })).toBe(false)
})

test('the service’s disabling keeps the settings of that time, and the last twenty are kept', () => {
  let disabled = disabledByService(endpoint, 'GONE', { lastSuccessAt: 7, lastFailureAt: 8 }, now)
  const { url, types, description } = endpoint
  const first = { at: now, reason: 'GONE', url, types, description, lastSuccessAt: 7, lastFailureAt: 8, isTold: false }
  expect(disabled).toMatchObject({ enabled: false, disabledReason: 'GONE', updatedAt: now, disablings: [first] })
  for (let n = 1; n <= 20; n++) disabled = disabledByService(disabled, 'FAILING', newFeed(endpoint), now + n)
  expect(disabled.disablings!.map(({ at }) => at - now)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  expect(withDisabled(endpoint, 'BY_REQUEST', now).disablings).toBeUndefined()
})

test('members are e-mailed about the last disabling while it applies, once', () => {
  const disabled = disabledByService(endpoint, 'GONE', newFeed(endpoint), now)
  expect(unannouncedDisabling(disabled)).toMatchObject({ at: now, isTold: false })
  expect(unannouncedDisabling(endpoint)).toBeNull()
  for (const changed of [{ enabled: true }, { deletedAt: 5 }, { disabledReason: 'BY_REQUEST' as const }])
    expect(unannouncedDisabling({ ...disabled, ...changed })).toBeNull()
  const later = disabledByService(disabled, 'GONE', newFeed(endpoint), now + 1)
  const told = withEmailProgress(later, now + 1, { isTold: true })
  expect(told.disablings!.map(({ isTold }) => isTold)).toEqual([false, true])
  expect([unannouncedDisabling(told), withEmailProgress(endpoint, now, {}).disablings]).toEqual([null, []])
  expect([isActive(endpoint), isActive(disabled), isActive({ ...endpoint, deletedAt: 1 })]).toEqual([
    true,
    false,
    false,
  ])
})
