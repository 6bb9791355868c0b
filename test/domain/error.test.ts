import { expect, test } from 'bun:test'
import { errorCategories, errorCodes, errorRow, RoutingError } from '../../src/domain/error'
import { terminalStatuses } from '../../src/domain/execution/status'
import { testAll } from '../support/test-all'

testAll(errorCodes)('error table: each code ends in the status of its category', (code) => {
  const { category, endsIn, message, advice } = errorRow(code)
  const isRetried = category !== null && errorCategories[category].retryable

  expect(isRetried).toBe(endsIn === 'FAILED')
  if (endsIn !== null && endsIn !== 'FAILED') expect(terminalStatuses).toContain(endsIn)
  for (const sentence of [message, advice]) {
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(sentence).not.toMatch(/https?:|0x/)
  }
})

test('error table: only a node’s failure spends no retry', () => {
  const unspent = errorCodes.filter((code) => !errorRow(code).spendsRetry)
  expect(unspent).toEqual(errorCodes.filter((code) => code.startsWith('RPC_')))
})

test('error table: every rejection status has a cause (interface 7.2)', () => {
  const reached = new Set(errorCodes.map((code) => errorRow(code).endsIn))
  for (const status of terminalStatuses) if (status !== 'SUCCESS') expect(reached).toContain(status)
})

test('RoutingError: shows the text of the table and keeps its cause for the log', () => {
  const error = new RoutingError('PROVIDER_FAILED', { cause: new Error('https://secret') })
  expect(error.message).not.toContain('secret')
  expect(error).toMatchObject({ category: 'PROVIDER_5XX', retryable: true })
})
