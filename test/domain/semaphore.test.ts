import { expect, test } from 'bun:test'
import { withHolder, withoutHolder } from '../../src/domain/limits/semaphore'

const held = [
  { holder: 'a', until: 10 },
  { holder: 'b', until: 20 },
]
const semaphore = { id: 's', version: 3, held, forgetAt: 20 }
const ask = (holder: string, most: number, now: number, others?: string[]) =>
  withHolder(semaphore, { holder, most, until: 30, ...(others && { others }) }, now)

test('a permit is free while fewer holders than allowed have one that lasts', () => {
  expect(ask('c', 2, 9)).toBeNull()
  expect(ask('c', 3, 9)).toEqual({ ...semaphore, held: [...held, { holder: 'c', until: 30 }], forgetAt: 30 })
  expect(ask('c', 2, 10)).toMatchObject({ held: [held[1], { holder: 'c', until: 30 }] })
})

test('a holder renews its own permit, although none is free', () => {
  expect(ask('a', 2, 9)).toMatchObject({ held: [held[1], { holder: 'a', until: 30 }] })
  expect(ask('a', 1, 9)).toBeNull()
  expect(withHolder(semaphore, { holder: 'a', most: 2, until: 15 }, 9)!.forgetAt).toBe(20)
})

test('holders that are stored elsewhere count once, and never against themselves', () => {
  expect([ask('c', 3, 9, ['d']), ask('c', 3, 9, ['a'])?.held.length, ask('c', 3, 9, ['c'])?.held.length]).toEqual([
    ...[null, 3, 3],
  ])
})

test('a permit that is given back is free', () => {
  expect(withoutHolder(semaphore, 'a')).toEqual({ ...semaphore, held: [held[1]!] })
})
