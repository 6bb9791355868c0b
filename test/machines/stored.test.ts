import { expect, test } from 'bun:test'
import { type ExecutionEvent, executionMachine, follow, stepOf } from '../../machines/execution'
import type { Execution } from '../../src/domain/execution/execution'
import { isTerminal } from '../../src/domain/execution/status'
import { testAll } from '../support/test-all'
import { fees, intent, order, sent, spent } from '../support/world'
import records from './stored-1.json'

// Records as version 1 stored them, one for each state. They never change, because every stored record must be
// continued.
const stored = records as unknown as Execution[]

const onwards: ExecutionEvent[] = [
  { type: 'intent matched', at: 9, facts: { intent } },
  { type: 'deposit screened', at: 9 },
  { type: 'lane taken', at: 9, facts: { laneClearFrom: 0 } },
  { type: 'balance verified', at: 9, facts: { balance: { totalReceivedRaw: '1000', block: 1 } } },
  { type: 'route found', at: 9 },
  { type: 'fees priced', at: 9, facts: { fees } },
  { type: 'order signed', at: 9, facts: { order } },
  { type: 'transaction submitted', at: 9, facts: { transactions: [sent] } },
  { type: 'transaction mined', at: 9, facts: { spent } },
  { type: 'funds delivered', at: 9 },
]

testAll(stored.map((record) => [record.state, record] as const))(
  'stored: a record in any state is carried to its end',
  (state, record) => {
    expect(Object.keys(executionMachine.states)).toContain(state)
    const end = onwards.reduce(follow, record)
    if (isTerminal(state)) expect(end).toEqual(record)
    else expect(end).toMatchObject({ state: 'SUCCESS', status: 'SUCCESS', completedAt: 9, dueAt: null })
    expect(stepOf(end)).toBeNull()
  },
)

const unfinished = stored.filter(({ state }) => !isTerminal(state))

testAll(unfinished.map((record) => [record.state, record] as const))(
  'stored: a record in an unknown older state is carried to its end and keeps its version',
  (_state, record) => {
    const old = { ...record, state: 'a state of version 0', machineVersion: '0' }
    // If an order may be signed, the chain decides its outcome. Otherwise routing starts again. Nothing is signed
    // twice.
    expect(stepOf(old)).toBe(record.facts.order ? 'confirmDelivery' : 'matchIntent')
    const end = onwards.reduce(follow, old)
    expect(end).toMatchObject({
      state: 'SUCCESS',
      machineVersion: executionMachine.version!,
      retryCount: old.retryCount,
    })
    expect(end.history.map(({ event }) => event)).toEqual([
      ...old.history.map(({ event }) => event),
      ...(record.facts.order ? ['transaction mined', 'funds delivered'] : onwards.map(({ type }) => type)),
    ])
  },
)

test('stored: a fact that only another version knows is preserved', () => {
  const [record] = unfinished
  const old = { ...record!, facts: { ...record!.facts, weather: 'fair' } } as Execution
  expect(onwards.reduce(follow, old).facts).toMatchObject({ weather: 'fair' })
})

test('stored: one record of each state of this version is kept permanently', () => {
  expect(new Set(stored.map(({ state }) => state))).toEqual(new Set(Object.keys(executionMachine.states)))
})
