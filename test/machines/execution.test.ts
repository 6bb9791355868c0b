import { expect, test } from 'bun:test'
import { type ExecutionEvent, executionMachine, follow, isPublic, stepOf } from '../../machines/execution'
import {
  type ErrorCategory,
  type ErrorCode,
  errorCategories,
  errorCodes,
  errorRow,
  RoutingError,
} from '../../src/domain/error'
import { type Execution, failureOf } from '../../src/domain/execution/execution'
import { retry } from '../../src/domain/execution/retry'
import { isTerminal, statusNames } from '../../src/domain/execution/status'
import { executionView } from '../../src/http/views/execution'
import { transactionsOf } from '../../src/http/views/transaction'
import { hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'
import { detected, fees, order, sent, spent } from '../support/world'

const failureWith = (code: ErrorCode) => failureOf(new RoutingError(code))
const failed = (code: ErrorCode): ExecutionEvent => ({
  type: 'step failed',
  failure: failureWith(code),
  retryAt: 2_000,
  at: 1,
})
const orderFailed = (code: ErrorCode): ExecutionEvent => ({
  type: 'order failed',
  failure: failureWith(code),
  retryAt: 2_000,
  at: 1,
})
const priced = (amountForSwapRaw: string): ExecutionEvent => ({
  type: 'fees priced',
  facts: { fees: { ...fees, amountForSwapRaw } },
  at: 1,
})
const abandoned: ExecutionEvent = { type: 'abandoned', failure: failureWith('ABANDONED'), at: 1 }
const plain = (
  type:
    | 'intent matched'
    | 'order signed'
    | 'order expired'
    | 'transaction submitted'
    | 'transaction mined'
    | 'funds delivered',
) => ({ type, at: 1 }) as const

const signed = { facts: { order } }
const gone = { facts: { order, spent } }
const shown = (status: Execution['status'], record: Partial<Execution> = {}) => ({ status, ...record })

// The transition table row by row (interface 3). Columns: from, the record, event; to, status shown.
testAll<[string, string, Partial<Execution>, ExecutionEvent, string, string | null]>([
  ['a route resolved is signed', 'pricing fees', {}, priced('990'), 'signing order', null],
  ['signed, it is PENDING', 'signing order', {}, plain('order signed'), 'PENDING', 'PENDING'],
  ['submitted, it is RUNNING', 'PENDING', shown('PENDING'), plain('transaction submitted'), 'RUNNING', 'RUNNING'],
  ['mined before it was seen submitted', 'PENDING', shown('PENDING'), plain('transaction mined'), 'RUNNING', 'RUNNING'],
  ['mined, it stays RUNNING', 'RUNNING', shown('RUNNING', signed), plain('transaction mined'), 'RUNNING', 'RUNNING'],
  ['delivered, it is SUCCESS', 'RUNNING', shown('RUNNING'), plain('funds delivered'), 'SUCCESS', 'SUCCESS'],
  ...(['0', '-1', '-123456789012345678901234567890'] as const).map(
    (left) =>
      [
        `${left} left after fees`,
        'pricing fees',
        {},
        priced(left),
        'FAILED_INSUFFICIENT_AFTER_FEES',
        'FAILED_INSUFFICIENT_AFTER_FEES',
      ] as [string, string, Partial<Execution>, ExecutionEvent, string, string],
  ),
  ['a retryable error', 'finding route', {}, failed('PROVIDER_TIMEOUT'), 'FAILED', 'FAILED'],
  ['the limit reached', 'finding route', { retryCount: 10 }, failed('PROVIDER_TIMEOUT'), 'DEAD_LETTER', 'DEAD_LETTER'],
  [
    'repeated failure',
    'FAILED',
    shown('FAILED', { retryCount: 10 }),
    failed('PROVIDER_TIMEOUT'),
    'DEAD_LETTER',
    'DEAD_LETTER',
  ],
  ['a node’s failure decides nothing', 'finding route', {}, failed('RPC_TIMEOUT'), 'finding route', null],
  ['nor after ten retries', 'FAILED', shown('FAILED', { retryCount: 10 }), failed('RPC_TIMEOUT'), 'FAILED', 'FAILED'],
  ['not retryable', 'finding route', shown('FAILED'), failed('SIGNER_REFUSED'), 'DEAD_LETTER', 'DEAD_LETTER'],
  ['a retry starts over', 'FAILED', shown('FAILED'), plain('intent matched'), 'screening deposit', 'FAILED'],
  [
    'a retry shows FAILED until it is on its way',
    'signing order',
    shown('FAILED'),
    plain('order signed'),
    'PENDING',
    'FAILED',
  ],
  ['and RUNNING then', 'PENDING', shown('FAILED', signed), plain('transaction submitted'), 'RUNNING', 'RUNNING'],
  [
    'an error decides nothing about a live order',
    'PENDING',
    shown('PENDING', signed),
    failed('NO_ROUTE'),
    'PENDING',
    'PENDING',
  ],
  ['not about money on its way', 'RUNNING', shown('RUNNING', gone), failed('RPC_TIMEOUT'), 'RUNNING', 'RUNNING'],
  [
    'an order that lapsed is retried',
    'RUNNING',
    shown('RUNNING', signed),
    orderFailed('ORDER_LAPSED'),
    'FAILED',
    'FAILED',
  ],
  [
    'an order that was never sent is signed again',
    'PENDING',
    shown('PENDING', signed),
    plain('order expired'),
    'signing order',
    'PENDING',
  ],
  ['after a retry too', 'PENDING', shown('FAILED', signed), plain('order expired'), 'signing order', 'FAILED'],
  ['from PENDING too', 'PENDING', shown('PENDING', signed), orderFailed('ORDER_LAPSED'), 'FAILED', 'FAILED'],
  [
    'an order that reverted is not',
    'RUNNING',
    shown('RUNNING', signed),
    orderFailed('TRANSACTION_REVERTED'),
    'DEAD_LETTER',
    'DEAD_LETTER',
  ],
  ['money sent back', 'RUNNING', shown('RUNNING', gone), orderFailed('FUNDS_RETURNED'), 'DEAD_LETTER', 'DEAD_LETTER'],
  ['a bug decides nothing', 'finding route', {}, failed('UNEXPECTED'), 'finding route', null],
  ['not after ten retries', 'FAILED', shown('FAILED', { retryCount: 10 }), failed('UNEXPECTED'), 'FAILED', 'FAILED'],
  ['an operator gives up', 'FAILED', shown('FAILED'), abandoned, 'DEAD_LETTER', 'DEAD_LETTER'],
  ['an operator gives up on a bridge', 'RUNNING', shown('RUNNING', gone), abandoned, 'DEAD_LETTER', 'DEAD_LETTER'],
  ['but not on a live order', 'PENDING', shown('PENDING', signed), abandoned, 'PENDING', 'PENDING'],
  [
    'a state of another version with an order asks the chain',
    'watching bridge',
    shown('RUNNING', gone),
    plain('funds delivered'),
    'SUCCESS',
    'SUCCESS',
  ],
  ['without an order it starts over', 'asking oracle', {}, plain('intent matched'), 'screening deposit', null],
  ['an event unknown to the state changes nothing', 'taking lane', {}, plain('funds delivered'), 'taking lane', null],
])('execution: the transition table, row by row', (_rule, state, record, event, next, status) => {
  const after = follow({ ...detected, ...record, state }, event)

  expect(after.state).toBe(next)
  expect(after.status).toBe(status as Execution['status'])
  expect(after.completedAt).toBe(isTerminal(next) ? 1 : null)
  if (isTerminal(next)) expect(after.dueAt).toBeNull()
})

const finalCodes = errorCodes.filter((code) => !['FAILED', null].includes(errorRow(code).endsIn))
testAll(finalCodes)('execution: an error ends it in the status of the error table, with its cause', (code) => {
  const after = follow({ ...detected, state: 'finding route' }, failed(code))
  expect(after.status).toBe(errorRow(code).endsIn as Execution['status'])
  expect(after.cause).toEqual({ ...failureWith(code), at: 1 })
})

test('execution: some error leads to every final status except SUCCESS', () => {
  const ends = new Set(errorCodes.map((code) => errorRow(code).endsIn))
  const finals = statusNames.filter((status) => isTerminal(status) && status !== 'SUCCESS')
  expect(finals.filter((status) => !ends.has(status as never))).toEqual([])
})

testAll(Object.entries(errorCategories))(
  'execution: an error is retried according to the table of categories',
  (category, { retryable }) => {
    const code = errorCodes.find((name) => errorRow(name).category === (category as ErrorCategory))!
    const after = follow({ ...detected, state: 'finding route' }, failed(code))

    expect(after.state === 'FAILED').toBe(retryable)
    expect(after.retryCount).toBe(retryable ? 1 : 0)
    expect(after.dueAt).toBe(retryable ? 2_000 : null)
  },
)

test('execution: a retry drops only the expired order', () => {
  const facts = { order, routeId: order.routeId, fees, laneClearFrom: 4 }
  const { facts: kept } = follow(
    { ...detected, state: 'RUNNING', status: 'RUNNING', facts },
    orderFailed('ORDER_LAPSED'),
  )
  expect(kept).toEqual({ routeId: order.routeId, fees, laneClearFrom: 4 })
})

test('execution: an order that was never sent is removed automatically and does not count as a retry', () => {
  const facts = { order, routeId: order.routeId, fees, laneClearFrom: 4 }
  const pending = { ...detected, state: 'PENDING', status: 'PENDING' as const, retryCount: 3, facts }
  expect(follow(pending, plain('order expired'))).toMatchObject({ retryCount: 3, cause: null })
  expect(follow(pending, plain('order expired')).facts).toEqual({ routeId: order.routeId, fees, laneClearFrom: 4 })
})

test('execution: each expired order adds its transactions to the dropped ones of earlier orders', () => {
  const once = (at: Execution, n: number) => {
    const facts = { ...at.facts, order, transactions: [{ ...sent, hash: hashOf(n) }] }
    const running = { ...at, state: 'RUNNING', status: 'RUNNING' as const, facts }
    return follow(running, orderFailed('ORDER_LAPSED'))
  }
  const droppedBy = ({ facts }: Execution) => facts.dropped?.map(({ hash }) => hash)
  const first = once({ ...detected, facts: { routeId: order.routeId } }, 1)
  expect(droppedBy(first)).toEqual([hashOf(1)])
  const second = once(first, 2)
  expect(droppedBy(second)).toEqual([hashOf(1), hashOf(2)])
  expect(droppedBy(once(second, 3))).toEqual([hashOf(1), hashOf(2), hashOf(3)])
})

test('execution: it becomes visible when it gets a status, and that time never changes', () => {
  const pending = follow({ ...detected, state: 'signing order' }, { type: 'order signed', at: 7 })
  expect(detected.createdAt).toBeNull()
  const matched = follow({ ...detected, state: 'matching intent' }, { type: 'intent matched', at: 6 })
  expect([matched.status, matched.createdAt]).toEqual([null, null])
  expect(pending.createdAt).toBe(7)
  expect(follow(pending, { type: 'transaction submitted', at: 9 }).createdAt).toBe(7)
})

test('execution: a repeated failure is written to the history once', () => {
  const running = { ...detected, state: 'RUNNING', status: 'RUNNING' as const, facts: { order } }
  const once = follow(running, failed('RPC_TIMEOUT'))
  const again = follow(once, failed('RPC_TIMEOUT'))
  expect([once, again].map(({ seq }) => seq)).toEqual([2, 2])
  expect(once.history.at(-1)!.note).toBe(failureWith('RPC_TIMEOUT').message)
  expect(follow(again, failed('RPC_FAILED')).seq).toBe(3)
})

test('execution: a long history keeps its newest two hundred entries, and numbering continues', () => {
  let record: Execution = { ...detected, state: 'RUNNING', status: 'RUNNING', facts: { order } }
  for (let n = 0; n < 300; n++) record = follow(record, plain('transaction mined'))
  expect([record.seq, record.history.length, record.history.at(-1)!.seq]).toEqual([301, 200, 301])
})

testAll(Object.keys(executionMachine.states))('execution: every state is either final or has a step', (state) => {
  expect(stepOf({ ...detected, state }) === null).toBe(isTerminal(state))
  if (!isTerminal(state)) return
  const ended = { ...detected, state, status: state, dueAt: null }
  for (const event of [failed('RPC_TIMEOUT'), orderFailed('ORDER_LAPSED'), abandoned, plain('funds delivered')])
    expect(follow(ended, event)).toEqual(ended)
  expect(isPublic(state)).toBe(true)
})

test('transactions of an expired order stay in the record and are shown', () => {
  const running: Execution = {
    ...detected,
    state: 'RUNNING',
    status: 'RUNNING',
    facts: { order, transactions: [sent] },
  }
  const after = follow(running, orderFailed('ORDER_LAPSED'))
  expect(after).toMatchObject({ state: 'FAILED', facts: { dropped: [sent] } })
  expect(after.facts.transactions).toBeUndefined()
  expect(executionView(after, () => null).txHash).toBe(sent.hash)
  expect(transactionsOf(after).filter(({ role }) => role === 'SOURCE')).toMatchObject([
    { txHash: sent.hash, status: 'DROPPED' },
  ])
  const again = { ...after, state: 'PENDING', facts: { ...after.facts, order } }
  expect(executionView(again, () => null).txHash).toBe(sent.hash)
})

test('orders that our stopped contracts refuse spend no retry and end no deposit', () => {
  const running: Execution = {
    ...detected,
    state: 'RUNNING',
    status: 'RUNNING',
    facts: { order, transactions: [sent] },
  }
  const stopped = { ...orderFailed('ORDER_LAPSED'), isStop: true } as ExecutionEvent
  for (const retryCount of [0, retry.retriesMax]) {
    const after = follow({ ...running, retryCount }, stopped)
    expect(after).toMatchObject({ state: 'FAILED', retryCount, dueAt: 2_000, facts: { dropped: [sent] } })
  }
  const last = follow({ ...running, retryCount: retry.retriesMax }, orderFailed('ORDER_LAPSED'))
  expect(last.state).toBe('DEAD_LETTER')
})

test('a token that reverts like our stopped contracts does not spend gas without end', () => {
  const receipt = { hash: sent.hash, block: 8, succeeded: false, at: 5 }
  const refused = { order, transactions: [sent], receipt }
  const stopped = { ...orderFailed('ORDER_LAPSED'), isStop: true } as ExecutionEvent
  let record: Execution = { ...detected, state: 'RUNNING', status: 'RUNNING', facts: refused }
  let orders = 0
  for (; !isTerminal(record.state) && orders < 1_000; orders++) {
    record = follow({ ...record, state: 'RUNNING', facts: { ...record.facts, ...refused } }, stopped)
    if (orders < 60) expect(record).toMatchObject({ state: 'FAILED', retryCount: 0 })
  }
  expect([record.state, orders]).toEqual(['DEAD_LETTER', 60 + retry.retriesMax + 1])
})

test('a transaction that the chain refused stays REVERTED for every outcome of its execution', () => {
  const receipt = { hash: sent.hash, block: 8, succeeded: false, at: 5 }
  const refused = { order, transactions: [sent], receipt }
  const running: Execution = { ...detected, state: 'RUNNING', status: 'RUNNING', facts: refused }
  const lapsed = follow(running, orderFailed('ORDER_LAPSED'))
  expect(lapsed.facts).toEqual({ dropped: [{ ...sent, revertedIn: 8 }] })
  for (const execution of [running, lapsed, follow(running, orderFailed('TRANSACTION_REVERTED'))])
    expect(transactionsOf(execution).filter(({ role }) => role === 'SOURCE')).toMatchObject([
      { txHash: sent.hash, status: 'REVERTED', blockNumber: 8 },
    ])
})

test('only an order that reverted counts as refused, whatever other transactions were dropped', () => {
  const dropped = Array.from({ length: 60 }, (_, n) => ({ ...sent, hash: hashOf(n) }))
  const running: Execution = { ...detected, state: 'RUNNING', status: 'RUNNING', facts: { order, dropped } }
  const stopped = { ...orderFailed('ORDER_LAPSED'), isStop: true } as ExecutionEvent
  expect(follow(running, stopped)).toMatchObject({ state: 'FAILED', retryCount: 0 })
  const reverted = dropped.map((one) => ({ ...one, revertedIn: 8 }))
  const receipt = { hash: sent.hash, block: 8, succeeded: false, at: 5 }
  const refused = { ...running, facts: { order, dropped: reverted, receipt } }
  expect(follow(refused, stopped)).toMatchObject({ state: 'FAILED', retryCount: 1 })
})

test('a deposit priced without fees in the record has nothing left to route', () => {
  const after = follow({ ...detected, state: 'pricing fees' }, { type: 'fees priced', at: 1 })
  expect(after.status).toBe('FAILED_INSUFFICIENT_AFTER_FEES')
})

test('a failed step stores its cause, its facts and the time of the next attempt, retried or not', () => {
  const facts = { laneClearFrom: 4 }
  for (const state of ['finding route', 'RUNNING', 'PENDING'] as const) {
    const after = follow({ ...detected, state }, { ...failed('RPC_TIMEOUT'), facts })
    expect(after).toMatchObject({ dueAt: 2_000, facts, cause: { code: 'RPC_TIMEOUT', at: 1 } })
  }
  const bug = follow({ ...detected, state: 'finding route' }, { ...failed('UNEXPECTED'), facts })
  const stop = { ...orderFailed('ORDER_LAPSED'), isStop: true, facts } as ExecutionEvent
  const stopped = follow({ ...detected, state: 'RUNNING', facts: { order } }, stop)
  expect(stopped).toMatchObject({ state: 'FAILED', facts, cause: { code: 'ORDER_LAPSED', at: 1 } })
  const expired = follow({ ...detected, state: 'PENDING', facts: { order } }, { ...plain('order expired'), facts })
  expect(expired).toMatchObject({ state: 'signing order', facts })
  expect([stopped, bug].map(({ machineVersion }) => machineVersion)).toEqual(['1', '1'])
  expect(bug).toMatchObject({ state: 'finding route', dueAt: 2_000, facts, cause: { code: 'UNEXPECTED', at: 1 } })
})

test('a deposit that fees exhaust stores its fees, and names them as the cause', () => {
  const after = follow({ ...detected, state: 'pricing fees' }, { ...priced('0'), at: 9 })
  expect(after.facts.fees?.amountForSwapRaw).toBe('0')
  expect(after.cause).toEqual({ ...failureWith('FEES_EXCEED_DEPOSIT'), at: 9 })
})
