import { expect, test } from 'bun:test'
import { comparison } from '../../bench/comparison'

test('lines that differ in their figures only are compared by the median of each figure', () => {
  const ours = [['p50 4 ms, 1,000 a second'], ['p50 3 ms,  900 a second'], ['p50 9 ms, 800 a second']]
  const theirs = [['p50 8 ms, 450 a second'], ['p50 8 ms, 300 a second'], ['p50 7 ms, 500 a second']]
  expect(comparison(ours, theirs)).toEqual(['  p50 [4 / 8 = 0.50] ms, [900 / 450 = 2.00] a second'])
})

test('a line that occurs again in one run is compared with the same occurrence of the other', () => {
  const ours = [['one', 'took 1 s', 'took 2 s']]
  const theirs = [['one', 'took 2 s', 'took 8 s']]
  expect(comparison(ours, theirs)).toEqual(['  took [1 / 2 = 0.50] s', '  took [2 / 8 = 0.25] s'])
})

test('a line that only one program prints is named, and never compared with another', () => {
  expect(comparison([['new: 1 ms']], [['old: 2 ms']])).toEqual(['  only here: new: # ms', '  only there: old: # ms'])
})

test('nothing is divided by zero', () => {
  expect(comparison([['5 failed']], [['0 failed']])).toEqual(['  [5 / 0 = ?] failed'])
})
