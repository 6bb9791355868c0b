import { expect, test } from 'bun:test'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf } from '../../support/deposits'
import { eventsOn } from '../../support/events'
import { mongoUrl } from '../../support/servers'
import type { Store } from '../../support/stores'
import { account, step, streaming, untilReceived } from '../events/streaming'
import { usdc } from '../world'

// Set SECONDS=20 for a long run.
const seconds = Number(process.env['SECONDS'] ?? 3)
const perSecond = 200
const batchMs = 50

const way = [
  'screening deposit',
  'taking lane',
  'verifying balance',
  'finding route',
  'pricing fees',
  'signing order',
  'PENDING',
  'RUNNING',
  'SUCCESS',
]
const statusAt = (to: string) => (to === to.toUpperCase() ? (to as Execution['status']) : null)
/** Writes as a worker does: all steps before PENDING in one write, then each status separately. */
function written(record: Execution, at: number): Execution {
  const from = way.indexOf(record.state) + 1
  const to = Math.max(from, way.indexOf('PENDING'))
  return way.slice(from, to + 1).reduce((one, state) => step(one, at, `to ${state}`, state, statusAt(state)), record)
}

type EventMessage = { data: { id: string }; seq: number; transition: { from: string | null; to: string } | null }
test(`the stream’s counts equal the database’s at any moment under ${perSecond} deposits a second`, async () => {
  const connection = await connectMongo(await mongoUrl())
  const store = mongoStore(connection, 'counts', Date.now)
  await store.ensureIndexes()
  const { executions, executionQueries, eventLog } = store
  const events = eventsOn(eventLog)
  const world = await streaming({ eventLog, events }, store as unknown as Store)
  const stream = await world.open(world.client, {}, '?types=deposit.*,execution.*,execution.moved')
  await untilReceived('the stream is open', () => stream.received.text.startsWith('retry: 3000'))
  /** The reported states of each execution, by the number of the history entry. */
  const told = new Map<string, string[]>()
  const receive = (): void => {
    const end = stream.received.text.lastIndexOf('\n\n')
    const frames = stream.received.text.slice(0, Math.max(end, 0)).split('\n\n')
    stream.received.text = stream.received.text.slice(end === -1 ? 0 : end + 2)
    for (const frame of frames) {
      if (!frame.startsWith('id: ')) continue
      const { data, seq, transition } = JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as EventMessage
      const states = told.get(data.id) ?? []
      expect(seq).toBe(states.length + 1) // each once, and in order
      expect(transition!.from).toBe(states.at(-1) ?? null)
      told.set(data.id, [...states, transition!.to])
    }
  }

  const began = Date.now()
  const ends: Promise<unknown>[] = []
  let fed = 0
  /** One in ten executions stays under way until then, on a machine of any speed. */
  const allFed = Promise.withResolvers<void>()
  async function live(n: number): Promise<void> {
    const found = executionOf(n, { organizationId: 'org_a' }, { account, token: usdc.base, detectedAt: Date.now() })
    let record = found
    const saved = async (next: Execution) => (await executions.save(next)) ?? (await executions.load(found.id))!
    for (record = await saved(found); record.state !== 'SUCCESS'; ) {
      if (n % 10 === 0 && record.state === 'RUNNING') await allFed.promise
      record = await saved(written(record, Date.now()))
    }
  }
  const feeding = (async () => {
    for (; fed < seconds * perSecond; await Bun.sleep(batchMs)) {
      const due = Math.min(Math.floor(((Date.now() - began) * perSecond) / 1_000), seconds * perSecond)
      for (; fed < due; fed++) ends.push(live(fed + 1))
    }
  })()

  const collection = connection.db!.collection<{ _id: string; seq: number; state: string }>('executions')
  let [moments, moving] = [0, 0]
  async function compare(): Promise<void> {
    // One query sees one moment: the number of executions in each state, and the progress of each.
    const all = await collection.find({ organizationId: 'org_a' }, { projection: { seq: 1, state: 1 } }).toArray()
    await untilReceived('every stored step of every execution', () => {
      receive()
      return all.every(({ _id, seq }) => (told.get(_id)?.length ?? 0) >= seq)
    })
    expect(
      Map.groupBy(all, ({ _id, seq }) => told.get(_id)![seq - 1]!)
        .entries()
        .map(size)
        .toArray()
        .toSorted(),
    ).toEqual(
      Map.groupBy(all, ({ state }) => state)
        .entries()
        .map(size)
        .toArray()
        .toSorted(),
    )
    moments += 1
    moving += all.some(({ state }) => state !== 'SUCCESS') ? 1 : 0
  }
  while (fed < seconds * perSecond) {
    await Promise.race([feeding, Bun.sleep(300)])
    await compare()
  }
  await compare() // with those that stay under way
  allFed.resolve()
  await Promise.all(ends)
  await compare()
  expect(moving).toBeGreaterThan(0)
  expect(await executionQueries.countByState({ organizationId: 'org_a' }, 9)).toMatchObject([
    { state: 'SUCCESS', count: seconds * perSecond },
  ])
  console.log(
    `${fed} deposits in ${Date.now() - began} ms, ${moments} counts compared, ${moving} while something moved`,
  )
  stream.leave()
  await Promise.all([world.stopPublishing(), events.left()])
  await connection.close()
})

const size = ([state, rows]: [string, unknown[]]) => `${state} ${rows.length}`
