import { expect, test } from 'bun:test'
import { steadily, steady } from '../../src/dashboard/live/steady'

const live = { tone: 'ok', text: 'Live' } as const
const loading = { tone: 'mute', text: 'Loading' } as const
const silent = { tone: 'warn', text: 'Not live since 06:44:32' } as const
type Mark = typeof live | typeof loading | typeof silent

/** The marks on screen, each with the second from which it is shown. */
function shown(states: readonly [second: number, state: Mark][], until: number): string[] {
  let now = steadily<Mark>(states[0]![1], 0)
  const seen = [`0 ${now.shown.text}`]
  for (let second = 1; second <= until; second++) {
    const [, state] = states.findLast(([at]) => at <= second)!
    const next = steady(now, state, second * 1_000)
    if (next.shown.text !== now.shown.text) seen.push(`${second} ${next.shown.text}`)
    now = next
  }
  return seen
}

test('a trouble is shown immediately, and its end after five seconds', () => {
  const states: [number, Mark][] = [
    [0, live],
    [10, silent],
    [20, live],
  ]
  expect(shown(states, 40)).toEqual(['0 Live', '10 Not live since 06:44:32', '25 Live'])
})

test('a mark does not flip on a busy machine, whose events come every five seconds', () => {
  const states = Array.from({ length: 31 }, (_, n): [number, Mark] => [n * 2, n % 2 === 0 ? live : silent])
  expect(shown(states, 70)).toEqual(['0 Live', '2 Not live since 06:44:32', '65 Live'])
})

test('a part that loads shows immediately without trouble, and hides none', () => {
  const states: [number, Mark][] = [
    [0, live],
    [5, loading],
    [6, live],
    [10, silent],
    [12, loading],
    [14, live],
  ]
  expect(shown(states, 40)).toEqual(['0 Live', '5 Loading', '6 Live', '10 Not live since 06:44:32', '19 Live'])
})
