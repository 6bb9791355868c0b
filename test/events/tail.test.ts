import { expect, test } from 'bun:test'
import { eventTail } from '../../src/events/tail'
import type { EventScope, LoggedEvent } from '../../src/ports/webhooks'
import { until } from '../support/until'

const eventOf = (position: number, changed: Partial<LoggedEvent> = {}): LoggedEvent => ({
  ...{ position, id: `e${position}`, dataId: 'data', seq: 1, type: 'execution.updated', organizationId: 'org' },
  ...{ userId: 'user', at: 0, loggedAt: 1_000 + position, text: '{}' },
  ...changed,
})
const eventsOf = (from: number, to: number, changed: Partial<LoggedEvent> = {}) =>
  Array.from({ length: to - from + 1 }, (_, n) => eventOf(from + n, changed))
const all: EventScope = { organizationId: null }
const pageMax = 1_000

/** A log whose reads are counted, and whose signals a test sends. */
function world(events: LoggedEvent[] = []) {
  const state = { polls: 0, reads: 0, isDown: false, waits: [] as number[] }
  const troubles: string[] = []
  let signal = () => {}
  const tail = eventTail({
    eventLog: {
      head: async () => events.at(-1) ?? null,
      async after(position, scope, limit) {
        if (limit === pageMax) state.polls++
        else state.reads++
        if (state.isDown) throw new Error('The log is down')
        const isIn = (each: LoggedEvent) =>
          scope.organizationId === null || each.organizationId === scope.organizationId
        return events.filter((each) => each.position > position && isIn(each)).slice(0, limit)
      },
      positionBefore: async (time) => time / 2,
    },
    untilAppended: (ms) => {
      state.waits.push(ms)
      return new Promise<void>((resolve) => {
        signal = resolve
      })
    },
    onTrouble: (error) => troubles.push((error as Error).message),
  })
  /** Waits until the tail has read everything and waits for a signal. */
  async function settled() {
    const before = state.waits.length
    signal()
    await until('the tail waits again', (note) => note(state.waits).length > before)
  }
  const positions = async (position: number, scope: EventScope = all, limit = 100) =>
    (await tail.after(position, scope, limit)).events.map((each) => each.position)
  return { tail, events, state, troubles, settled, positions, signal: () => signal() }
}

test('without a subscriber, a reader gets its events from the log', async () => {
  const { tail, state } = world(eventsOf(1, 10))
  expect(await tail.head()).toBe(10)
  const page = await tail.after(4, all, 3)
  expect([page.events.map(({ position }) => position), page.to, page.loggedAt, page.isMore]).toEqual([
    [5, 6, 7],
    7,
    1_007,
    true,
  ])
  expect(await tail.after(8, all, 3)).toMatchObject({ to: 10, loggedAt: 1_010, isMore: false })
  expect(await tail.after(10, all, 3)).toEqual({ events: [], to: 10, loggedAt: 0, isMore: false })
  expect([state.polls, state.reads]).toEqual([0, 3])
  expect(await tail.positionBefore(8)).toBe(4)
  expect(await world().tail.head()).toBe(0)
})

test('subscribed readers get new events from memory, each by its position', async () => {
  const { tail, events, state, settled, positions } = world(eventsOf(1, 3))
  const stop = tail.subscribe(null, () => {})
  await settled()
  expect(await tail.head()).toBe(3)
  events.push(...eventsOf(4, 8))
  await settled()
  expect(await tail.head()).toBe(8)
  expect([await positions(3), await positions(6), await positions(8)]).toEqual([[4, 5, 6, 7, 8], [7, 8], []])
  const page = await tail.after(3, all, 2)
  expect(page).toMatchObject({ to: 5, loggedAt: 1_005, isMore: true })
  expect(await tail.after(6, all, 2)).toMatchObject({ to: 8, loggedAt: 1_008, isMore: false })
  expect(await tail.after(8, all, 2)).toMatchObject({ events: [], to: 8 })
  expect(state.reads).toBe(0)
  // Earlier positions are only in the log.
  expect(await positions(2)).toEqual([3, 4, 5, 6, 7, 8])
  expect(state.reads).toBe(1)
  stop()
})

test('a reader past every event of its scope continues at the end of what was read', async () => {
  const { tail, events, settled } = world(eventsOf(1, 3))
  const stop = tail.subscribe(null, () => {})
  await settled()
  events.push(...eventsOf(4, 6))
  await settled()
  expect(await tail.after(1, { organizationId: 'other' }, 5)).toEqual({ events: [], to: 6, loggedAt: 0, isMore: false })
  expect(await tail.after(3, { organizationId: 'other' }, 5)).toMatchObject({ events: [], to: 6, isMore: false })
  stop()
})

