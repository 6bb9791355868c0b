import { expect, test } from 'bun:test'
import { throttledRefresh } from '../../src/dashboard/live/throttled-refresh'

function world() {
  let at = 0
  let planned: { at: number; run: () => void } | null = null
  const acted: number[] = []
  const timers = {
    set: (run: () => void, ms: number) => {
      planned = { at: at + ms, run }
      return planned
    },
    clear: () => {
      planned = null
    },
  }
  const soon = throttledRefresh(() => acted.push(at), 1_000, timers)
  return {
    acted,
    soon,
    to(time: number): void {
      while (planned && planned.at <= time) {
        const { run } = planned
        at = planned.at
        planned = null
        run()
      }
      at = time
    },
  }
}

test('one event causes one query, a moment later', () => {
  const { soon, to, acted } = world()
  soon.ask()
  to(10_000)
  expect(acted).toEqual([1_000])
})

test('an event shortly before a query causes another one, because a cached response may lack it', () => {
  const { soon, to, acted } = world()
  soon.ask()
  to(950)
  soon.ask()
  to(10_000)
  expect(acted).toEqual([1_000, 2_000])
})

test('constant events cause one query per interval', () => {
  const { soon, to, acted } = world()
  for (let time = 0; time < 5_000; time += 10) {
    to(time)
    soon.ask()
  }
  to(20_000)
  expect(acted).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000])
})

test('no query is made after the page is left', () => {
  const { soon, to, acted } = world()
  soon.ask()
  soon.ask()
  soon.stop()
  to(10_000)
  expect(acted).toEqual([])
})
