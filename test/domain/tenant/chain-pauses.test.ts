import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { pausedFrom, pauseEdges } from '../../../src/domain/tenant/chain-pauses'

const period = fc
  .tuple(fc.nat(40), fc.option(fc.nat(15)))
  .map(([from, length]) => ({ from, to: length === null ? null : from + length }))

test('a chain is reported paused exactly while one of its pauses lasts, and each change is reported once', () => {
  fc.assert(
    fc.property(fc.array(period, { maxLength: 8 }), (periods) => {
      const edges = pauseEdges(periods)
      for (let time = 0; time < 60; time++) {
        const isPaused = periods.some(({ from, to }) => from <= time && (to === null || to > time))
        expect(edges.findLast(({ at }) => at <= time)?.isPaused ?? false).toBe(isPaused)
      }
      expect(edges.every(({ isPaused }, n) => isPaused === (n % 2 === 0))).toBe(true)
      expect(edges.map(({ at }) => at)).toEqual(edges.map(({ at }) => at).toSorted((a, b) => a - b))
    }),
  )
})

test('a pause that begins as another ends keeps that end, because it may have been reported already', () => {
  const first = { from: 1, to: 10 }
  const reported = pauseEdges([first])
  expect(pauseEdges([first, { from: 10, to: 20 }])).toEqual([
    ...reported,
    { at: 10, isPaused: true },
    { at: 20, isPaused: false },
  ])
})

test('a repeated pause continues, unless its end is so near that it could be reported before the change is stored', () => {
  const at = 100_000
  expect(pausedFrom(null, at)).toBe(at)
  expect(pausedFrom({ createdAt: 5, until: null }, at)).toBe(5)
  expect(pausedFrom({ createdAt: 5, until: at + 60_000 }, at)).toBe(5)
  expect(pausedFrom({ createdAt: 5, until: at + 3_000 }, at)).toBe(at + 3_000)
})
