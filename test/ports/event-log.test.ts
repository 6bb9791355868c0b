import { describe, expect, test } from 'bun:test'
import { withHistoryEntry } from '../../machines/execution'
import { markedCollections } from '../../src/domain/event-marks'
import type { Execution } from '../../src/domain/execution/execution'
import { newApiKey } from '../../src/http/dashboard/new-tenants'
import type { EventMark, LoggedEvent } from '../../src/ports/webhooks'
import { addressOf, executionOf, sightingOf } from '../support/deposits'
import { engineStores, type Store } from '../support/stores'
import { endpointOf } from '../support/webhooks'

const eventOf = (position: number, change: Partial<LoggedEvent> = {}): LoggedEvent => ({
  ...{ position, id: `evt_${position}`, dataId: `d${position % 3}`, seq: position, type: 'deposit.detected' },
  ...{ organizationId: 'org_1', userId: 'ada', at: 9, loggedAt: 100 * position, text: `{"n":${position}}` },
  ...change,
})
const positions = (events: readonly LoggedEvent[]) => events.map(({ position }) => position)
const whole = { organizationId: null }

describe.each(engineStores)('the event log, %s', (_name, open) => {
  test('an event is stored as it was appended, and the last one is the head', async () => {
    const { store, other } = await open()
    expect(await store.eventLog.head()).toBeNull()
    const all = [eventOf(1), eventOf(2, { organizationId: null, userId: null, seq: 0 })]
    expect(await store.eventLog.append(all)).toBe(true)
    expect(await other.eventLog.after(0, whole, 9)).toEqual(all)
    expect(await other.eventLog.head()).toEqual(all[1]!)
  })

  test('a batch stops at a taken position, so the log has no gap and nothing is replaced', async () => {
    const { store, other } = await open()
    await store.eventLog.append([eventOf(1), eventOf(2)])
    const [first, second] = [eventOf(2, { id: 'evt_other' }), eventOf(3, { id: 'evt_next' })]
    expect(await other.eventLog.append([first, second])).toBe(false)
    expect(positions(await other.eventLog.after(0, whole, 9))).toEqual([1, 2])
    expect(await other.eventLog.positionOf('evt_other')).toBeNull()
  })

  test('only one of many processes that append at one position succeeds', async () => {
    const { store, other } = await open()
    const batches = Array.from({ length: 8 }, (_, n) =>
      [1, 2, 3].map((position) => eventOf(position, { id: `evt_${n}_${position}` })),
    )
    const results = await Promise.all(batches.map((batch, n) => (n % 2 ? store : other).eventLog.append(batch)))
    expect(results.filter(Boolean)).toHaveLength(1)
    const log = await store.eventLog.after(0, whole, 99)
    expect(log.map(({ id }) => id)).toEqual(batches[results.indexOf(true)]!.map(({ id }) => id))
  })

  test('events are read after a position, by organization with those of all, by user and by object', async () => {
    const { store, other } = await open()
    const whose = [{}, { organizationId: 'org_2' }, { organizationId: null, userId: null }, { userId: 'bob' }, {}, {}]
    await store.eventLog.append(whose.map((change, n) => eventOf(n + 1, change)))
    const read = async (scope: object, after = 0, limit = 9) =>
      positions(await other.eventLog.after(after, { organizationId: 'org_1', ...scope }, limit))
    expect(await read({})).toEqual([1, 3, 4, 5, 6])
    expect([await read({}, 1, 2), await read({}, 4), await read({}, 6)]).toEqual([[3, 4], [5, 6], []])
    expect([await read(whole), await read(whole, 2, 2)]).toEqual([
      [1, 2, 3, 4, 5, 6],
      [3, 4],
    ])
    expect([await read({ userId: 'bob' }), await read({ userId: 'ada' }, 1)]).toEqual([[4], [5, 6]])
    expect([await read({ dataId: 'd1' }), await read({ dataId: 'd1', organizationId: 'org_2' })]).toEqual([[1, 4], []])
    expect(await read({ ...whole, userId: 'ada' })).toEqual([1, 2, 5, 6])
  })

  test('readers that follow an appender get each event of their organization and of all, in order', async () => {
    const { store, other } = await open()
    const last = 200
    const follow = async () => {
      const read: number[] = []
      while (read.at(-1) !== last)
        read.push(...positions(await other.eventLog.after(read.at(-1) ?? 0, { organizationId: 'org_1' }, 50)))
      return read
    }
    const following = Array.from({ length: 8 }, follow)
    for (let n = 1; n <= last; n += 2)
      await store.eventLog.append([eventOf(n), eventOf(n + 1, { organizationId: null })])
    const all = Array.from({ length: last }, (_, n) => n + 1)
    expect(await Promise.all(following)).toEqual(following.map(() => all))
  })

  test('an event is found by its id, by its object and by the time when it was logged', async () => {
    const { store, other } = await open()
    expect(await other.eventLog.positionBefore(5)).toBe(0)
    await store.eventLog.append([1, 2, 3, 4, 5, 6, 7].map((n) => eventOf(n, { loggedAt: 100 * Math.ceil(n / 2) })))
    expect([await other.eventLog.positionOf('evt_5'), await other.eventLog.positionOf('evt_9')]).toEqual([5, null])
    const named = await other.eventLog.named(['d1', 'd9'])
    expect(named.map(({ seq }) => seq).toSorted()).toEqual([1, 4, 7])
    expect(named[0]).toEqual({ id: 'evt_1', dataId: 'd1', seq: 1, type: 'deposit.detected' })
    const before = await Promise.all([0, 100, 101, 200, 300, 301, 400, 401].map(other.eventLog.positionBefore))
    expect(before).toEqual([0, 0, 2, 2, 4, 6, 6, 7])
  })
})