test('a scope selects by organization, user and object; an event of all organizations is in each', async () => {
  const { tail, events, settled, positions } = world()
  const stop = tail.subscribe(null, () => {})
  await settled()
  events.push(eventOf(1), eventOf(2, { organizationId: 'other' }), eventOf(3, { organizationId: null, userId: null }))
  events.push(eventOf(4, { userId: 'else' }), eventOf(5, { dataId: 'else' }))
  await settled()
  expect(await positions(0)).toEqual([1, 2, 3, 4, 5])
  expect(await positions(0, { organizationId: 'org' })).toEqual([1, 3, 4, 5])
  expect(await positions(0, { organizationId: 'other' })).toEqual([2, 3])
  expect(await positions(0, { organizationId: 'org', userId: 'user' })).toEqual([1, 5])
  expect(await positions(0, { organizationId: 'org', dataId: 'else' })).toEqual([5])
  stop()
})

test('a reader hears of events of its organization and of all, and the platform of each', async () => {
  const { tail, events, settled } = world()
  const heard: string[] = []
  const stops = (['org', 'other', null] as const).map((name) => tail.subscribe(name, () => heard.push(`${name}`)))
  await settled()
  const notified = async (...added: LoggedEvent[]) => {
    heard.length = 0
    events.push(...added)
    await settled()
    return heard.toSorted()
  }
  expect(await notified(eventOf(1))).toEqual(['null', 'org'])
  expect(await notified(eventOf(2, { organizationId: 'other' }), eventOf(3))).toEqual(['null', 'org', 'other'])
  expect(await notified(eventOf(4, { organizationId: null }))).toEqual(['null', 'org', 'other'])
  expect(await notified()).toEqual([])
  for (const stop of stops) stop()
})

test('a gap in the log is reported, and no event behind it is read before it closes', async () => {
  const { tail, events, troubles, settled, positions } = world()
  const stop = tail.subscribe(null, () => {})
  await settled()
  events.push(eventOf(1), eventOf(3))
  await settled()
  expect([await tail.head(), await positions(0)]).toEqual([1, [1]])
  expect(troubles).toEqual(['The log of events has a gap before position 3'])
  events.splice(1, 0, eventOf(2))
  await settled()
  expect([await tail.head(), await positions(0), troubles.length]).toEqual([3, [1, 2, 3], 1])
  stop()
})

test('a full page is followed by another without a signal, and the newest 5,000 events are kept', async () => {
  const { tail, events, state, settled, positions } = world()
  const stop = tail.subscribe(null, () => {})
  await settled()
  const polls = state.polls
  events.push(...eventsOf(1, 5_500))
  await settled()
  expect([await tail.head(), state.polls - polls]).toEqual([5_500, 6])
  expect((await positions(500, all, 2)).concat(state.reads)).toEqual([501, 502, 0])
  expect((await positions(499, all, 2)).concat(state.reads)).toEqual([500, 501, 1])
  expect(new Set(state.waits)).toEqual(new Set([500]))
  stop()
})

test('a failed read is reported, and reading continues', async () => {
  const { tail, events, state, troubles, settled, positions } = world()
  const stop = tail.subscribe(null, () => {})
  await settled()
  state.isDown = true
  events.push(eventOf(1))
  await settled()
  expect([troubles, await tail.head()]).toEqual([['The log is down'], 0])
  state.isDown = false
  await settled()
  expect(await positions(0)).toEqual([1])
  stop()
})

test('without subscribers reading ends, and a new subscriber starts at the head', async () => {
  const { tail, events, state, settled, signal } = world(eventsOf(1, 3))
  const [one, two] = [tail.subscribe('org', () => {}), tail.subscribe('org', () => {})]
  await settled()
  one()
  one()
  await settled()
  const polls = state.polls
  two()
  signal()
  events.push(...eventsOf(4, 6))
  await until('the head comes from the log', async (note) => note(await tail.head()) === 6)
  expect(state.polls).toBe(polls)
  const stop = tail.subscribe('org', () => {})
  await until('the tail reads again', (note) => note(state.polls) > polls)
  await settled()
  expect(await tail.after(6, all, 5)).toMatchObject({ events: [], to: 6 })
  expect(state.reads).toBe(0)
  stop()
})

test('a subscriber that comes before reading has ended is heard', async () => {
  const { tail, events, settled } = world()
  let heard = 0
  tail.subscribe('org', () => {})()
  const stop = tail.subscribe('org', () => heard++)
  await settled()
  events.push(eventOf(1))
  await settled()
  expect(heard).toBe(1)
  stop()
})
