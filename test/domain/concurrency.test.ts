import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { inParts, inTurn } from '../../src/domain/concurrency'

test('inTurn: tasks of one key run one at a time, and a failure does not block the next', async () => {
  const take = inTurn()
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = take('a', async () => {
    await gate.promise
    log.push('first')
    throw new Error('no')
  })
  const second = take('a', async () => log.push('second'))
  await take('b', async () => log.push('other'))
  gate.resolve()
  await Promise.allSettled([first, second])

  expect(log).toEqual(['other', 'first', 'second'])
})

test('inParts: parts keep every item once and in order, stay within the limit, and a short list is not copied', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (items, most) => {
      const parts = inParts(items, most)
      expect(parts.flat()).toEqual(items)
      expect(parts.every(({ length }) => length > 0 && length <= most)).toBe(true)
      if (items.length > 0 && items.length <= most) expect(parts[0]).toBe(items)
    }),
  )
})
