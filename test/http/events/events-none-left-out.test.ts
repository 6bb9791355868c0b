import { describe, expect, test } from 'bun:test'
import { stateNames } from '../../../machines/execution'
import type { Execution } from '../../../src/domain/execution/execution'
import { isStatus } from '../../../src/domain/execution/status'
import { executionOf, sightingOf } from '../../support/deposits'
import { amount, sample } from '../../support/depth'
import { eventsOn } from '../../support/events'
import { type Store, stores } from '../../support/stores'
import { until } from '../../support/until'
import { usdc } from '../world'
import { account, step, streaming, untilReceived } from './streaming'

/** The moments of a busy hour, and how many deposits begin in each. */
const [moments, begunAtOnce] = sample(
  'loads of a busy hour',
  [
    [2, 100],
    [5, 200],
  ],
  1,
).at(-1) as [number, number]

type EventMessage = {
  id: string
  type: string
  seq: number
  transition: { event: string; from: string | null; to: string } | null
  data: { id: string }
}

const all = '?types=deposit.*,execution.*,execution.moved'

const found = (n: number, at: number, organizationId = 'org_a'): Execution =>
  executionOf(n, { organizationId }, { account, token: usdc.base, detectedAt: at })

const way = ['screening deposit', 'taking lane', 'verifying balance', 'finding route', 'PENDING', 'RUNNING', 'SUCCESS']
const stepOn = (record: Execution, at: number): Execution => {
  const to = way[way.indexOf(record.state) + 1]!
  return step(record, at, `to ${to}`, to, isStatus(to) ? to : record.status)
}
/** Advances a record as one write does: every entry has the same time. */
const routed = (record: Execution, at: number): Execution =>
  record.state === 'PENDING' ? record : routed(stepOn(record, at), at)

/** The events of a stream so far. Each frame is read once. */
function reading(received: { text: string }) {
  const told: EventMessage[] = []
  return (): EventMessage[] => {
    const end = received.text.lastIndexOf('\n\n')
    const frames = received.text.slice(0, Math.max(end, 0)).split('\n\n')
    received.text = received.text.slice(end === -1 ? 0 : end + 2)
    for (const frame of frames)
      if (frame.startsWith('id: ')) told.push(JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as EventMessage)
    return told
  }
}

/** An API process on a store. Its stream is opened before the first event. */
async function process(store: Store, types = all) {
  const events = eventsOn(store.eventLog)
  const world = await streaming({ eventLog: store.eventLog, events }, store)
  const stream = await world.open(world.client, {}, types)
  await untilReceived('the stream is open', () => stream.received.text.startsWith('retry: 3000'))
  let next = `/api/events${types}`
  /** Follows the links to the end. */
  const read = async (): Promise<EventMessage[]> => {
    const told: EventMessage[] = []
    let page: EventMessage[]
    do {
      const { json, headers } = await world.ask(next, { key: world.client })
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
      page = json
      told.push(...page)
    } while (page.length > 0)
    return told
  }
  const received = reading(stream.received)
  /** Waits until the stream has sent this many events. The failure shows what it sent instead. */
  const heardAll = async (count: number): Promise<EventMessage[]> => {
    const told = await until(`${count} events, or the end of the stream`, (note) => {
      const told = received()
      const { isOver, text } = note({ count: told.length, ...stream.received })
      if (isOver && told.length < count) throw new Error(`It ended after ${told.length} of ${count} events: ${text}`)
      return told.length >= count && told
    })
    return told
  }
  const leave = (): Promise<unknown> => {
    stream.leave()
    return Promise.all([world.stopPublishing(), events.left()])
  }
  return { ...store, read, received, heardAll, leave }
}

/** The database is the stricter one of the two. */
describe.each(sample('stores', stores.toReversed(), 1))('no event is left out, %s', (_name, open) => {
  const processes = async (types?: string) => {
    const { store, other } = await open(Date.now)
    return [await process(store, types), await process(other, types)] as const
  }

  test('an event stored half a minute late is sent once and in order, by stream and by list', async () => {
    const [one, two] = await processes()
    const saved = await one.executions.save(found(1, Date.now()))
    expect((await Promise.all([one.heardAll(1), two.heardAll(1)])).map((told) => told.length)).toEqual([1, 1])
    expect([await one.read(), await two.read()].map((told) => told.map(({ seq }) => seq))).toEqual([[1], [1]])
    const late = routed(saved!, Date.now() - 30_000)
    await one.executions.save(late)
    for (const each of [one, two]) {
      expect((await each.heardAll(6)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
      const read = await each.read()
      expect(read.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6])
      expect(read.map(({ id }) => id)).toEqual(
        each
          .received()
          .slice(1)
          .map(({ id }) => id),
      )
      await each.leave()
    }
  })

  test('more events of one millisecond than a page holds are all sent, along with hundreds of sightings', async () => {
    const [one, two] = await processes('?types=execution.pending')
    const at = Date.now()
    const most = amount('events of one millisecond', { usual: 1_100, full: 2_100 })
    const numbers = Array.from({ length: most }, (_, n) => n + 1)
    const begun = await Promise.all(numbers.map((n) => one.executions.save(found(n, at))))
    // More than a page of stored events.
    const seen = numbers
      .slice(0, 600)
      .map((n) => sightingOf(10_000 + n, { organizationId: 'org_a', account, token: usdc.base, detectedAt: at }))
    await Promise.all(seen.map((sighting) => one.sightings.save(sighting)))
    const moved = Date.now()
    await Promise.all(begun.map((record) => one.executions.save(routed(record!, moved))))
    for (const each of [one, two]) {
      const told = await each.heardAll(most)
      expect([told.length, new Set(told.map(({ id }) => id)).size]).toEqual([most, most])
      const read = (await each.read()).map(({ id }) => id)
      expect(read).toEqual(told.map(({ id }) => id))
      await each.leave()
    }
  })

  test('the replayed transitions always add up to the counts of the database', async () => {
    const [one, two] = await processes()
    const records: Execution[] = []
    for (let moment = 0; moment < moments; moment++) {
      // As many moves as in a second of a busy hour: some records advance a few steps, some end.
      const fresh = Array.from({ length: begunAtOnce }, (_, n) => found(moment * begunAtOnce + n + 1, Date.now()))
      const begun = await Promise.all(fresh.map((record) => one.executions.save(record)))
      records.push(...begun.map((record) => record!))
      const steps = [...records.keys()].map(async (n) => {
        const record = records[n]!
        if (record.state === 'SUCCESS' || n % 7 === moment) return
        records[n] = (await one.executions.save(stepOn(record, Date.now())))!
      })
      await Promise.all(steps)
      const rows = await one.executionQueries.countByState({ organizationId: 'org_a' }, 9)
      const counted: Record<string, number> = {}
      for (const { state, count } of rows) counted[state] = (counted[state] ?? 0) + count
      for (const each of [one, two]) {
        const entries = records.reduce((sum, { seq }) => sum + seq, 0)
        const counts: Record<string, number> = {}
        for (const { transition } of await each.heardAll(entries)) {
          expect(stateNames as string[]).toContain(transition!.to)
          counts[transition!.to] = (counts[transition!.to] ?? 0) + 1
          if (transition!.from !== null) counts[transition!.from]! -= 1
        }
        expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))).toEqual(counted)
      }
    }
    await one.leave()
    await two.leave()
  })
})
