import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { calledBy } from '../../src/domain/wake-texts'
import { leaseMs } from '../../src/routing/engine/advance'
import { newsOrDue } from '../../src/routing/engine/due-now'
import { directAfterMs, sureWakes } from '../../src/routing/engine/sure-wakes'
import { executionsInMemory } from '../support/records'
import { detected } from '../support/world'

const dueAt = 1_000
const due = { id: detected.id, version: 1, dueAt, bucket: detected.bucket }

function bells(count = 1) {
  const executions = executionsInMemory({ ...detected, version: 1, dueAt })
  const state = { now: dueAt + directAfterMs, isHeard: false, inHand: [] as string[], hasPlace: true }
  const [rung, taken]: [string[], string[]] = [[], []]
  const made = Array.from({ length: count }, () => {
    const sure = sureWakes({
      executions,
      wakes: {
        wake: async ({ id }) => void rung.push(id),
        wakeNow: async ({ id }) => void rung.push(`news ${id}`),
        isHeard: () => state.isHeard,
      },
      now: () => state.now,
      isInHand: (id) => state.inHand.includes(id),
      hasPlace: () => state.hasPlace,
    })
    sure.direct.subscribe(({ data }) => taken.push(calledBy(data)!.id))
    return sure
  })
  return { state, rung, taken, sures: made, sure: made[0]!, stored: () => executions.get(due.id) as Execution }
}

test('while NATS delivers messages they wake workers, and nothing is written', async () => {
  const { sure, state, rung, taken, stored } = bells()
  state.isHeard = true
  await sure.wake(due)
  await sure.wakeNow(due)
  expect([rung, taken, stored().version]).toEqual([[due.id, `news ${due.id}`], [], 1])
})

test('while NATS delivers none, due executions are leased and run in this process', async () => {
  const { sure, rung, taken, stored, state } = bells()
  await sure.wake(due)
  expect([rung, taken]).toEqual([[], [due.id]])
  expect(stored()).toMatchObject({ version: 2, dueAt: state.now + leaseMs })
})

test('of ten workers that see the same execution due, one takes it', async () => {
  const { sures, taken, stored } = bells(10)
  await Promise.all(sures.map((sure) => sure.wake(due)))
  await Promise.all(sures.map((sure) => sure.wake(due)))
  expect(taken).toEqual([due.id])
  expect(stored().version).toBe(2)
})

test('an execution woken before the messages stopped is left alone for a second', async () => {
  const { sure, state, taken } = bells()
  state.now = dueAt + directAfterMs - 1
  await sure.wake(due)
  expect(taken).toEqual([])
  state.now += 1
  await sure.wake(due)
  expect(taken).toEqual([due.id])
})

test('a worker without a free place leaves due executions to others', async () => {
  const { sure, state, taken, stored } = bells()
  state.hasPlace = false
  await sure.wake(due)
  await sure.wakeNow(due)
  expect([taken, stored().version]).toEqual([[], 1])
  state.now = dueAt - 500
  await sure.wakeNow(due) // news that it cannot look at makes it due, for whoever has a place
  expect([taken, stored()]).toMatchObject([[], { version: 2, dueAt: state.now }])
})

test('news from a process without a worker is a message while NATS delivers, and otherwise makes the record due', async () => {
  const executions = executionsInMemory({ ...detected, version: 1, dueAt })
  const rung: string[] = []
  const state = { now: 1, isHeard: true }
  const wakes = { wakeNow: async ({ id }: { id: string }) => void rung.push(id), isHeard: () => state.isHeard }
  const tell = newsOrDue({ executions, wakes, now: () => state.now })
  await tell(due)
  expect([rung, executions.get(due.id)]).toMatchObject([[due.id], { version: 1, dueAt }])
  state.isHeard = false
  await tell(due)
  expect([rung, executions.get(due.id)]).toMatchObject([[due.id], { version: 2, dueAt: 1 }])
  state.now = 5
  await tell(due) // it is due already
  await tell({ ...due, id: 'nobody' })
  expect(executions.get(due.id)).toMatchObject({ version: 2, dueAt: 1 })
})

test('an execution that this worker already runs is not taken again, and its news is handled afterwards', async () => {
  const { sure, state, taken, stored } = bells()
  state.inHand = [due.id]
  await sure.wake(due)
  expect(taken).toEqual([])
  await sure.wakeNow(due)
  expect([taken, stored().version]).toEqual([[due.id], 1])
})

test('an execution with news is taken before it is due, and one that has ended is not', async () => {
  const { sure, state, taken } = bells()
  state.now = dueAt - 500
  await sure.wakeNow(due)
  expect(taken).toEqual([due.id])
  await sure.wake({ ...due, id: 'nobody' })
  expect(taken).toEqual([due.id])
})
