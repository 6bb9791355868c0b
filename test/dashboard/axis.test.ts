import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { axisTop } from '../../src/dashboard/ui/bar-plot'

const labelled = (most: number) => [axisTop(most) / 2, axisTop(most)]

test('an axis of counts up to 5 has the labels 3 and 6 instead of a rounded 2.5', () => {
  expect([0, 1, 3, 5, 9, 21, 250].map(labelled)).toEqual([
    [1, 2],
    [1, 2],
    [2, 4],
    [3, 6],
    [5, 10],
    [20, 40],
    [200, 400],
  ])
})

test('every label is the exact value at its position: whole, with no digit lost by its format', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (most) => {
      for (const value of labelled(most)) {
        expect(Number.isInteger(value)).toBe(true)
        expect(String(value)).toMatch(/^[1-9]0*$/)
      }
      expect(axisTop(most)).toBeGreaterThanOrEqual(most)
    }),
  )
})
