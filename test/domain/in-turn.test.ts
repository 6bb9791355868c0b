import { expect, test } from 'bun:test'
import { inTurn } from '../../src/domain/in-turn'

test('inTurn: one at a time per key, and a failure holds up nobody', async () => {
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
