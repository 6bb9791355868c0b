import { expect, test } from 'bun:test'
import type { EventLog, EventMark, EventMarks, LoggedEvent } from '../../src/ports/webhooks'
import { appending } from '../support/appending'
import { addressOf, executionOf, sightingOf } from '../support/deposits'

/** Calls `ask`, and notes the length of the list that is its argument or its result. */
const sized =
  <Asked extends readonly unknown[], Answer>(sizes: number[], ask: (asked: Asked) => Promise<Answer>) =>
  (asked: Asked): Promise<Answer> => {
    sizes.push(asked.length)
    return ask(asked)
  }

test('records are read and marks cleared by the hundred, and events named and appended by the 500', async () => {
  const { detected, store, clock, eventLog, eventMarks, appender } = appending()
  for (let n = 1; n <= 601; n++) await detected(n)
  const [loads, names, appends, clears]: number[][] = [[], [], [], []]
  const one = appender({
    executions: { loadMany: sized(loads!, (ids: string[]) => store.executions.loadMany(ids)) },
    eventLog: {
      ...eventLog,
      named: sized(names!, (ids: readonly string[]) => eventLog.named(ids)),
      append: sized(appends!, (events: readonly LoggedEvent[]) => eventLog.append(events)),
    },
    eventMarks: {
      ...eventMarks,
      clear: sized(clears!, (marks: Parameters<EventMarks['clear']>[0]) => eventMarks.clear(marks)),
    },
  })
  expect(await one.round()).toBe(601)
  clock.now += 5_000
  expect(await one.round()).toBe(0)
  const hundreds = [...Array(6).fill(100), 1]
  expect([loads, names, appends, clears]).toEqual([hundreds, [500, 101], [500, 101], hundreds])
})

test('a batch ends with the event that brings it to four million characters', async () => {
  const { save, clock, eventLog, appender } = appending()
  const userId = 'u'.repeat(100_000)
  for (let n = 1; n <= 60; n++) await save(executionOf(n, { userId }, { detectedAt: clock.now }))
  const batches: number[][] = []
  const append: EventLog['append'] = (events) => {
    batches.push(events.map(({ text }) => text.length))
    return eventLog.append(events)
  }
  await appender({ eventLog: { ...eventLog, append } }).round()
  const sum = (lengths: readonly number[]) => lengths.reduce((so, length) => so + length, 0)
  expect([batches.length, batches.flat().length]).toEqual([2, 60])
  expect(sum(batches[0]!)).toBeGreaterThanOrEqual(4_000_000)
  expect(sum(batches[0]!.slice(0, -1))).toBeLessThan(4_000_000)
})

test('an appender that finds its position taken twenty times in a row gives up until the next round', async () => {
  const { detected, eventLog, appender } = appending()
  await detected(1)
  let attempts = 0
  const append: EventLog['append'] = async () => {
    attempts += 1
    return false
  }
  await expect(appender({ eventLog: { ...eventLog, append } }).round()).rejects.toThrow('20 times in a row')
  expect(attempts).toBe(20)
  expect(await appender().round()).toBe(1)
})

test('a record that took more than ten seconds to read is not logged from that read', async () => {
  const loggedAfter = async (ms: number) => {
    const { detected, store, clock, appender } = appending()
    await detected(1)
    const loadMany: (typeof store)['executions']['loadMany'] = (ids) => {
      clock.now += ms
      return store.executions.loadMany(ids)
    }
    return appender({ executions: { loadMany } }).round()
  }
  expect(await loggedAfter(10_000)).toBe(1)
  await expect(loggedAfter(10_001)).rejects.toThrow('read too long ago')
})

test('marks of its own process that wait too long are left to the next poll, and other failures are not', async () => {
  const { detected, clock, eventLog, ownMark, appender } = appending()
  const record = await detected(1)
  const failing = (fail: () => void): EventLog => ({
    ...eventLog,
    async named(ids) {
      fail()
      return eventLog.named(ids)
    },
  })
  const late = appender({
    eventLog: failing(() => {
      clock.now += 10_001
    }),
  })
  expect(await late.round([ownMark(record)], false)).toBe(0)
  const broken = appender({
    eventLog: failing(() => {
      throw new Error('down')
    }),
  })
  await expect(broken.round([ownMark(record)], false)).rejects.toThrow('down')
  expect(await appender().round()).toBe(1)
})

