import { expect, test } from 'bun:test'
import { disabledType, movedType, orphanedType, returnedType } from '../../src/domain/event-types'
import { factOf } from '../../src/events/event-draft'
import { eventId, eventIdBefore, timeOfEvent } from '../../src/events/event-id'
import { type EventFilter, eventPage, isSelected, positionAfter, scopeOf, textFor } from '../../src/events/event-page'
import type { LoggedEvent } from '../../src/ports/webhooks'

const at = 1_800_000_000_000

test('an id begins with its time, and the same facts always make the same id', () => {
  const id = eventId(at, 'data', 7)
  expect(id).toBe('evt_01MCC5RM000007RYK5Y5EBP9QT')
  expect(eventId(at, 'data', 7)).toBe(id)
  const others = [eventId(at + 1, 'data', 7), eventId(at, 'datb', 7), eventId(at, 'data', 8)]
  expect(new Set([id, ...others]).size).toBe(4)
  expect(others.every((other) => other.slice(0, 12) === id.slice(0, 12))).toBe(true)
  expect(eventId(at, 'data', 7) < eventId(at, 'data', 8)).toBe(true)
})

test('positions beyond the fourth digit share its highest value', () => {
  const digits = (seq: number) => eventId(at, 'data', seq).slice(14, 18)
  expect([0, 31, 32, 32 ** 4 - 2, 32 ** 4 - 1, 32 ** 4].map(digits)).toEqual([
    '0000',
    '000Z',
    '0010',
    'ZZZY',
    'ZZZZ',
    'ZZZZ',
  ])
})

test('only an id of an event has a time', () => {
  expect(timeOfEvent(eventId(at, 'data', 7))).toBe(at)
  expect(timeOfEvent(eventIdBefore(at))).toBe(at)
  expect(eventIdBefore(at)).toMatch(/^evt_01MCC5RM000{16}$/)
  expect(eventIdBefore(at) < eventId(at, 'data', 0)).toBe(true)
  const id = eventId(at, 'data', 7)
  for (const text of ['', `x${id}`, `${id}0`, id.slice(0, -1), id.toLowerCase(), id.replace('evt_0', 'evt_8')])
    expect([text, timeOfEvent(text)]).toEqual([text, null])
})

test('a fact is the number of a history entry; a drop and the first entry have their id', () => {
  const named = (type: string, seq: number) => factOf({ id: 'id', dataId: 'data', seq, type } as never)
  expect(named('execution.updated', 3)).toBe('3')
  expect(named('deposit.detected', 0)).toBe('id')
  expect(named(orphanedType, 3)).toBe('id')
  expect(named(returnedType, 3)).toBe(`3 ${returnedType}`)
})

const eventOf = (n: number, changed: Partial<LoggedEvent> = {}): LoggedEvent => ({
  ...{ position: n, id: `e${n}`, dataId: 'data', seq: n, type: 'execution.updated', organizationId: 'org' },
  ...{ userId: 'user', at, loggedAt: at, text: '{"data":{"a":1}}' },
  ...changed,
})
const all: EventFilter = {
  tenant: 'org',
  types: new Set(['execution.updated', 'deposit.detected', disabledType, 'other']),
}

test('a filter selects by type, user and execution, and the platform sees no disabled endpoint', () => {
  const selects = (filter: Partial<EventFilter>, changed: Partial<LoggedEvent> = {}) =>
    isSelected({ ...all, ...filter }, eventOf(1, changed))
  expect(selects({})).toBe(true)
  expect(selects({}, { type: 'unlisted' })).toBe(false)
  expect([selects({ userId: 'user' }), selects({ userId: 'else' })]).toEqual([true, false])
  const ofOne = { executionId: 'data' }
  expect([selects(ofOne), selects(ofOne, { type: 'deposit.detected' }), selects(ofOne, { type: 'other' })]).toEqual([
    ...[true, true, false],
  ])
  expect([selects({}, { type: disabledType }), selects({ tenant: null }, { type: disabledType })]).toEqual([
    true,
    false,
  ])
  expect(selects({ tenant: null })).toBe(true)
  expect(scopeOf({ ...all, userId: 'u', executionId: 'd' })).toEqual({
    organizationId: 'org',
    userId: 'u',
    dataId: 'd',
  })
})

test('only the platform sees whose an event is, except if it names both sides itself', () => {
  const event = eventOf(1)
  expect(textFor('org', event)).toBe(event.text)
  expect(JSON.parse(textFor(null, event))).toEqual({ data: { a: 1, organizationId: 'org' } })
  expect(textFor(null, { ...event, organizationId: null })).toBe(event.text)
  expect(textFor(null, { ...event, type: movedType })).toBe(event.text)
})

/** A log that counts what is read of it. */
function logOf(events: LoggedEvent[]) {
  const reads: number[] = []
  const after = async (position: number, _scope: unknown, limit: number) => {
    const found = events.filter((event) => event.position > position).slice(0, limit)
    reads.push(found.length)
    return found
  }
  return { after, reads }
}
const many = (count: number, changed: (n: number) => Partial<LoggedEvent> = () => ({})) =>
  Array.from({ length: count }, (_, n) => eventOf(n + 1, changed(n + 1)))
const read = async (log: ReturnType<typeof logOf>, after: number, limit: number) => {
  const { events, next } = await eventPage(log as never, all, after, limit)
  return [events.map(({ position }) => position), next]
}

test('a page has the selected events after a position, and names the last one that was read', async () => {
  const log = logOf(many(10, (n) => (n % 2 === 0 ? { type: 'unlisted' } : {})))
  expect(await read(log, 0, 2)).toEqual([[1, 3], 'e3'])
  expect(await read(log, 3, 2)).toEqual([[5, 7], 'e7'])
  expect(await read(log, 7, 2)).toEqual([[9], 'e10'])
  expect(await read(log, 10, 2)).toEqual([[], null])
  expect(await read(logOf(many(2)), 0, 2)).toEqual([[1, 2], 'e2'])
})

test('a page reads at most 500 events at a time, twice its limit, and 5,000 in all', async () => {
  const unselected = logOf(many(6_000, () => ({ type: 'unlisted' })))
  expect(await read(unselected, 0, 250)).toEqual([[], 'e5000'])
  expect(unselected.reads).toEqual(Array(10).fill(500))
  const few = logOf(many(6))
  await read(few, 0, 3)
  expect(few.reads).toEqual([6])
  const wide = logOf(many(6))
  await read(wide, 0, 4)
  expect(wide.reads).toEqual([6])
})

test('reading continues after a logged event, and otherwise ten seconds before its time', async () => {
  const asked: number[] = []
  const log = {
    positionOf: async (id: string) => (id === eventId(at, 'data', 1) ? 5 : null),
    positionBefore: async (time: number) => asked.push(time),
  } as never
  expect(await positionAfter(log, eventId(at, 'data', 1))).toBe(5)
  expect(asked).toEqual([])
  expect(await positionAfter(log, eventId(at, 'data', 2))).toBe(1)
  expect(asked).toEqual([at - 10_000])
  expect(await positionAfter(log, 'e1')).toBeNull()
})
