import { expect, test } from 'bun:test'
import { withHistoryEntry } from '../../machines/execution'
import {
  confirmedAtBest,
  confirmingDeadline,
  deadlineOf,
  deliveryExpectedAt,
  enteredAt,
  escalatedAt,
} from '../../src/domain/execution/deadline'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import type { WaitReason } from '../../src/domain/execution/retry'
import { defaultPolicy } from '../../src/domain/execution/route'
import { executionOf } from '../support/deposits'
import { testAll } from '../support/test-all'
import { sent, spent } from '../support/world'

const [minute, hour] = [60_000, 3_600_000]
const [entered, since] = [50 * minute, 7 * minute]

const bug = { code: 'UNEXPECTED', category: null, message: 'why', at: 1 } as const
const moveOf = (event: string, to: string, at: number) => ({ at, event, from: '', to, status: null, note: null })
const inState = (state: string, facts: object = {}, changed: Partial<Execution> = {}, event = 'moved') =>
  withHistoryEntry(
    withHistoryEntry({ ...executionOf(1), state, facts, ...changed }, moveOf('moved', 'before', 1)),
    moveOf(event, state, entered),
  )
/** Its last step met a bug, which no longer matters once it waits. */
const waiting = (reason: string, state = 'finding route') =>
  inState(state, { waiting: { for: reason, since } }, { cause: bug }, 'step failed')
const cctp = { provider: 'cctp', expectedSeconds: 26 }
const left = { spent: { ...spent, at: since } }
const lateAt = since + 40 * minute

const deadlines: [name: string, record: Execution, kind: string | null, since?: number, by?: number][] = [
  ['has ended', inState('SUCCESS', {}, { completedAt: 1 }), null],
  ['waits for an intent', waiting('INTENT'), null],
  ['waits for its lane', waiting('LANE'), 'LANE', since, since + 30 * minute],
  ['is paused', waiting('PAUSE'), 'PAUSE', since, since + 4 * hour],
  ['is paused while PENDING', waiting('PAUSE', 'PENDING'), 'PAUSE', since, since + 4 * hour],
  ['waits for blocks', waiting('BLOCK'), 'BLOCK', since, since + 10 * minute],
  ['waits for a node', waiting('NODE'), 'NODE', since, since + 10 * minute],
  ['waits for gas', waiting('GAS'), 'GAS', since, since + 2 * minute],
  ['waits for a provider', waiting('PROVIDER'), 'PROVIDER', since, since + 30 * minute],
  ['waits for its quota', waiting('QUOTA'), 'QUOTA', since, since + 2 * minute],
  ['waits for a budget', waiting('BUDGET'), 'BUDGET', since, since + 25 * hour],
  ['waits for prices', waiting('WORTH'), 'WORTH', since, since + 2 * minute],
  ['waits for the signer', waiting('SIGNER'), 'SIGNER', since, since + 2 * minute],
  ['waits for a token', waiting('TOKEN'), 'TOKEN', since, since + 4 * hour],
  ['is PENDING', inState('PENDING'), 'PENDING', entered, entered + 2 * minute],
  ['waits for gas while PENDING', waiting('GAS', 'PENDING'), 'PENDING', entered, entered + 2 * minute],
  ['is RUNNING', inState('RUNNING'), 'SUBMITTED', entered, entered + 10 * minute],
  ['waits for gas while RUNNING', waiting('GAS', 'RUNNING'), 'SUBMITTED', entered, entered + 10 * minute],
  ['waits for a node while RUNNING', waiting('NODE', 'RUNNING'), 'NODE', entered, entered + 10 * minute],
  ['has left', inState('RUNNING', left), 'DELIVERY', since, lateAt],
  ['is burned', inState('RUNNING', { ...left, route: cctp }), 'ATTESTATION', since, lateAt],
  ['is attested', inState('RUNNING', { ...left, route: cctp, mint: {} }), 'MINT', since, lateAt],
  ['has failed', inState('FAILED', {}, { dueAt: 3 }), 'RETRY', 3, 3 + 2 * minute],
  ['has failed without a retry', inState('FAILED', {}, { dueAt: null }), 'RETRY', entered, entered + 2 * minute],
  ['is routed', inState('finding route'), 'ROUTING', entered, entered + 2 * minute],
  ['met a bug', inState('FAILED', {}, { cause: bug }, 'step failed'), 'BUG', entered, entered],
  ['moved after a bug', inState('finding route', {}, { cause: bug }), 'ROUTING', entered, entered + 2 * minute],
  [
    'failed otherwise',
    inState('FAILED', {}, { cause: { ...bug, code: 'PROVIDER_TIMEOUT' }, dueAt: 3 }, 'step failed'),
    'RETRY',
    3,
    3 + 2 * minute,
  ],
]

