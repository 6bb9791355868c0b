import { expect, test } from 'bun:test'
import { expiryTask } from '../../src/app/process/keep-fresh'
import type { Semaphore } from '../../src/domain/limits/semaphore'
import { recordsInMemory } from '../support/records'

/** Processes that share a store with this many records to delete, 500 at a time. */
function world(records: number) {
  const clock = { at: 1_000_000 }
  const books = recordsInMemory<Semaphore>()
  const [swept, rests]: [string[], number[]] = [[], []]
  let left = records
  const fault = { error: null as Error | null }
  const start = (name: string) =>
    expiryTask({
      books,
      name,
      sweep: async () => {
        if (fault.error) throw fault.error
        swept.push(name)
        const count = Math.min(500, left)
        left -= count
        clock.at += 200
        return count
      },
      rest: async (ms) => {
        rests.push(ms)
        clock.at += ms
      },
      now: () => clock.at,
    })
  return { clock, swept, rests, fault, start, left: () => left }
}

test('forgetting: one process deletes everything, and pauses as long as each batch took', async () => {
  const { start, swept, rests, left } = world(100_000)
  await Promise.all(['a', 'b', 'c'].map((name) => start(name).run()))
  expect(left()).toBe(0)
  expect(new Set(swept).size).toBe(1)
  expect(swept).toHaveLength(201)
  expect(new Set(rests)).toEqual(new Set([200]))
})

test('forgetting: another process continues immediately after a stop, and five minutes after a crash', async () => {
  const { start, swept, clock } = world(0)
  const [a, b, c] = [start('a'), start('b'), start('c')]
  await a.run()
  await b.run()
  await a.stop()
  await a.run()
  await b.run()
  await c.run()
  clock.at += 5 * 60_000
  await c.run()
  expect(swept).toEqual(['a', 'b', 'c'])
})

test('forgetting: a failure is reported, and the next call continues', async () => {
  const { start, swept, fault } = world(700)
  const one = start('a')
  fault.error = new Error('away')
  await expect(one.run()).rejects.toThrow('away')
  fault.error = null
  await one.run()
  expect(swept).toHaveLength(3)
})
