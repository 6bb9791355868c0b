import { expect, test } from 'bun:test'
import { countWords, notAccepted, successRate } from '../../src/dashboard/pages/webhooks/delivery-counts'
import { isUntried } from '../../src/dashboard/pages/webhooks/states'
import { testAll } from '../support/test-all'

const counts = { PENDING: 4, RETRYING: 15, DELIVERED: 70, FAILED: 15 }

test('the success rate is the share of sent events that were accepted', () => {
  expect(successRate({ counts, isWhole: true })).toBe(0.7)
  expect(countWords({ counts, isWhole: true }, notAccepted)).toBe('30')
})

test('a rate of nothing, or of an unknown number, is unknown', () => {
  expect(successRate({ counts: { ...counts, RETRYING: 0, DELIVERED: 0, FAILED: 0 }, isWhole: true })).toBeNull()
  expect(successRate({ counts: { ...counts, DELIVERED: 10_000 }, isWhole: false })).toBeNull()
  expect(countWords({ counts: { ...counts, DELIVERED: 10_000 }, isWhole: false }, ['DELIVERED'])).toBe(
    'at least 10,000',
  )
})

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 10, minute)).toISOString()
testAll([
  ['enabled after its last failure', { lastFailureAt: at(1), enabledAt: at(2) }, true],
  ['failed since it was enabled', { lastFailureAt: at(3), enabledAt: at(2) }, false],
  ['accepted since it was enabled', { lastSuccessAt: at(3), lastFailureAt: at(1), enabledAt: at(2) }, false],
  ['disabled', { lastFailureAt: at(1), enabledAt: at(2), enabled: false }, false],
  ['new, without any attempt', { enabledAt: at(2) }, false],
])('an endpoint counts as not tried after its repair until the first attempt: %s', (_case, change, isSo) => {
  const endpoint = { enabled: true, lastSuccessAt: null, lastFailureAt: null, ...change }
  expect(isUntried(endpoint)).toBe(isSo)
})
