import { expect, test } from 'bun:test'
import { eventAppending } from '../../src/app/event-log'
import { chains, perChain } from '../../src/domain/chain/chain'
import { TokenList } from '../../src/domain/money/token'
import { ownMarks } from '../../src/events/own-marks'
import type { EventMarks, OwnMark } from '../../src/ports/webhooks'
import { executionOf } from '../support/deposits'
import { storeInMemory } from '../support/stores'
import { until } from '../support/until'

/** A process that appends. `signalMarked` is its listener for signals of marked records. */
function appending(changed: (eventMarks: EventMarks) => Partial<EventMarks>) {
  const store = storeInMemory()
  const own = ownMarks()
  let signalMarked = (_isOwn: boolean): boolean => false
  let appendedCount = 0
  const { executions, eventLog, eventMarks, semaphoreRecords, scanCursors } = store
  const process = eventAppending({
    records: store,
    eventLog,
    eventMarks: { ...eventMarks, ...changed(eventMarks) },
    semaphoreRecords,
    facts: {
      tokens: new TokenList([]),
      chains: perChain((_id, name) => ({ confirmations: chains[name].confirmations })),
      scanCursors,
    },
    signals: {
      marked: {
        send: () => {},
        subscribe: (listener) => {
          signalMarked = listener
        },
      },
      appended: {
        send: () => {
          appendedCount += 1
        },
        subscribe: () => {},
      },
      own,
    },
    name: 'one',
    now: Date.now,
    onTrouble: (_, error) => {
      throw error
    },
  })
  const detect = async (n: number): Promise<OwnMark> => {
    const record = (await executions.save(executionOf(n, {}, { detectedAt: Date.now() })))!
    return { collection: 'executions', id: record.id, record, ...executions.marks.get(record.id)! }
  }
  const logged = () => eventLog.all().map(({ dataId }) => dataId)
  const heldLease = () =>
    until('it holds the lease', (note) => {
      note({ isHeld: signalMarked(true), leases: semaphoreRecords.all() })
      return signalMarked(true)
    })
  return {
    process,
    own,
    detect,
    logged,
    heldLease,
    signalMarked: (isOwn: boolean) => signalMarked(isOwn),
    appended: () => appendedCount,
  }
}

test('the marks of its own process are logged although no poll finds them', async () => {
  const { process, own, detect, logged, heldLease, signalMarked, appended } = appending(() => ({ due: async () => [] }))
  process.start()
  await heldLease()
  own.note([await detect(1)])
  expect(signalMarked(true)).toBe(true)
  await until('it is logged', (note) => note(logged()).length === 1)
  await until('readers get a signal', (note) => note(appended()) === 1)
  await process.stop()
})

test('a write that might have marked records, and a signal of another process, make it poll', async () => {
  let polls = 0
  const { process, own, detect, logged, heldLease, signalMarked } = appending(({ due }) => ({
    due(...asked) {
      polls += 1
      return due(...asked)
    },
  }))
  process.start()
  await heldLease()
  for (const [n, cause] of [() => own.note(null), () => {}].entries()) {
    const before = polls
    await detect(n + 1)
    cause()
    signalMarked(n === 0)
    await until('it is logged', (note) => note(logged()).length === n + 1)
    expect(polls).toBeGreaterThan(before)
  }
  await process.stop()
})
