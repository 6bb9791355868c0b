import { expect, test } from 'bun:test'
import { amount } from '../../support/depth'
import { stallMs, turnCpuMs, turnsWatched } from '../processes/turns'
import { fuzz } from './fuzz'

const requests = Number(process.env['FUZZ_REQUESTS'] ?? amount('requests', { usual: 2_000, full: 20_000 }))

test('no request causes a 5xx, an undocumented response, a stall, or a change for another organization', async () => {
  const { requests: sent, overSockets, refusedByBun, statuses, turns, stalls, longestMs } = await fuzz(requests)
  const longest = `${Math.ceil(longestMs)} ms of processor time`
  console.log(
    `${sent} requests in ${turns} turns of the event loop: ${stalls.length} over ${stallMs} ms, the longest ${longest}`,
  )
  console.log(`${overSockets} of them over sockets, where Bun itself refused ${refusedByBun} as no HTTP`)
  expect(sent).toBe(requests)
  expect(overSockets).toBeGreaterThan(requests / 20)
  expect(refusedByBun).toBeGreaterThan(0)
  expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([])
  expect(statuses[200]! > 0 && statuses[201]! > 0 && statuses[400]! > 0 && statuses[404]! > 0).toBe(true)
  expect(turns).toBeGreaterThanOrEqual(requests)
  expect(stalls.slice(0, 10)).toEqual([])
}, 86_400_000)

const busyFor = (ms: number) => {
  const end = turnCpuMs() + ms
  while (turnCpuMs() < end);
}

test('a turn that works too long is detected, during a response and after it', async () => {
  const { found, during } = turnsWatched()
  await during('busy', async () => {
    await Bun.sleep(1)
    busyFor(stallMs + 20)
    await Bun.sleep(1)
    setImmediate(() => busyFor(stallMs + 20))
  })
  expect(found.stalls).toHaveLength(2)
  expect(found.longestMs).toBeGreaterThan(stallMs)
})

test('many short turns or waiting are not a stall', async () => {
  const { found, during } = turnsWatched()
  await during('busy', async () => {
    for (let n = 0; n < 10; n++) {
      busyFor(stallMs / 5)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Bun.sleep(stallMs + 20)
  })
  expect(found.stalls).toEqual([])
})