testAll(deadlines)('operators are alerted to an execution that does not move', (_name, record, kind, from, by) => {
  expect(deadlineOf(record)).toEqual(kind === null ? null : ({ kind, since: from!, by: by! } as never))
})

// Columns: how each order ends; what the execution waits for in between; then the kind, and when it is late.
testAll<['order expired' | 'order failed', WaitReason | null, string, number]>([
  ['order expired', null, 'PENDING', 2 * minute],
  ['order expired', 'GAS', 'PENDING', 2 * minute],
  ['order expired', 'PAUSE', 'PAUSE', 4 * hour],
  ['order failed', null, 'SUBMITTED', 10 * minute],
  ['order failed', 'NODE', 'SUBMITTED', 10 * minute],
  ['order failed', 'TOKEN', 'SUBMITTED', 4 * hour],
])('orders that come to nothing are one wait from the first of them', (end, reason, kind, limit) => {
  const dropped = end === 'order failed' ? { dropped: [sent] } : {}
  let record: Execution = { ...executionOf(1), facts: {} }
  const missed: unknown[] = []
  const move = (event: string, state: string, at: number, facts: object = {}) => {
    record = withHistoryEntry({ ...record, state, facts: facts as Facts, dueAt: at }, moveOf(event, state, at))
    const deadline = deadlineOf(record)!
    if (at > limit && !(deadline.kind === kind && deadline.by <= limit)) missed.push([event, at, deadline])
  }
  for (let at = 0; at < limit + hour / 2; at += limit / 3) {
    move('order signed', 'PENDING', at, at === 0 ? {} : dropped)
    move(end, end === 'order failed' ? 'FAILED' : 'signing order', at + 1_000, dropped)
    if (reason)
      move(reason === 'PAUSE' ? 'paused' : 'waits', record.state, at + 2_000, {
        ...dropped,
        waiting: { for: reason, since: at + 2_000 },
      })
  }
  expect([missed, deadlineOf(record)]).toEqual([[], { kind, since: 0, by: limit } as never])
  // Money that has left is on its way, whatever happened before.
  expect(deadlineOf({ ...record, state: 'RUNNING', facts: { ...left, ...dropped } as never })?.kind).toBe('DELIVERY')
})

test('an order that expires in the queue and its successor, which is sent, are late as a transaction', () => {
  let record: Execution = { ...executionOf(1), facts: {} }
  const move = (event: string, state: string, at: number) => {
    record = withHistoryEntry({ ...record, state }, moveOf(event, state, at))
    return deadlineOf(record)
  }
  move('order signed', 'PENDING', 0)
  move('order expired', 'signing order', minute)
  expect(move('order signed', 'PENDING', minute)).toEqual({ kind: 'PENDING', since: 0, by: 2 * minute })
  const sentAt = minute + 1_000
  expect(move('transaction submitted', 'RUNNING', sentAt)).toEqual({ kind: 'SUBMITTED', since: 0, by: 10 * minute })
})

