import { expect, test } from 'bun:test'
import { cacheSlowQuery } from '../../../src/adapters/mongo/queries/execution-counts'

function asked() {
  const clock = { time: 0, tookMs: 0 }
  let asks = 0
  const keep = cacheSlowQuery(
    async (_: string) => {
      clock.time += clock.tookMs
      return ++asks
    },
    () => clock.time,
  )
  return { ask: () => keep('a'), clock }
}

test('a fast query is repeated each time', async () => {
  const { ask } = asked()
  expect([await ask(), await ask(), await ask()]).toEqual([1, 2, 3])
})

test('a slow result is reused for twenty times its duration, and once more during the next query', async () => {
  const { ask, clock } = asked()
  clock.tookMs = 1_000
  expect([await ask(), await ask()]).toEqual([1, 1])
  clock.time += 19_999
  expect(await ask()).toBe(1)
  clock.time += 1
  expect(await ask()).toBe(1)
  expect(await ask()).toBe(2)
})

test('a result unused for a minute is not reused', async () => {
  const { ask, clock } = asked()
  clock.tookMs = 1_000
  await ask()
  clock.time += 20_000 + 60_000
  expect(await ask()).toBe(2)
})

test('a failure is not cached', async () => {
  let isDown = true
  const keep = cacheSlowQuery(async (_: string) => {
    if (isDown) throw new Error('down')
    return 'up'
  })
  expect(keep('a')).rejects.toThrow('down')
  isDown = false
  expect(await keep('a')).toBe('up')
})
