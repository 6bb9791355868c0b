import { expect, test } from 'bun:test'
import { RecentlyCreated } from '../../../src/adapters/mongo/collections/executions'

function begun() {
  const clock = { time: 0 }
  return { clock, records: new RecentlyCreated<{ id: string }>(() => clock.time) }
}

test('a newly created record is returned only to the first reader', () => {
  const { records } = begun()
  records.keep({ id: 'a' })
  expect([records.take('a'), records.take('a'), records.take('b')]).toEqual([{ id: 'a' }, null, null])
})

test('a record is read from the database after a second', () => {
  const { clock, records } = begun()
  records.keep({ id: 'a' })
  clock.time = 1_000
  expect(records.take('a')).toBeNull()
})

test('only the newest thousand records are kept', () => {
  const { records } = begun()
  for (let n = 0; n < 1_001; n++) records.keep({ id: `${n}` })
  expect([records.take('0'), records.take('1')]).toEqual([null, { id: '1' }])
})
