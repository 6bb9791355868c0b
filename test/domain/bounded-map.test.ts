import { expect, test } from 'bun:test'
import { BoundedMap } from '../../src/domain/bounded-map'

test('a full bounded map removes its oldest entry, and setting an entry again makes it the newest', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
  expect(map.get('b')).toBeUndefined()
})
