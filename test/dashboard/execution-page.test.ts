import { expect, test } from 'bun:test'
import { createElement } from 'react'
import type { HistoryRow } from '../../src/dashboard/data/types'
import { titleOf } from '../../src/dashboard/pages/execution/execution'
import { FeeFall } from '../../src/dashboard/pages/execution/fee-fall'
import { howToMint, placeOf } from '../../src/dashboard/pages/execution/place'
import { whyWithoutQuotes } from '../../src/dashboard/pages/execution/quotes'
import { attemptsOf } from '../../src/dashboard/pages/execution/timeline'
import { redrivePageOf } from '../../src/dashboard/pages/execution/verbs'
import { wrongNow } from '../../src/dashboard/pages/executions/wrong-now'
import { actsNext } from '../../src/dashboard/ui/actor'
import { toneOfStage } from '../../src/dashboard/ui/status'
import { statusNames } from '../../src/domain/execution/status'
import { pageMarkup } from '../support/page-markup'
import { testAll } from '../support/test-all'

const moved = (seq: number, from: string | null, to: string): HistoryRow => ({
  seq,
  from,
  to,
  event: 'moved',
  status: null,
  note: null,
  at: new Date(seq * 1_000).toISOString(),
})
const failing = (attempts: number): HistoryRow[] =>
  Array.from({ length: attempts }, (_, n) => [
    moved(3 * n + 1, n === 0 ? null : 'FAILED', 'screening deposit'),
    moved(3 * n + 2, 'screening deposit', 'finding route'),
    moved(3 * n + 3, 'finding route', n === attempts - 1 ? 'DEAD_LETTER' : 'FAILED'),
  ]).flat()

test('eleven attempts are eleven groups, of which all but the last failed, and every entry is in one', () => {
  const history = failing(11)
  const attempts = attemptsOf(history)
  expect(attempts.map(({ hasFailed }) => hasFailed)).toEqual([...Array(10).fill(true), false])
  expect(attempts.flatMap(({ rows }) => rows)).toEqual(history)
  for (const { from, rows } of attempts) expect(history[from]).toBe(rows[0]!)
})

test('money with a provider is shown as on its way only while the execution is followed', () => {
  expect(placeOf('PROVIDER', false)).toBe('The money is on its way with the routing provider.')
  expect(placeOf('PROVIDER', true)).toBe('A routing provider has the money, and its arrival has not been seen.')
  expect(placeOf('RECIPIENT', true)).toBe(placeOf('RECIPIENT', false))
})

test('our own mint is promised only while the execution is followed', () => {
  expect(howToMint('Polygon', false)).toContain('Switchyard does this automatically')
  expect(howToMint('Polygon', true)).not.toContain('Switchyard')
})

test('an execution that failed once and waits has one attempt, and a new one has none', () => {
  expect(attemptsOf(failing(2).slice(0, 3))).toMatchObject([{ number: 1, from: 0, hasFailed: true }])
  expect(attemptsOf([])).toEqual([])
})

const put = {
  id: `8453:0x${'5c'.repeat(32)}:0`,
  userId: 'zoe',
  amountIn: '25000000',
  fromTokenDecimals: 6,
  fromTokenSymbol: 'USDC',
  fromChainKey: 'base' as const,
  toTokenSymbol: 'USDC',
  toChainKey: 'arbitrum' as const,
}
type Funds = Parameters<typeof titleOf>[0]['funds']
const funds = (holder: string, rest = {}) =>
  ({ holder, amount: '25000000', tokenDecimals: 6, tokenSymbol: 'USDC', chainKey: 'base', ...rest }) as Funds

test('an execution’s title has amount, route and user, with the token that arrived', () => {
  const arrived = funds('RECIPIENT', { amount: '23864795', tokenSymbol: 'USDC.e', chainKey: 'arbitrum' })
  expect(titleOf({ ...put, funds: arrived })).toBe('25 USDC · Base → 23.8647 USDC.e · Arbitrum · zoe')
})

test('a re-drive has another title than the execution that it repeats', () => {
  expect(titleOf({ ...put, id: `${put.id}:r2`, funds: funds('NONE') })).toBe(
    '25 USDC · Base → USDC · Arbitrum · zoe · re-drive 2',
  )
})

test('the title shows no output amount before arrival', () => {
  for (const holder of ['DEPOSIT_ACCOUNT', 'PROVIDER', 'NONE'])
    expect(titleOf({ ...put, funds: funds(holder) })).toBe('25 USDC · Base → USDC · Arbitrum · zoe')
  expect(titleOf({ ...put, toChainKey: null, funds: funds('DEPOSIT_ACCOUNT') } as never)).toBe('25 USDC · Base · zoe')
})

