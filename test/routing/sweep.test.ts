import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../../src/domain/unavailable'
import { pacedSweep, sweep } from '../../src/routing/engine/wake-ups'
import { executionsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { detected } from '../support/world'

const unexpected = (error: unknown) => {
  throw error
}

test('sweep: stuck executions do not hide later ones', async () => {
  const stuck = Array.from({ length: 700 }, (_, n) => ({ ...detected, id: `8453:stuck:${n}`, dueAt: n }))
  const due = { ...detected, dueAt: 800 }
  const executions = executionsInMemory(...stuck, due, { ...detected, id: '8453:later:0', dueAt: 999 })
  const woken: string[] = []
  const wake = async ({ id }: { id: string }) => void woken.push(id)
  const ports = { executions, wake, now: () => 900, onRefused: unexpected }

  const after = await sweep(ports, -1)
  expect(await sweep(ports, after)).toBe(-1)

  expect(woken).toHaveLength(701)
  expect(woken.at(-1)).toBe(detected.id)
})

test('sweep: stuck executions do not hide those due at the same moment', async () => {
  const due = Array.from({ length: 1_201 }, (_, n) => ({ ...detected, id: `8453:due:${n}`, dueAt: n < 3 ? 4 : 5 }))
  const executions = executionsInMemory(...due)
  const woken: string[] = []
  const ports = {
    executions,
    wake: async ({ id }: { id: string }) => void woken.push(id),
    now: () => 10,
    onRefused: unexpected,
  }
  let after = -1
  do after = await sweep(ports, after)
  while (after !== -1)
  expect(woken).toHaveLength(1_201)
  expect(new Set(woken).size).toBe(1_201)
})

test('sweep: an execution whose wake-up throws is reported and hides none of those after it', async () => {
  const due = Array.from({ length: 1_000 }, (_, n) => ({ ...detected, id: `8453:due:${n}`, dueAt: n }))
  const executions = executionsInMemory(...due)
  const woken = new Set<string>()
  const refused: unknown[] = []
  const wake = async ({ id }: { id: string }) => {
    if (id === '8453:due:2') throw new Error('Another record already has one of its keys')
    woken.add(id)
  }
  const ports = { executions, wake, now: () => 2_000, onRefused: (error: unknown) => refused.push(error) }
  let after = -1
  do after = await sweep(ports, after)
  while (after !== -1)
  expect(woken.size).toBe(999)
  expect(refused.map(String)).toEqual(['Error: Another record already has one of its keys'])
})

test('sweep: the page is read again while the store is unavailable', async () => {
  const executions = executionsInMemory({ ...detected, dueAt: 1 })
  const wake = async () => {
    throw new StoreUnavailable()
  }
  await expect(sweep({ executions, wake, now: () => 2, onRefused: unexpected }, -1)).rejects.toThrow(StoreUnavailable)
})

testAll<[string, (bucket: number) => boolean, number[]]>([
  ['slows down in proportion to the wake-ups by messages', () => true, [1, 1, 2]],
  ['does not rest while no messages arrive', () => false, [1, 2, 3]],
  ['does not rest while messages do not reach a part of it', (bucket) => bucket % 2 === 0, [1, 2, 3]],
])(
  'sweep: a backlog is left alone only while messages reach every shard of it',
  async (_name, isDelivering, rounds) => {
    const clock = { at: 1_000 }
    const backlog = Array.from({ length: 100 }, (_, n) => ({ ...detected, id: `8453:due:${n}`, dueAt: n }))
    let woken = 0
    const wake = async () => {
      woken += 1
    }
    const executions = executionsInMemory(...backlog)
    const next = pacedSweep({ executions, wake, now: () => clock.at, isDelivering, onRefused: unexpected })
    const after: number[] = []
    for (const ms of [0, 199, 1]) {
      clock.at += ms
      await next()
      after.push(woken / backlog.length)
    }
    expect(after).toEqual(rounds)
  },
)
