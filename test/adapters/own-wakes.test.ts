import { afterEach, expect, test } from 'bun:test'
import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { ownWakesFirst } from '../../src/adapters/own-wakes'
import { readWake } from '../../src/domain/wake-messages'
import type { Wake, Wakes } from '../../src/ports/wakes'
import { hashOf } from '../support/deposits'
import { natsUrl } from '../support/servers'
import { until } from '../support/until'
import { wakesInMemory } from '../support/wakes'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const id = (n: number) => `8453:${hashOf(n)}:0`
const concurrency = 8
/** What a process keeps for itself of this concurrency. */
const kept = 2
/** Wake-ups in the messages that a process requests before it has slots for them. */
const fetchedAheadMax = 16

/** A process whose worker holds every wake-up that it gets until a test answers it. */
function processOn(messages: Wakes) {
  const wakes = ownWakesFirst(messages, noTelemetry)
  const got: Wake[] = []
  let inHand = 0
  const listening = wakes
    .wakes(concurrency, () => inHand)
    .subscribe((wake) => {
      inHand += 1
      const end = (answer: () => void) => () => {
        inHand -= 1
        answer()
      }
      got.push({
        ...wake,
        ack: end(wake.ack),
        nak: (ms) => end(() => wake.nak(ms))(),
        term: (why) => end(() => wake.term(why))(),
      })
    })
  closing.push(() => listening.unsubscribe())
  return { wakes, got, listening, ids: () => got.map(({ data }) => readWake(data)!.id) }
}

/** Two processes: the second one is idle, and gets nothing but messages. */
const inMemory = () => {
  const messages = wakesInMemory()
  return { ...processOn({ ...messages, wakes: () => idleMessages(messages).none }), sent: messages.messages }
}
const idleMessages = (messages: Wakes) => ({ none: messages.wakes(0) })

test('a worker with little in hand gets the wake-ups of its own process without a message', async () => {
  const { wakes, got, ids, sent } = inMemory()
  await wakes.wakeNow({ id: id(1), bucket: 0 })
  await wakes.wakeNow({ id: id(2), bucket: 0, isDue: true })
  expect(ids()).toEqual([id(1), id(2)])
  expect(got.map(({ data }) => readWake(data)!.isImmediate)).toEqual([true, false])
  expect(sent).toEqual([])
})

test('further wake-ups are messages until one of its own is answered', async () => {
  const { wakes, got, ids, sent } = inMemory()
  for (let n = 0; n <= kept; n++) await wakes.wakeNow({ id: id(n), bucket: 0 })
  expect([ids(), sent.length]).toEqual([[id(0), id(1)], 1])
  got[0]!.ack()
  for (const n of [8, 9]) await wakes.wakeNow({ id: id(n), bucket: 0 })
  expect([ids(), sent.length]).toEqual([[id(0), id(1), id(8)], 2])
})

test('a refused wake-up comes back, with its count', async () => {
  const { wakes, got, ids, sent } = inMemory()
  await wakes.wakeNow({ id: id(1), bucket: 0 })
  got[0]!.nak(1)
  await until('it is back', (note) => note(got.length) === 2)
  expect([ids(), got.map(({ redeliveries }) => redeliveries)]).toEqual([
    [id(1), id(1)],
    [0, 1],
  ])
  got[1]!.term('never')
  for (let n = 0; n < kept; n++) await wakes.wakeNow({ id: id(n), bucket: 0 })
  got[3]!.nak(1)
  await wakes.wakeNow({ id: id(5), bucket: 0 }) // takes the place of the refused one
  await until('the refused one is a message', (note) => note(sent.length) === 1)
})

test('a process whose worker has stopped, or that has none, sends messages', async () => {
  const { wakes, got, listening, sent } = inMemory()
  listening.unsubscribe()
  await wakes.wakeNow({ id: id(1), bucket: 0 })
  await ownWakesFirst({ ...wakes }, noTelemetry).wakeNow({ id: id(2), bucket: 0 })
  expect([got.length, sent.length]).toEqual([0, 2])
})

test('wake-ups on NATS reach an idle process while the process that sends them is busy', async () => {
  const prefix = `own_${crypto.randomUUID().slice(0, 8)}_`
  const open = async () => {
    const connection = await connectNats(await natsUrl())
    closing.push(() => connection.close())
    const messages = natsMessages(connection, { prefix })
    await messages.ensureStreams()
    return processOn(messages.wakes)
  }
  const [busy, idle] = [await open(), await open()]
  const all = Array.from({ length: 60 }, (_, n) => id(n))
  let answered = 0
  const sent = all.map((one) => busy.wakes.wakeNow({ id: one, bucket: 3 }))
  await until('the idle process gets all that the busy one does not hold', (note) => {
    for (; answered < idle.got.length; answered++) idle.got[answered]!.ack()
    return note(answered) >= all.length - kept - concurrency - fetchedAheadMax
  })
  await Promise.all(sent)
  const ids = [...busy.ids(), ...idle.ids()]
  expect(new Set(ids).size).toBe(ids.length)
  expect(busy.ids().slice(0, kept)).toEqual(all.slice(0, kept))
})
