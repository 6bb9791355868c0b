import { expect, test } from 'bun:test'
import { fundsText } from '../../src/cli/terminal/funds-text'
import { needingAttention } from '../../src/dashboard/live/counts'
import { mayBe } from '../../src/dashboard/pages/execution/verbs'
import type { Status } from '../../src/domain/execution/status'

const row = (status: Status, count: number, superseded = 0) => ({
  state: status,
  status,
  count,
  superseded,
  unlisted: 0,
  forProvider: 0,
  oldestAt: '2026-11-21T10:00:00.000Z',
  enteredAt: null,
  overdue: 0,
  endedLastDay: 0,
})

test('a superseded execution needs no attention', () => {
  expect(needingAttention([row('DEAD_LETTER', 5, 4), row('QUOTA_EXCEEDED', 2, 0), row('SUCCESS', 9, 0)])).toBe(3)
  expect(needingAttention([row('FAILED_UNROUTABLE_MAIN', 1), row('FAILED_INSUFFICIENT_AFTER_FEES', 7)])).toBe(1)
})

const ended = (holder: string, actor: string, code = 'ABANDONED') =>
  mayBe({ status: 'DEAD_LETTER', completedAt: 'then', funds: { holder }, next: { actor }, cause: { code } } as never)

test('a retry is offered after a failure and for a burn without a mint, but not for other money on its way', () => {
  const open = (status: string, address: string | null = '0x1') =>
    mayBe({ status, completedAt: null, next: { action: 'DELIVER' }, funds: { holder: 'PROVIDER', address } } as never)
  expect(open('FAILED').first).toBe('retry')
  expect(open('RUNNING', null)).toEqual({ first: 'retry', rest: [] })
  expect([open('RUNNING').first, open('PENDING').first]).toEqual(['dead-letter', 'dead-letter'])
})

test('a re-drive is offered for money in the account, but not first if its sender must act', () => {
  expect(ended('DEPOSIT_ACCOUNT', 'OPERATOR')).toEqual({ first: 'redrive', rest: ['refund'] })
  expect(ended('DEPOSIT_ACCOUNT', 'SENDER')).toEqual({ first: null, rest: ['redrive', 'refund'] })
  expect(ended('DEPOSIT_ACCOUNT', 'OPERATOR', 'TOKEN_NOT_SUPPORTED')).toEqual({ first: 'refund', rest: ['redrive'] })
  expect(ended('NONE', 'NOBODY')).toEqual({ first: null, rest: [] })
})

test('the command line names the execution that has a superseded one’s money', () => {
  const funds = { holder: 'NONE', amount: '0' } as never
  expect(fundsText({ funds, next: { executionId: 'x:r1' } as never })).toBe('with execution x:r1')
})
