import { expect, test } from 'bun:test'
import { inTurn } from '../../src/domain/concurrency'

test('inTurn: tasks of one key run one at a time, and a failure does not hold up the next', async () => {
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
