import { expect, test } from 'bun:test'
import { cacheSlowQuery } from '../../../src/adapters/mongo/engine/slow-query-cache'

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

test('what is found quickly is asked for each time', async () => {
  const { ask } = asked()
  expect([await ask(), await ask(), await ask()]).toEqual([1, 2, 3])
})

test('what took long serves for twenty times as long, and once more while it is asked for anew', async () => {
  const { ask, clock } = asked()
  clock.tookMs = 1_000
  expect([await ask(), await ask()]).toEqual([1, 1])
  clock.time += 19_999
  expect(await ask()).toBe(1)
  clock.time += 1
  expect(await ask()).toBe(1)
  expect(await ask()).toBe(2)
})

test('what nobody asked for in a minute is not given once more', async () => {
  const { ask, clock } = asked()
  clock.tookMs = 1_000
  await ask()
  clock.time += 20_000 + 60_000
  expect(await ask()).toBe(2)
})

test('what fails is not kept', async () => {
  let isDown = true
  const keep = cacheSlowQuery(async (_: string) => {
    if (isDown) throw new Error('down')
    return 'up'
  })
  expect(keep('a')).rejects.toThrow('down')
  isDown = false
  expect(await keep('a')).toBe('up')
})
