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
    note([markOf('b', '0')])
    note(set)
    note([markOf('a', '1')])
    expect(take()).toEqual({ marks: [], isAll: false })
    note([markOf('a', '2')])
    expect(take().isAll).toBe(true)
  }
})

test('up to 2,000 marks are held, counted with those of earlier writes', () => {
  const { note, take } = ownMarks()
  const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => markOf(`${name}${n}`, '1'))
  note(many(1_500, 'a'))
  note(many(500, 'b'))
  expect(take()).toMatchObject({ isAll: true, marks: { length: 2_000 } })
  note(many(1_500, 'a'))
  note(many(501, 'b'))
  expect(take()).toEqual({ marks: [], isAll: false })
})