test('orders that come to nothing after a pause are counted from its end, with their own limit', () => {
  let record: Execution = { ...executionOf(1), facts: {} }
  const move = (event: string, state: string, at: number, facts: object = {}) => {
    record = withHistoryEntry({ ...record, state, facts: facts as Facts, dueAt: at }, moveOf(event, state, at))
    return deadlineOf(record)
  }
  move('order signed', 'PENDING', 0)
  move('order failed', 'FAILED', minute, { dropped: [sent] })
  move('paused', 'finding route', 2 * minute, { dropped: [sent], waiting: { for: 'PAUSE', since: 2 * minute } })
  move('resumed', 'finding route', 3 * minute, { dropped: [sent] })
  move('order signed', 'PENDING', 4 * minute, { dropped: [sent] })
  const late = { kind: 'SUBMITTED', since: 4 * minute, by: 14 * minute } as const
  expect(move('order failed', 'FAILED', 13 * minute, { dropped: [sent, sent] })).toEqual(late)
  move('order signed', 'PENDING', 15 * minute, { dropped: [sent, sent] })
  expect(move('order failed', 'FAILED', 24 * minute, { dropped: [sent, sent, sent] })).toEqual(late)
})

const submitted = { transactions: [5, 90_000].map((at) => ({ ...sent, at })) }
const long = { route: { expectedSeconds: 3_000 } }
const deliveries: [name: string, facts: object, expectedAt: number | null, escalated: number | null][] = [
  ['nothing was sent', long, null, null],
  ['its transaction is not mined', { ...submitted, ...long }, null, 5 + 40 * minute],
  ['no duration is known', left, since, since + 40 * minute],
  ['it left after its first transaction', { ...left, ...submitted }, since, 5 + 40 * minute],
  ['the route is long', { ...left, ...long }, since + 50 * minute, since + 60 * minute],
  ['the provider is late', { ...left, ...long, delay: { expectedSeconds: 3_600 } }, since + hour, since + 70 * minute],
  ['it hurries', { ...left, ...long, delay: { expectedSeconds: 9 } }, since + 50 * minute, since + 60 * minute],
  [
    'the organization allows a minute',
    { ...left, policy: { ...defaultPolicy, maxDurationSeconds: 60 } },
    since,
    since + 11 * minute,
  ],
]

testAll(deliveries)(
  'a delivery is late ten minutes after the longest allowed duration, and never before its estimate',
  (_name, facts, expectedAt, escalated) => {
    const record = { facts: facts as Facts }
    expect([deliveryExpectedAt(record), escalatedAt(record)]).toEqual([expectedAt, escalated])
  },
)

test('a state begins with its first entry, however often it repeats, and a new record when it is due', () => {
  const moved = (...entries: [to: string, at: number][]) => {
    let record = executionOf(1, { dueAt: 99 })
    for (const [to, at] of entries) record = withHistoryEntry({ ...record, state: to }, moveOf('moved', to, at))
    return record
  }
  expect(enteredAt(moved(['a', 10], ['b', 20], ['b', 30]))).toBe(20)
  expect(enteredAt(moved(['b', 10], ['a', 20], ['b', 30], ['b', 40]))).toBe(30)
  const begun = (dueAt: number | null) => enteredAt(executionOf(1, { dueAt }, { detectedAt: 5 }))
  expect([3, 9, null].map(begun)).toEqual([5, 9, 5])
  expect(enteredAt(executionOf(1, { dueAt: null }))).toBe(0)
  // A release can rename a state.
  expect(enteredAt({ ...moved(['a', 10], ['b', 20]), state: 'renamed' })).toBe(20)
})

test('a transfer is late ten minutes after its blocks should be there', () => {
  expect([confirmedAtBest(8453, 500, 10), confirmedAtBest(42161, 500, 3)]).toEqual([20_500, 1_250])
  expect(confirmingDeadline(8453, 500, 10)).toEqual({ kind: 'CONFIRMING', since: 500, by: 620_500 })
})