const at = 1_000
const entry = {
  at: at + 5,
  event: 'lane taken',
  from: 'taking lane',
  to: 'verifying balance',
  status: null,
  note: null,
}
const moved = (record: Execution, when = at + 5): Execution =>
  withHistoryEntry({ ...record, state: 'verifying balance' }, { ...entry, at: when })
const marksOf = async ({ eventMarks }: Store): Promise<EventMark[]> =>
  (await Promise.all(markedCollections.map((name) => eventMarks.due(name, -1, Number.MAX_SAFE_INTEGER, 99)))).flat()

describe.each(engineStores)('the marks of events, %s', (_name, open) => {
  test('a write that adds an event marks its record, and a poll or a lost race does not', async () => {
    const { store, other } = await open()
    const first = (await store.executions.save(executionOf(1, {}, { detectedAt: at })))!
    const [mark, ...more] = await marksOf(other)
    expect([mark, more]).toMatchObject([{ collection: 'executions', id: first.id, dueAt: at }, []])
    await other.eventMarks.clear([{ ...mark!, next: null }])
    const polled = (await store.executions.save({ ...first, dueAt: 77 }))!
    expect(await marksOf(other)).toEqual([])
    expect(await store.executions.save({ ...moved(first), dueAt: 78 })).toBeNull()
    expect(await marksOf(other)).toEqual([])
    await store.executions.save(moved(polled))
    expect(await marksOf(other)).toMatchObject([{ dueAt: at + 5 }])
  })

  test('a mark is removed only if the record was not marked again, even for the same time', async () => {
    const { store, other } = await open()
    const first = (await store.executions.save(executionOf(1, {}, { detectedAt: at })))!
    const [before] = await marksOf(other)
    const second = (await store.executions.save(moved(first, at)))!
    await other.eventMarks.clear([{ ...before!, next: null }])
    const [after] = await marksOf(other)
    expect([after!.dueAt, after!.mark === before!.mark]).toEqual([at, false])
    await store.executions.save({ ...second, dueAt: 79 })
    await other.eventMarks.clear([{ ...after!, next: null }])
    expect(await marksOf(other)).toEqual([])
    expect((await other.executions.load(first.id))!.version).toBe(3)
  })

  test('a writer that does not have the replaced version marks the record', async () => {
    const { store, other } = await open()
    const first = (await store.executions.save(executionOf(1, {}, { detectedAt: at })))!
    const [mark] = await marksOf(other)
    await other.eventMarks.clear([{ ...mark!, next: null }])
    await other.executions.save({ ...first, dueAt: 80 })
    const marks = await marksOf(other)
    expect(marks.length <= 1 && marks.every(({ dueAt }) => dueAt === at)).toBe(true)
  })

  test('each other record with an event is marked: for its time, or for the time when the event is due', async () => {
    const { store, other } = await open()
    await store.sightings.save(sightingOf(1, { detectedAt: at, updatedAt: at }))
    await store.sightings.save(sightingOf(2, { detectedAt: at, updatedAt: at, stage: 'CONFIRMED' }))
    const { apiKey } = newApiKey({ organizationId: 'org_1', label: 'x', expiresAt: at + 30 * 86_400_000 }, at)
    await store.apiKeys.save(apiKey)
    const endpoint = (await store.webhookEndpoints.save(endpointOf('whe_1', 'org_1', at)))!
    const gone = { at: at + 1, reason: 'GONE', isTold: false } as never
    await store.webhookEndpoints.save({ ...endpoint, enabled: false, disablings: [gone] })
    const times = { createdAt: at, updatedAt: at, until: null, resumedAt: null }
    for (const id of ['all', 'tenant:org_1'])
      await store.pauses.save({ id, version: 0, reason: 'r', by: 'ops', ...times })
    const warning = { organizationId: 'org_1', quotaKey: 'k', percent: 80, limit: 10, used: 8 }
    await store.quotaWarnings.note({ id: 'w', at, ...warning })
    const intent = {
      ...{ id: addressOf(1), version: 0, organizationId: 'org_1', userId: 'ada', apiKeyId: 'key_1' },
      ...{
        targetChainId: 1 as const,
        targetTokenAddress: addressOf(2),
        targetAddress: addressOf(3),
        protocolFeeBps: 0,
      },
      ...{ sponsoredGas: false, refundAddress: null, createdAt: at, updatedAt: at, seal: null, changedBy: null },
    } as const
    await store.intents.save(intent)
    const marks = await marksOf(other)
    expect(marks.map(({ collection, id, dueAt }) => [collection, id, dueAt])).toEqual([
      ['sightings', sightingOf(1).id, at],
      ['intents', addressOf(1), at],
      ['pauses', 'all', at],
      ['apiKeys', apiKey.id, at + 23 * 86_400_000],
      ['webhookEndpoints', 'whe_1', at + 1],
      ['quotaWarnings', 'w', at],
    ])
    const [key] = await other.eventMarks.due('apiKeys', -1, Number.MAX_SAFE_INTEGER, 9)
    await other.eventMarks.clear([{ ...key!, next: key!.dueAt + 1 }])
    expect(await other.eventMarks.due('apiKeys', key!.dueAt, key!.dueAt + 1, 9)).toMatchObject([
      { id: key!.id, dueAt: key!.dueAt + 1 },
    ])
    // A new seal of an intent is a version without an event.
    const [mark] = await other.eventMarks.due('intents', -1, at, 9)
    await other.eventMarks.clear([{ ...mark!, next: null }])
    const stored = (await store.intents.load(addressOf(1)))!
    await store.intents.save({ ...stored, seal: 'new' })
    expect(await other.eventMarks.due('intents', -1, at, 9)).toEqual([])
  })

  test('marks are read in the order of their times, after one time and up to another', async () => {
    const { store, other } = await open()
    for (const n of [3, 1, 2]) await store.sightings.save(sightingOf(n, { detectedAt: n, updatedAt: 10 * n }))
    const due = async (after: number, to: number, limit = 9) =>
      (await other.eventMarks.due('sightings', after, to, limit)).map(({ dueAt }) => dueAt)
    expect([await due(-1, 99), await due(10, 20), await due(-1, 99, 2), await due(30, 99)]).toEqual([
      [10, 20, 30],
      [20],
      [10, 20],
      [],
    ])
  })
})
