import { expect, test } from 'bun:test'
import { lastValueFrom, take } from 'rxjs'
import type { Execution } from '../../src/domain/execution/execution'
import { readWake } from '../../src/domain/wake-messages'
import { advance, leaseMs } from '../../src/routing/engine/advance'
import {
  directAfterMs,
  undeliveredAfterMs,
  wakeNowOrMakeDue,
  wakesWithFallback,
} from '../../src/routing/engine/wake-ups'
import { executionsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { detected, intent, order, world } from '../support/world'

const dueAt = 1_000
const due = { id: detected.id, version: 1, dueAt, bucket: detected.bucket }

function fallbackWorld(count = 1) {
  const executions = executionsInMemory({ ...detected, version: 1, dueAt })
  const state = {
    now: dueAt + directAfterMs,
    isDelivering: false,
    inHand: [] as string[],
    hasCapacity: true,
    fullAt: 0,
  }
  const [sent, taken]: [string[], string[]] = [[], []]
  const fallbacks = Array.from({ length: count }, () => {
    const fallback = wakesWithFallback({
      executions,
      wakes: {
        wake: async ({ id }) => void sent.push(id),
        wakeNow: async ({ id }) => void sent.push(`now ${id}`),
        isDelivering: () => state.isDelivering,
      },
      now: () => state.now,
      isInHand: (id) => state.inHand.includes(id),
      hasCapacity: () => state.hasCapacity,
      fullAt: () => state.fullAt,
    })
    fallback.direct.subscribe(({ data }) => taken.push(readWake(data)!.id))
    return fallback
  })
  return { state, sent, taken, fallbacks, fallback: fallbacks[0]!, stored: () => executions.get(due.id) as Execution }
}

test('messages of NATS wake workers without a write while NATS delivers', async () => {
  const { fallback, state, sent, taken, stored } = fallbackWorld()
  state.isDelivering = true
  await fallback.wake({ ...due, version: 2 })
  await fallback.wakeNow(due)
  expect([sent, taken, stored().version]).toEqual([[due.id, `now ${due.id}`], [], 1])
})

test('a sweep wakes a new execution only after two seconds, because its creator has just woken a worker', async () => {
  const { fallback, state, sent } = fallbackWorld()
  state.isDelivering = true
  for (const [overdueMs, count] of [
    [1_999, 0],
    [2_000, 1],
  ] as const) {
    state.now = dueAt + overdueMs
    await fallback.wake(due)
    expect(sent).toHaveLength(count)
  }
})

test('a worker without capacity wakes no execution by its sweep, because each worker with capacity sweeps', async () => {
  const { fallbacks, state, sent } = fallbackWorld(2)
  Object.assign(state, { isDelivering: true, hasCapacity: false, now: dueAt + 5_000 })
  await fallbacks[0]!.wake(due)
  state.hasCapacity = true
  await fallbacks[1]!.wake(due)
  expect(sent).toEqual([due.id])
})

test('due executions are leased and run in this process while NATS delivers nothing', async () => {
  const { fallback, sent, taken, stored, state } = fallbackWorld()
  await fallback.wake(due)
  expect([sent, taken]).toEqual([[], [due.id]])
  expect(stored()).toMatchObject({ version: 2, dueAt: state.now + leaseMs })
})

test('an execution due for a minute is taken by a worker with capacity even if NATS reports delivery', async () => {
  const { fallback, state, sent, taken } = fallbackWorld()
  state.isDelivering = true
  state.now = dueAt + undeliveredAfterMs - 1
  await fallback.wake(due)
  state.now += 1
  state.hasCapacity = false
  await fallback.wake(due)
  expect([sent, taken]).toEqual([[due.id], []])
  state.hasCapacity = true
  await fallback.wake(due)
  expect([sent, taken]).toEqual([[due.id], [due.id]])
})

test('a worker repeats a wake-up only after it had capacity for a second, because messages wait for capacity', async () => {
  const { fallback, state, sent } = fallbackWorld()
  Object.assign(state, { isDelivering: true, now: dueAt + 5_000, fullAt: dueAt + 4_001 })
  await fallback.wake(due)
  await fallback.wake({ ...due, version: 2, dueAt: state.now }) // was never sent before
  expect(sent).toHaveLength(1)
  state.now += 1
  await fallback.wake(due)
  expect(sent).toHaveLength(2)
  Object.assign(state, { now: dueAt + 30_000, fullAt: dueAt + 30_000 })
  await fallback.wake(due)
  expect(sent).toHaveLength(3)
})

test('only one of ten workers takes a due execution', async () => {
  const { fallbacks, taken, stored } = fallbackWorld(10)
  await Promise.all(fallbacks.map((fallback) => fallback.wake(due)))
  await Promise.all(fallbacks.map((fallback) => fallback.wake(due)))
  expect(taken).toEqual([due.id])
  expect(stored().version).toBe(2)
})

test('an execution woken before the messages stopped is left alone for a second', async () => {
  const { fallback, state, taken } = fallbackWorld()
  state.now = dueAt + directAfterMs - 1
  await fallback.wake(due)
  expect(taken).toEqual([])
  state.now += 1
  await fallback.wake(due)
  expect(taken).toEqual([due.id])
})

test('a worker without free capacity leaves due executions to others', async () => {
  const { fallback, state, taken, stored } = fallbackWorld()
  state.hasCapacity = false
  await fallback.wake(due)
  await fallback.wakeNow(due)
  expect([taken, stored().version]).toEqual([[], 1])
  state.now = dueAt - 500
  await fallback.wakeNow(due) // without capacity here, the execution becomes due for a worker that has some
  expect([taken, stored()]).toMatchObject([[], { version: 2, dueAt: state.now }])
})

test('an execution that its worker stored as due runs there, without a read or a message', async () => {
  const { fallback, state, sent, taken, stored } = fallbackWorld()
  state.isDelivering = true
  const records: unknown[] = []
  fallback.direct.subscribe(({ record }) => records.push(record))
  const record: Execution = { ...stored(), state: 'RUNNING' }
  await fallback.again(record, true)
  expect([sent, taken, records]).toEqual([[], [due.id], [record]])
  state.hasCapacity = false
  await fallback.again(record, true) // another worker may have capacity
  expect([sent, taken]).toEqual([[`now ${due.id}`], [due.id]])
  expect(stored().version).toBe(1)
})

testAll(['taking lane', 'signing order', 'PENDING'])(
  'no order is signed after an operator’s dead letter, whatever state a worker has cached',
  async (state) => {
    // An order that expired unsent is signed again in the same run.
    const submitOrder = async () => ({ type: 'order expired' }) as const
    const living = world({ submitOrder }, { state, facts: { order, intent, routeId: order.routeId } } as never)
    const { executions, ran } = living
    const remembered = (await executions.save({ ...living.execution(), dueAt: 0 }))!
    await executions.save({ ...remembered, state: 'DEAD_LETTER', status: 'DEAD_LETTER', completedAt: 5, dueAt: null })
    const { direct, again } = wakesWithFallback({
      executions,
      wakes: { wake: async () => {}, wakeNow: async () => {}, isDelivering: () => true },
      now: living.now,
      isInHand: () => false,
      hasCapacity: () => true,
      fullAt: () => 0,
    })
    const looks: Promise<unknown>[] = []
    direct.subscribe(({ record = null }) =>
      looks.push(lastValueFrom(advance(remembered.id, true, living, record).pipe(take(12)), { defaultValue: null })),
    )
    await again(remembered, true)
    await Promise.all(looks)
    expect([looks.length, ran]).toEqual([1, []])
  },
)

test('no sweep in this process wakes an execution that its worker is running', async () => {
  const { fallback, state, sent, taken } = fallbackWorld()
  state.isDelivering = true
  state.inHand = [due.id]
  await fallback.wake(due)
  state.isDelivering = false
  await fallback.wake(due)
  expect([sent, taken]).toEqual([[], []])
})

test('a process without a worker wakes by a message while NATS delivers, and otherwise makes the record due', async () => {
  const executions = executionsInMemory({ ...detected, version: 1, dueAt })
  const sent: string[] = []
  const state = { now: 1, isDelivering: true }
  const wakes = {
    wakeNow: async ({ id }: { id: string }) => void sent.push(id),
    isDelivering: () => state.isDelivering,
  }
  const wakeNow = wakeNowOrMakeDue({ executions, wakes, now: () => state.now })
  await wakeNow(due)
  expect([sent, executions.get(due.id)]).toMatchObject([[due.id], { version: 1, dueAt }])
  state.isDelivering = false
  await wakeNow(due)
  expect([sent, executions.get(due.id)]).toMatchObject([[due.id], { version: 2, dueAt: 1 }])
  state.now = 5
  await wakeNow(due) // it is already due
  await wakeNow({ ...due, id: 'nobody' })
  expect(executions.get(due.id)).toMatchObject({ version: 2, dueAt: 1 })
})

test('an execution that this worker already runs is not taken again, and an immediate wake-up is handled afterwards', async () => {
  const { fallback, state, taken, stored } = fallbackWorld()
  state.inHand = [due.id]
  await fallback.wake(due)
  expect(taken).toEqual([])
  await fallback.wakeNow(due)
  expect([taken, stored().version]).toEqual([[due.id], 1])
})

test('an immediate wake-up takes an execution before it is due, but not an ended one', async () => {
  const { fallback, state, taken } = fallbackWorld()
  state.now = dueAt - 500
  await fallback.wakeNow(due)
  expect(taken).toEqual([due.id])
  await fallback.wake({ ...due, id: 'nobody' })
  expect(taken).toEqual([due.id])
})