const failing5xx = { category: 'PROVIDER_5XX', code: 'PROVIDER_FAILED', message: 'It failed.' } as const
const bug = { category: null, code: 'UNEXPECTED', message: 'It was not expected.' } as const
const [earlier, later] = ['2026-11-21T10:00:00.000Z', '2026-11-21T10:00:05.000Z']

testAll(statusNames)('the last failure is current only in a failed state or status', (status) => {
  const isOver = ['SUCCESS', 'PENDING', 'RUNNING'].includes(status)
  const cause = { ...failing5xx, at: earlier }
  expect(wrongNow({ status, cause, updatedAt: later })).toEqual(isOver ? null : cause)
  expect(wrongNow({ status, cause, updatedAt: earlier })).toEqual(isOver ? null : cause)
  expect(wrongNow({ status, cause: null, updatedAt: later })).toBeNull()
})

test('a cause that only a newer server knows is shown like any other', () => {
  const cause = { ...failing5xx, code: 'NAMED_LATER' as never, at: earlier }
  expect(wrongNow({ status: 'FAILED', cause, updatedAt: later })).toEqual(cause)
  expect(wrongNow({ status: 'RUNNING', cause, updatedAt: later })).toBeNull()
})

test('an unexpected error is current while it is the last event', () => {
  const [now, past] = [
    { ...bug, at: later },
    { ...bug, at: earlier },
  ]
  for (const status of ['PENDING', 'RUNNING'] as const) {
    expect(wrongNow({ status, cause: now, updatedAt: later })).toEqual(now)
    expect(wrongNow({ status, cause: past, updatedAt: later })).toBeNull()
  }
  expect(wrongNow({ status: 'SUCCESS', cause: now, updatedAt: later })).toBeNull()
})

test('a missing quote has a reason: no provider was queried, none could answer, or none had an offer', () => {
  const asked = { status: 'FAILED', updatedAt: later, history: [{ to: 'finding route' }] } as const
  const cause = { ...failing5xx, at: later }
  expect(whyWithoutQuotes({ ...asked, cause, history: [] })).toBe('No quote was requested.')
  expect(whyWithoutQuotes({ ...asked, cause })).toBe('No quotes: it failed.')
  expect(whyWithoutQuotes({ ...asked, cause: null })).toBe('No provider made an offer.')
  const noRoute = { category: 'VALIDATION', code: 'NO_ROUTE', message: 'Nobody has one.', at: later } as const
  expect(whyWithoutQuotes({ ...asked, status: 'FAILED_UNROUTABLE_MAIN', cause: noRoute })).toBe(
    'No provider made an offer.',
  )
})

test('the next actor is named in a sentence, and so is its absence', () => {
  expect(actsNext('SERVICE')).toBe('Switchyard acts next')
  expect(actsNext('INTEGRATOR')).toBe('You act next')
  expect(actsNext('OPERATOR')).toBe('An operator acts next')
  expect(actsNext('NOBODY')).toBe('No action is needed')
})

test('an approval for a deposit is about its first execution, or happens on the page of its re-drive', () => {
  const id = '8453:0xab:1'
  expect([null, id, `${id}:r1`].map((executionId) => redrivePageOf({ id, executionId }))).toEqual([
    null,
    null,
    '/executions/8453%3A0xab%3A1%3Ar1',
  ])
})

test('fees that an ended execution never took are shown as what would have been', () => {
  const fall = (collected: boolean, completedAt: string | null, holder = 'DEPOSIT_ACCOUNT') => {
    const raw = { totalReceivedRaw: '25000000', gasFeeRaw: '988135', protocolFeeEffective: '125000' }
    const fees = { ...raw, protocolFeeForgiven: '0', amountForSwapRaw: '23886865', gasFeeSkipReason: null, collected }
    const tokens = { fromTokenDecimals: 6, fromTokenSymbol: 'USDC', toTokenDecimals: 6, toTokenSymbol: 'USDC' }
    const funds = { holder, amount: '23800000', tokenDecimals: 6, tokenSymbol: 'USDC' }
    const execution = { fees, ...tokens, funds, amountOutExpected: '23800000', completedAt } as never
    return pageMarkup(createElement(FeeFall, { execution }), {})
  }
  const never = fall(false, 'then')
  for (const words of ['nothing was taken', 'Gas would have been', 'Would have been routed'])
    expect(never).toContain(words)
  expect(never).not.toMatch(/t-ok|Expected to arrive|Delivered/)
  expect(fall(false, null)).toMatch(/not collected yet.*>Routed.*Expected to arrive/s)
  expect(fall(true, 'then', 'RECIPIENT')).toMatch(/collected on chain.*t-ok.*Delivered/s)
})

test('a deposit that came back is shown as finished only if nobody has to act', () => {
  const tones = ['OPERATOR', 'INTEGRATOR', 'SERVICE', 'NOBODY'].map((actor) => toneOfStage('RETURNED', actor))
  expect(tones).toEqual(['warn', 'warn', 'info', 'ok'])
})
