import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Execution } from '../../src/domain/execution/execution'
import { draftsOfExecution } from '../../src/events/deposit-events'
import type { EventLog, EventMarks, LoggedEvent } from '../../src/ports/webhooks'
import { step } from '../http/events/streaming'
import { advanced, appending } from '../support/appending'
import { executionOf, sightingOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const namesOf = (events: readonly LoggedEvent[]) => events.map(({ dataId, seq }) => `${dataId} ${seq}`)
const wait = (clock: { now: number }) => {
  clock.now += 5_000
}

test('each event is appended once, at gapless positions, in the order of its record', async () => {
  const { detected, save, clock, eventLog, appender } = appending()
  const one = appender()
  const record = await detected(1)
  await one.round()
  await save(advanced(record, 3, clock.now))
  await detected(2)
  await one.round()
  await one.round()
  await appender().round()
  const [first, second] = [executionOf(1).id, executionOf(2).id]
  expect(namesOf(eventLog.all())).toEqual([`${first} 1`, `${first} 2`, `${first} 3`, `${first} 4`, `${second} 1`])
  expect(eventLog.all().map(({ position }) => position)).toEqual([1, 2, 3, 4, 5])
})

test('an event of a slow write has one id, whether its own process logs it at once or another one later', async () => {
  const idsBy = async (isOwn: boolean) => {
    const { detected, save, clock, eventLog, ownMark, appender } = appending()
    const record = advanced(await detected(1), 1, clock.now)
    clock.now += 3_000 // while the store writes
    const saved = await save(record)
    if (isOwn) await appender().round([ownMark(saved)], false)
    clock.now += 60_000
    await appender().round()
    const ids = eventLog.all().map(({ id }) => id)
    expect(eventLog.all().map(({ text }) => JSON.parse(text).id)).toEqual(ids)
    expect(draftsOfExecution(saved).map(({ id }) => id)).toEqual(ids)
    return ids
  }
  const [own, other] = [await idsBy(true), await idsBy(false)]
  expect(own).toEqual(other)
  expect(own).toHaveLength(2)
})

test('marks of its own process are logged without a read, and a poll logs only those of other processes', async () => {
  const { detected, save, clock, eventLog, eventMarks, ownMark, appender } = appending()
  let reads = 0
  const counted: EventMarks = {
    ...eventMarks,
    due(...asked) {
      reads += 1
      return eventMarks.due(...asked)
    },
  }
  const executions = {
    loadMany: async () => {
      throw new Error('not read')
    },
  }
  const one = appender({ eventMarks: counted, executions })
  const record = await detected(1)
  expect(await one.round([ownMark(record)], false)).toBe(1)
  const moved = await save(advanced(record, 2, clock.now))
  expect(await one.round([ownMark(moved)], false)).toBe(2)
  expect(await one.round([], false)).toBe(0)
  expect(reads).toBe(0)
  await one.round() // every mark is known, so no record is read
  const other = appender()
  await detected(2)
  await other.round([], true)
  expect(namesOf(eventLog.all())).toEqual([...[1, 2, 3].map((seq) => `${record.id} ${seq}`), `${executionOf(2).id} 1`])
})

test('a poll overlaps the one before, more widely once a second, and reads every mark each five seconds', async () => {
  const { detected, clock, eventMarks, appender } = appending()
  const begun = clock.now
  const polls: [name: string, after: number][] = []
  const due: EventMarks['due'] = (name, after, ...asked) => {
    polls.push([name, after])
    return eventMarks.due(name, after, ...asked)
  }
  const one = appender({ eventMarks: { ...eventMarks, due } })
  await detected(1)
  const pollsAt = async (ms: number) => {
    polls.length = 0
    clock.now = begun + ms
    await one.round()
    return [new Map(polls).get('executions'), polls.length]
  }
  const [all, often] = [8, 2] // collections
  expect(await pollsAt(0)).toEqual([-1, all])
  expect(await pollsAt(999)).toEqual([begun - 100, often])
  expect(await pollsAt(1_000)).toEqual([begun - 1_000, all])
  expect(await pollsAt(1_999)).toEqual([begun - 100, often])
  expect(await pollsAt(5_000)).toEqual([-1, all])
})

test('a poll logs what a round that failed left', async () => {
  const { detected, eventLog, ownMark, appender } = appending()
  let isDown = true
  const append: EventLog['append'] = async (events) => {
    if (isDown) throw new Error('down')
    return eventLog.append(events)
  }
  const one = appender({ eventLog: { ...eventLog, append } })
  const record = await detected(1)
  await expect(one.round([ownMark(record)], false)).rejects.toThrow('down')
  isDown = false
  expect(await one.round([], false)).toBe(0)
  expect(await one.round()).toBe(1)
})

test('a machine that is too slow to read all records in time logs them in smaller parts', async () => {
  const { detected, store, clock, eventLog, appender } = appending()
  for (let n = 1; n <= 40; n++) await detected(n)
  const executions = {
    async loadMany(ids: string[]) {
      clock.now += 500 * ids.length
      return store.executions.loadMany(ids)
    },
  }
  await appender({ executions }).round()
  expect(eventLog.all()).toHaveLength(40)
})

test('an event that is stored hours after it happened comes after those that were logged before', async () => {
  const { detected, save, clock, eventLog, appender } = appending()
  const one = appender()
  const late = await detected(1)
  await one.round()
  clock.now += 10_000_000
  await detected(2)
  await one.round()
  await save(advanced(late, 1, clock.now - 9_000_000))
  wait(clock)
  await one.round()
  const [before, after] = eventLog.all().slice(-2) as [LoggedEvent, LoggedEvent]
  expect([after.dataId, after.at < before.at, after.loggedAt >= before.loggedAt]).toEqual([late.id, true, true])
})

test('the detection of a deposit is one event, whether its sighting or its execution is logged first', async () => {
  for (const isSightingFirst of [true, false]) {
    const { store, clock, eventLog, appender } = appending()
    const { id, deposit } = executionOf(1)
    const records = [
      () => store.sightings.save(sightingOf(1, { id, detectedAt: clock.now, updatedAt: clock.now })),
      // Another process saw it a little earlier.
      () => store.executions.save(executionOf(1, {}, { ...deposit, detectedAt: clock.now - 7 })),
    ]
    for (const save of isSightingFirst ? records : records.toReversed()) {
      await save()
      await appender().round()
    }
    expect(eventLog.all().map(({ type }) => type)).toEqual(['deposit.detected'])
  }
})

test('the detection of a refund comes before the refund or not at all', async () => {
  const { id, deposit } = executionOf(1)
  const typesIf = async (isSightingFirst: boolean) => {
    const { store, clock, eventLog, appender } = appending()
    const records = [
      () => store.sightings.save(sightingOf(1, { id, detectedAt: clock.now, updatedAt: clock.now })),
      () => store.executions.save(executionOf(1, { refundOf: 'exe' }, { ...deposit, detectedAt: clock.now })),
    ]
    for (const save of isSightingFirst ? records : records.toReversed()) {
      await save()
      await appender().round()
    }
    return eventLog.all().map(({ type }) => type)
  }
  expect(await typesIf(true)).toEqual(['deposit.detected', 'deposit.returned'])
  expect(await typesIf(false)).toEqual(['deposit.returned'])
})

test('each time that the block of a transfer is dropped is an event, even if the transfer is seen again before', async () => {
  const { sightings, clock, eventLog, appender } = appending()
  const seen = (await sightings.save(sightingOf(1, { detectedAt: clock.now, updatedAt: clock.now })))!
  const times = [clock.now + 1, clock.now + 3]
  let known = seen
  for (const at of times) {
    const orphanedAt = [...(known.orphanedAt ?? []), at]
    known = (await sightings.save({ ...known, stage: 'ORPHANED', orphanedAt, updatedAt: at }))!
    known = (await sightings.save({ ...known, stage: 'CONFIRMING', updatedAt: at + 1 }))!
  }
  clock.now += 10
  await appender().round()
  expect(eventLog.all().map(({ type, at }) => [type, at])).toEqual([
    ['deposit.detected', clock.now - 10],
    ...times.map((at) => ['deposit.orphaned', at]),
  ])
})

test('no dropped block is an event after the refund or the second entry of its record', async () => {
  const typesAfter = async (refundOf: string | null, steps: number) => {
    const { id, deposit } = executionOf(1)
    const { store, clock, eventLog, appender, ownMark, save } = appending()
    const at = clock.now
    const dropped = { stage: 'ORPHANED', orphanedAt: [at + 1], updatedAt: at + 1 } as const
    // The process that saw the transfer stopped before it logged this.
    const sighting = (await store.sightings.save(sightingOf(1, { id, detectedAt: at, ...dropped })))!
    await store.sightings.save({ ...sighting, stage: 'CONFIRMED', updatedAt: at + 2 })
    clock.now += 10
    const record = await save(advanced(executionOf(1, { refundOf }, { ...deposit, detectedAt: at }), steps, at + 5))
    const worker = appender()
    await worker.round([ownMark(record)], false)
    await worker.round()
    return eventLog.all().map(({ type }) => type)
  }
  expect(await typesAfter(null, 0)).toEqual(['deposit.detected', 'deposit.orphaned'])
  expect(await typesAfter(null, 1)).toEqual(['deposit.detected', 'execution.moved'])
  expect(await typesAfter('exe', 0)).toEqual(['deposit.returned'])
  expect(await typesAfter('exe', 2)).toEqual(['deposit.returned', 'execution.moved', 'execution.moved'])
})

test('a mark is removed five seconds after the last event, and a poll in between keeps it', async () => {
  const { detected, save, clock, executions, eventMarks, appender } = appending()
  const one = appender()
  const marks = () => eventMarks.due('executions', -1, clock.now, 10)
  const record = await detected(1)
  await one.round()
  clock.now += 4_999
  await save({ ...executions.get(record.id), dueAt: clock.now })
  await one.round()
  expect(await marks()).toHaveLength(1)
  clock.now += 1
  await one.round()
  expect(await marks()).toEqual([])
})

test('a record that gains an event while its mark is being removed keeps the mark', async () => {
  const { detected, save, clock, eventMarks, eventLog, appender } = appending()
  const record = await detected(1)
  const clear: EventMarks['clear'] = async (marks) => {
    if (eventLog.all().length === 1) await save(advanced(record, 1, clock.now))
    await eventMarks.clear(marks)
  }
  const one = appender({ eventMarks: { ...eventMarks, clear } })
  await one.round()
  wait(clock)
  await one.round()
  await one.round()
  expect(namesOf(eventLog.all())).toEqual([`${record.id} 1`, `${record.id} 2`])
})

test('a record that cannot be rendered is reported and keeps its mark, and the others go on', async () => {
  const { detected, save, store, clock, troubles, eventLog, eventMarks, appender } = appending()
  // Its second entry could be rendered, but no event may follow one that is missing.
  const broken = await save(advanced(await detected(1), 1, clock.now))
  await detected(2)
  store.executions.change(broken.id, { deposit: null as never })
  const one = appender()
  await one.round()
  wait(clock)
  await one.round()
  expect(eventLog.all().map(({ dataId }) => dataId)).toEqual([executionOf(2).id])
  expect(troubles.length).toBeGreaterThan(0)
  expect((await eventMarks.due('executions', -1, clock.now, 9)).map(({ id }) => id)).toContain(broken.id)
})

test('an event that has expired from the log is not logged again', async () => {
  const { detected, save, clock, eventLog, appender } = appending()
  const record = await detected(1)
  clock.now += 9 * 86_400_000
  await save(advanced(record, 1, clock.now))
  await appender().round()
  expect(namesOf(eventLog.all())).toEqual([`${record.id} 2`])
})

test('an entry that an earlier release logged as another type is not logged again', async () => {
  const { detected, save, clock, eventLog, appender } = appending()
  const record = await detected(1)
  await appender().round()
  const [first] = eventLog.all()
  await eventLog.append([{ ...first!, position: 2, seq: 2, type: 'execution.moved' }])
  clock.now += 1_000
  await save(step(record, clock.now, 'lane occupied', record.state, null))
  await appender().round()
  expect(namesOf(eventLog.all())).toEqual([`${record.id} 1`, `${record.id} 2`])
})

/** Fault at a request: the appender dies before or after it, or a second appender acts first. */
type Fault = 'NONE' | 'DIE_BEFORE' | 'DIE_AFTER' | 'RIVAL'
const faults: readonly Fault[] = ['NONE', 'NONE', 'NONE', 'NONE', 'DIE_BEFORE', 'DIE_AFTER', 'RIVAL']
type Plant = (log: EventLog, marks: EventMarks) => { eventLog: EventLog; eventMarks: EventMarks }
const sound: Plant = (eventLog, eventMarks) => ({ eventLog, eventMarks })

/** Lives a random history with several appenders that die and stall. @returns the log and what it should hold. */
type Move = { n: number; steps: number; fault: Fault; isOwn: boolean }
async function lived(moves: readonly Move[], plant: Plant) {
  const { store, clock, appender, save, ownMark } = appending()
  const { eventLog, eventMarks } = store
  let fault: Fault = 'NONE'
  const meeting =
    <Args extends unknown[], Answer>(ask: (...asked: Args) => Promise<Answer>) =>
    async (...asked: Args): Promise<Answer> => {
      const met = fault
      fault = 'NONE'
      if (met === 'DIE_BEFORE') throw new Error('killed')
      if (met === 'RIVAL') await rival.round()
      const answer = await ask(...asked)
      if (met === 'DIE_AFTER') throw new Error('killed')
      return answer
    }
  const planted = plant(eventLog, eventMarks)
  const rival = appender(planted)
  const newAppender = () =>
    appender({
      eventLog: { ...planted.eventLog, append: meeting(planted.eventLog.append) },
      eventMarks: { ...planted.eventMarks, clear: meeting(planted.eventMarks.clear) },
    })
  let one = newAppender()
  const records = new Map<number, Execution>()
  for (const { n, steps, fault: next, isOwn } of moves) {
    clock.now += 700
    const known = records.get(n)
    const saved = await save(known ? advanced(known, steps, clock.now) : executionOf(n, {}, { detectedAt: clock.now }))
    records.set(n, saved)
    fault = next
    await (isOwn ? one.round([ownMark(saved)], false) : one.round()).catch(() => {
      one = newAppender()
    })
  }
  fault = 'NONE' // a round without a request did not meet it
  for (let n = 0; n < 4; n++) {
    wait(clock)
    await newAppender().round()
  }
  const due = await eventMarks.due('executions', -1, clock.now, 100)
  return { log: eventLog.all(), records: [...records.values()], due }
}

function assureWhole({ log, records }: Awaited<ReturnType<typeof lived>>): void {
  expect(log.map(({ position }) => position)).toEqual(log.map((_, n) => n + 1))
  for (const record of records) {
    const expected = draftsOfExecution(record).map(({ id }) => id)
    expect(log.filter(({ dataId }) => dataId === record.id).map(({ id }) => id)).toEqual(expected)
  }
}

const move = fc.record({
  isOwn: fc.boolean(),
  n: fc.integer({ min: 1, max: 4 }),
  steps: fc.integer({ min: 1, max: 3 }),
  fault: fc.constantFrom(...faults),
})
const history = fc.array(move, { minLength: 1, maxLength: 25 })

test('appenders that die, stall or collide log every event once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (moves) => assureWhole(await lived(moves, sound))),
    { numRuns: 150 },
  )
})

