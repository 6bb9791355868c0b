import { expect, test } from 'bun:test'
import { withHistoryEntry } from '../../machines/execution'
import { errorRow } from '../../src/domain/error'
import type { Execution, HistoryEntry } from '../../src/domain/execution/execution'
import { draftsOfExecution, draftsOfSighting } from '../../src/events/deposit-events'
import { eventId } from '../../src/events/event-id'
import { isoTime } from '../../src/http/views/scalar'
import { addressOf, executionOf, hashOf, sightingOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const context = {
  findToken: () => null,
  confirmationsRequired: () => 3,
  scannedBlock: () => 1,
  now: 100,
  isPlatform: false,
}

type Entry = Pick<HistoryEntry, 'event' | 'to' | 'status'> & Partial<HistoryEntry>
/** Adds an entry, and changes the record as the machine would with it. */
const after = (record: Execution, entry: Entry, changed: Partial<Execution> = {}): Execution => {
  const { to: state, status } = entry
  const whole = { at: 10, from: record.state, note: null, ...entry }
  return withHistoryEntry({ ...record, state, status, ...changed }, whole)
}
const entry = (event: string, from: string, to: string, status: Execution['status'] = null) => ({
  ...{ event, from, to, status },
})

testAll<[type: string, entries: ReturnType<typeof entry>[]]>([
  ['deposit.waiting_for_intent', [entry('intent missing', 'matching intent', 'matching intent')]],
  ['deposit.queued', [entry('lane occupied', 'taking lane', 'taking lane')]],
  ['deposit.paused', [entry('paused', 'taking lane', 'taking lane')]],
  ['deposit.confirmed', [entry('balance verified', 'verifying balance', 'finding route')]],
  ['execution.moved', [entry('lane taken', 'taking lane', 'verifying balance')]],
  ['execution.pending', [entry('order signed', 'signing order', 'PENDING', 'PENDING')]],
])('an entry of a deposit, or a new status, has its own type', (type, entries) => {
  const record = entries.reduce<Execution>((so, each) => after(so, each), executionOf(1))
  expect(draftsOfExecution(record).map((draft) => draft.type)).toEqual(['deposit.detected', type])
})

test('with a status, only a new status, a failed attempt and a successor have their own types', () => {
  const failed = after(executionOf(1), entry('order failed', 'RUNNING', 'FAILED', 'FAILED'))
  const typeOf = (...each: Parameters<typeof entry>) => draftsOfExecution(after(failed, entry(...each))).at(-1)!.type
  expect(draftsOfExecution(failed).at(-1)!.type).toBe('execution.failed')
  expect(typeOf('order failed', 'RUNNING', 'FAILED', 'FAILED')).toBe('execution.failed')
  expect(typeOf('step failed', 'taking lane', 'taking lane', 'FAILED')).toBe('execution.moved')
  for (const event of ['lane occupied', 'paused', 'balance outdated'])
    expect([event, typeOf(event, 'FAILED', 'FAILED', 'FAILED')]).toEqual([event, 'execution.moved'])
  for (const event of ['re-driven', 'funds returned', 'taken along']) {
    expect([event, typeOf(event, 'FAILED', 'FAILED', 'FAILED')]).toEqual([event, 'execution.superseded'])
    expect([event, typeOf(event, 'RUNNING', 'FAILED', 'FAILED')]).toEqual([event, 'execution.moved'])
  }
})

test('an event has the id of its time, record and position, and a refund another than the detection', () => {
  const record = after(executionOf(1), entry('lane taken', 'taking lane', 'verifying balance'))
  const whose = { organizationId: 'org_1', userId: 'user-1', dataId: record.id }
  expect(draftsOfExecution(record)).toMatchObject([
    { id: eventId(0, record.id, 1), at: 0, seq: 1, type: 'deposit.detected', ...whose },
    { id: eventId(10, record.id, 2), at: 10, seq: 2, type: 'execution.moved', ...whose },
  ])
  const [returned, next] = draftsOfExecution({ ...record, refundOf: 'exe' })
  expect(returned).toMatchObject({ id: eventId(0, `${record.id} returned`, 1), type: 'deposit.returned' })
  expect(next!.id).toBe(eventId(10, record.id, 2))
  const earlier = { ...record, history: record.history.map((each) => ({ ...each, storedAt: each.at + 5 })) }
  expect(draftsOfExecution(earlier).map(({ id, at }) => [id, at])).toEqual([
    [eventId(5, record.id, 1), 0],
    [eventId(15, record.id, 2), 10],
  ])
})

test('an event without its own type shows its entry and nothing else of the deposit', () => {
  const record = after(executionOf(1), entry('lane taken', 'taking lane', 'verifying balance'))
  const { id, render } = draftsOfExecution(record)[1]!
  const moved = { event: 'lane taken', from: 'taking lane', to: 'verifying balance' }
  expect(render(context)).toEqual({
    ...{ id, type: 'execution.moved', timestamp: isoTime(10), seq: 2, transition: moved },
    data: { id: record.id, userId: 'user-1', ...moved, status: null },
  } as never)
})

const intent = {
  ...{ version: 1, apiKeyId: 'key_1', targetChainId: 42161, targetTokenAddress: addressOf(7) },
  ...{ targetAddress: addressOf(8), protocolFeeBps: 50, sponsoredGas: false, refundAddress: null },
} as const
const fees = { protocolFeeEffective: '5', gasFeeRaw: '6' }
const sent = (n: number, at: number) => ({ hash: hashOf(n), nonce: n, sender: 'r', at })

/** The records of a delivered deposit, as each was stored with its entry. */
function lives(): Execution[] {
  const all = [executionOf(1)]
  const live = (at: number, each: Entry, { facts, ...changed }: Partial<Execution> = {}) => {
    const before = all.at(-1)!
    all.push(after(before, { at, ...each }, { dueAt: at, ...changed, facts: { ...before.facts, ...facts } }))
  }
  const { category, message } = errorRow('PROVIDER_TIMEOUT')
  const cause = { code: 'PROVIDER_TIMEOUT', category, message, at: 20 } as const
  live(5, { event: 'intent matched', to: 'taking lane', status: null }, { facts: { intent, routeId: '0x1' } as never })
  live(10, { event: 'balance verified', to: 'finding route', status: null })
  live(20, { event: 'step failed', to: 'finding route', status: 'FAILED', note: message }, { cause, createdAt: 20 })
  const route = { provider: 'lifi', kind: 'LOCAL', quotedAt: 30, amountOutExpected: '90', amountOutMin: '80' }
  live(30, { event: 'order signed', to: 'PENDING', status: 'PENDING' }, { facts: { route, fees } as never })
  const submitted = { transactions: [sent(11, 35)] } as never
  live(40, { event: 'transaction submitted', to: 'RUNNING', status: 'RUNNING' }, { facts: submitted })
  const lapsed = { dropped: [sent(11, 35)], transactions: undefined } as never
  live(50, { event: 'order expired', to: 'finding route', status: 'PENDING' }, { facts: lapsed })
  const left = { hash: hashOf(12), block: 9, amountRaw: '1000', at: 60, valueUsd: '100000000' }
  const departed = { transactions: [sent(12, 55)], spent: left } as never
  live(60, { event: 'transaction mined', to: 'RUNNING', status: 'RUNNING' }, { facts: departed })
  const delivery = { hash: hashOf(13), chainId: 42161, token: intent.targetTokenAddress, amountRaw: '88', block: 4 }
  const delivered = { facts: { delivery } as never, completedAt: 70, dueAt: null }
  live(70, { event: 'funds delivered', to: 'SUCCESS', status: 'SUCCESS' }, delivered)
  return all
}

test('an event that is rendered late shows the deposit as it was then', () => {
  const all = lives()
  const shown = (record: Execution, n: number) => draftsOfExecution(record)[n]!.render(context)
  const late = all.map((_, n) => shown(all.at(-1)!, n))
  expect(late).toEqual(all.map((record, n) => shown(record, n)))
  const told = late.map(({ data }) => data as Record<string, unknown>)
  expect(told.map(({ txHash = null }) => txHash)).toEqual(
    [null, null, null, null, null, 11, 11, 12, 12].map((n) => n && hashOf(n)),
  )
  expect(told.map(({ volumeUsd }) => volumeUsd)).toEqual([
    ...[undefined, undefined, undefined, null, null, null, null, '1.00', '1.00'],
  ])
  expect(told.map(({ protocolFee }) => protocolFee).slice(6)).toEqual([null, '5', '5'])
  expect(told.map(({ destinationTxHash = null }) => destinationTxHash).slice(7)).toEqual([null, hashOf(13)])
  expect(told.map(({ toChainId }) => toChainId).slice(0, 3)).toEqual([null, undefined, 42161])
})

test('an event shows the intent of a re-drive, and of a history whose beginning is no longer held', () => {
  const matched = lives()[2]!
  const targetOf = (record: Execution) =>
    (draftsOfExecution(record)[0]!.render(context).data as { toChainId: number | null }).toChainId
  expect(targetOf(matched)).toBe(null)
  expect(targetOf({ ...matched, redriveOf: 'exe' })).toBe(42161)
  expect(targetOf({ ...matched, history: matched.history.map((each) => ({ ...each, seq: each.seq + 1 })) })).toBe(42161)
})

test('only the last event shows when the record is due, and a deposit was shown from its first status on', () => {
  const failed = { ...lives()[3]!, dueAt: 500 }
  const retryOf = (record: Execution) => {
    const { next } = draftsOfExecution(record)[3]!.render(context).data as { next: { expectedAt: string } }
    return next.expectedAt
  }
  expect(retryOf(failed)).toBe(isoTime(500))
  expect(retryOf(after(failed, { event: 'paused', to: failed.state, status: 'FAILED' }))).toBe(isoTime(20))
})

test('an older failure has the cause that its note names, and a note of another kind names none', () => {
  const { category, message } = errorRow('PROVIDER_TIMEOUT')
  const at = { to: 'FAILED', status: 'FAILED', event: 'order failed' } as const
  const causesOf = (note: string) => {
    const first = after(executionOf(1, { facts: { intent } as never }), { ...at, at: 20, note })
    const cause = { code: 'PROVIDER_FAILED', category: 'PROVIDER_5XX', message: 'later', at: 30 } as const
    const both = after(first, { ...at, at: 30 }, { cause })
    return draftsOfExecution(both).map(({ render }) => (render(context).data as { cause?: unknown }).cause)
  }
  const known = { code: 'PROVIDER_TIMEOUT', category, message, at: isoTime(20) }
  const last = { code: 'PROVIDER_FAILED', category: 'PROVIDER_5XX', message: 'later', at: isoTime(30) }
  expect(causesOf(message)).toEqual([undefined, known, last])
  expect(causesOf('words of an operator')).toEqual([undefined, null, last])
})

test('an event does not show the successor that a later entry names', () => {
  const ended = after(
    executionOf(1, { facts: { intent } as never }),
    { at: 20, event: 'order failed', to: 'DEAD_LETTER', status: 'DEAD_LETTER' },
    { completedAt: 20, dueAt: null },
  )
  const redriven = after(
    ended,
    { at: 30, event: 're-driven', to: 'DEAD_LETTER', status: 'DEAD_LETTER' },
    { redrivenBy: 'exe_2' },
  )
  const nexts = draftsOfExecution(redriven).map(({ render }) => {
    const { next } = render(context).data as { next: { executionId?: string | null } }
    return next.executionId ?? null
  })
  expect(nexts).toEqual([null, null, 'exe_2'])
})

test('a sighting was detected, and each dropped block is an event with the transfer as it was then', () => {
  const sighting = sightingOf(1, { detectedAt: 5, updatedAt: 9, stage: 'CONFIRMING', orphanedAt: [7, 8] })
  const all = draftsOfSighting(sighting)
  const [id, of] = [sighting.id, { organizationId: 'org_1', userId: 'user-1', dataId: sighting.id }]
  expect(all).toMatchObject([
    { id: eventId(5, id, 1), at: 5, seq: 1, type: 'deposit.detected', ...of },
    { id: eventId(7, id, 2), at: 7, seq: 2, type: 'deposit.orphaned', ...of },
    { id: eventId(8, id, 2), at: 8, seq: 2, type: 'deposit.orphaned', ...of },
  ])
  const [seen, dropped] = all.map(({ render }) => render(context))
  const head = { transition: null, timestamp: isoTime(5), seq: 1, type: 'deposit.detected' }
  const at = { createdAt: isoTime(5), executionId: null }
  expect(seen).toMatchObject({ ...head, data: { stage: 'CONFIRMING', seq: 1, updatedAt: isoTime(5), ...at } })
  expect(dropped).toMatchObject({ seq: 2, timestamp: isoTime(7) })
  expect(dropped!.data).toMatchObject({ stage: 'ORPHANED', confirmations: 0, seq: 2, updatedAt: isoTime(7), ...at })
})

test('a sighting of an earlier release was dropped when it last changed, if it still is', () => {
  const timesOf = (stage: 'CONFIRMED' | 'ORPHANED') =>
    draftsOfSighting(sightingOf(1, { detectedAt: 5, updatedAt: 9, stage })).map(({ at }) => at)
  expect([timesOf('ORPHANED'), timesOf('CONFIRMED')]).toEqual([[5, 9], [5]])
})