test('a mark of its own process is logged when it is due, once, and a sighting before its execution', async () => {
  const { store, clock, eventLog, ownMark, appender, detected } = appending()
  const sighting = (await store.sightings.save(sightingOf(2, { detectedAt: clock.now, updatedAt: clock.now })))!
  const seen = {
    collection: 'sightings',
    id: sighting.id,
    record: sighting,
    ...store.sightings.marks.get(sighting.id)!,
  } as const
  const mark = ownMark(await detected(1))
  const one = appender()
  expect(await one.round([{ ...mark, dueAt: clock.now + 1 }], false)).toBe(0)
  expect(await one.round([mark, seen], false)).toBe(2)
  expect(eventLog.all().map(({ dataId }) => dataId)).toEqual([sighting.id, executionOf(1).id])
  let appends = 0
  const append: EventLog['append'] = async (events) => {
    appends += 1
    return eventLog.append(events)
  }
  const two = appender({ eventLog: { ...eventLog, append } })
  for (let n = 0; n < 2; n++) expect(await two.round([mark], false)).toBe(0)
  expect(appends).toBe(0)
})

test('an event that is planned keeps the mark of its record until its time', async () => {
  const { store, clock, eventLog, eventMarks, appender } = appending()
  const end = clock.now + 60_000
  const times = { createdAt: clock.now, updatedAt: clock.now, until: end, resumedAt: null }
  await store.pauses.save({ id: 'chain:1', version: 0, reason: 'r', by: 'ops', ...times })
  const one = appender()
  expect(await one.round()).toBe(1)
  expect(await eventMarks.due('pauses', -1, end + 1, 9)).toMatchObject([{ id: 'chain:1', dueAt: end }])
  clock.now = end - 1_000
  expect(await one.round()).toBe(0)
  clock.now = end
  expect(await one.round()).toBe(1)
  expect(eventLog.all().map(({ type, at }) => [type, at])).toEqual([
    ['chain.paused', times.createdAt],
    ['chain.resumed', end],
  ])
})

test('events are in the order of their times, and an event that is late in its record comes after the ones before', async () => {
  const { store, clock, eventLog, appender } = appending()
  const at = clock.now
  clock.now += 10
  const orphanedAt = [at + 2, at + 1] // another process’s clock was behind
  await store.sightings.save(sightingOf(1, { detectedAt: at, updatedAt: at + 2, stage: 'ORPHANED', orphanedAt }))
  await store.sightings.save(sightingOf(2, { detectedAt: at + 1, updatedAt: at + 1 }))
  await appender().round()
  const first = sightingOf(1).id
  const order = eventLog.all().map((event) => [event.dataId === first ? 1 : 2, event.at - at])
  expect(order).toEqual([
    ...[
      [1, 0],
      [2, 1],
      [1, 2],
      [1, 1],
    ],
  ])
})

test('the times of the log never decrease, also behind a clock that was ahead', async () => {
  const { detected, clock, eventLog, appender } = appending()
  clock.now += 1_000
  await detected(1)
  await appender().round()
  clock.now -= 500
  await detected(2)
  await appender().round()
  clock.now += 700
  await detected(3)
  await appender().round()
  expect(eventLog.all().map(({ loggedAt }) => loggedAt - clock.now)).toEqual([-200, -200, 0])
})

test('a poll reads 5,000 marks at a time, and continues at the last time, which further marks can share', async () => {
  const { clock, eventMarks, appender } = appending()
  const asked: number[] = []
  const pages = [5_000, 5_000, 1]
  const due: EventMarks['due'] = async (collection, after, _to, limit) => {
    if (collection !== 'sightings') return []
    asked.push(after)
    const count = Math.min(pages[asked.length - 1] ?? 0, limit)
    return Array.from({ length: count }, (_, n): EventMark => ({ collection, id: addressOf(n), dueAt: 7, mark: '7' }))
  }
  const one = appender({ eventMarks: { ...eventMarks, due } })
  await one.round()
  expect(asked).toEqual([-1, 6, 7])
  clock.now += 4_000
  await one.round()
  expect(asked.slice(3)).toEqual([-1]) // the overlap reaches further back than the first mark
})

test('what is logged for one record is read once, while this process alone appends', async () => {
  const { detected, save, clock, eventLog, executions, appender } = appending()
  const names: number[] = []
  const one = appender({
    eventLog: { ...eventLog, named: sized(names, (ids: readonly string[]) => eventLog.named(ids)) },
  })
  const record = await detected(1)
  await one.round()
  await save({ ...executions.get(record.id), refundOf: 'exe' })
  clock.now += 1
  await one.round()
  expect(names).toEqual([1])
  await detected(2)
  await appender().round() // another process
  await detected(3)
  await one.round()
  expect(names.slice(1)).toEqual([2, 2]) // of both new records, and again after its position was taken
})
