import { expect, test } from 'bun:test'
import { ownMarks } from '../../src/events/own-marks'
import type { OwnMark } from '../../src/ports/webhooks'

const markOf = (id: string, mark: string): OwnMark => ({ collection: 'executions', id, dueAt: 1, mark, record: { id } })

test('the newest mark of each record is taken once', () => {
  const { note, take } = ownMarks()
  note([markOf('a', '1'), markOf('b', '2')])
  note([markOf('a', '3')])
  expect(take()).toEqual({ marks: [markOf('a', '3'), markOf('b', '2')], isAll: true })
  expect(take()).toEqual({ marks: [], isAll: true })
})

test('after an unknown write or too many marks, take reports that the database may hold more', () => {
  const { note, take } = ownMarks()
  const many = Array.from({ length: 5_000 }, (_, n) => markOf(`${n}`, '1'))
  for (const set of [null, many]) {
    note(set)
    note([markOf('a', '1')])
    expect(take()).toEqual({ marks: [], isAll: false })
    note([markOf('a', '2')])
    expect(take().isAll).toBe(true)
  }
})