const plants: Record<string, Plant> = {
  'the check for known events misses some': (eventLog, eventMarks) => ({
    eventLog: { ...eventLog, named: async () => [] },
    eventMarks,
  }),
  'an append does not refuse a taken position': (eventLog, eventMarks) => ({
    eventLog: {
      ...eventLog,
      append: async (events) => {
        const from = (await eventLog.head())?.position ?? 0
        return eventLog.append(events.map((one, n) => ({ ...one, position: from + n + 1 })))
      },
    },
    eventMarks,
  }),
  'a batch is inserted in any order': (eventLog, eventMarks) => ({
    eventLog: {
      ...eventLog,
      append: (events) =>
        eventLog.append(events.toReversed().map((one, n) => ({ ...one, position: events[n]!.position }))),
    },
    eventMarks,
  }),
  'a mark is removed before its events are logged': (eventLog, eventMarks) => ({
    eventLog,
    eventMarks: {
      ...eventMarks,
      due: async (...asked) => {
        const found = await eventMarks.due(...asked)
        await eventMarks.clear(found.map((mark) => ({ ...mark, next: null })))
        return found
      },
    },
  }),
}

testAll(Object.entries(plants))('the simulation notices each planted bug', async (_bug, plant) => {
  const check = await fc.check(
    fc.asyncProperty(history, async (moves) => {
      assureWhole(await lived(moves, plant))
    }),
    { numRuns: 300 },
  )
  expect(check.failed).toBe(true)
})
