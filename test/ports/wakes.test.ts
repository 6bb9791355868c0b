import { afterEach, describe, expect, test } from 'bun:test'
import { filter, firstValueFrom, mergeMap, type Subscription, take, timeout, toArray } from 'rxjs'
import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import { depositStream, wakeStream } from '../../src/adapters/nats/streams'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { pointersIn, readWake } from '../../src/domain/wake-messages'
import type { Telemetry } from '../../src/ports/observing'
import type { Pointers, Wake, Wakes } from '../../src/ports/wakes'
import { wakesWithFallback } from '../../src/routing/engine/wake-ups'
import { hashOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { natsUrl } from '../support/servers'
import { testAll } from '../support/test-all'
import { until } from '../support/until'
import { pointersInMemory, wakesInMemory } from '../support/wakes'

type Messages = { wakes: Wakes; pointers: Pointers; close: () => Promise<void> }
type OnNats = Messages & { connection: Awaited<ReturnType<typeof connectNats>> }

async function onNats(): Promise<OnNats> {
  const connection = await connectNats(await natsUrl())
  const prefix = `test_${crypto.randomUUID().slice(0, 8)}_`
  const messages = natsMessages(connection, { prefix })
  await messages.ensureStreams()
  const close = async () => {
    const manager = await connection.jetstreamManager()
    for (const stream of [wakeStream, depositStream]) await manager.streams.delete(stream({ prefix, replicas: 1 }))
    await connection.close()
  }
  return { ...messages, connection, close }
}

const inMemory = async (): Promise<Messages> => ({
  wakes: wakesInMemory(),
  pointers: pointersInMemory(),
  close: async () => {},
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const id = (n: number) => `8453:${hashOf(n)}:0`
const due = (n: number, version = 1, bucket = n % 8) => ({ id: id(n), version, bucket })
const called = ({ data }: Wake) => readWake(data)!

describe.each<[string, () => Promise<Messages>]>([
  ['in memory', inMemory],
  ['on NATS', onNats],
])('wakes %s', (_name, open) => {
  const opened = async (concurrency: number) => {
    const messages = await open()
    closing.push(messages.close)
    const got: Wake[] = []
    const arrivals = messages.wakes.wakes(concurrency)
    const listening: Subscription = arrivals.subscribe((wake) => {
      got.push(wake)
      for (const look of looks) look()
    })
    closing.push(() => listening.unsubscribe())
    const looks = new Set<() => void>()
    const count = (least: number) =>
      new Promise<Wake[]>((resolve) => {
        const look = () => got.length >= least && resolve(got.slice())
        looks.add(look)
        look()
      })
    return { ...messages, got, count, listening }
  }

  test('due executions arrive from every shard, and immediate wake-ups are marked', async () => {
    const { wakes, count } = await opened(20)
    for (let n = 0; n < 8; n++) await wakes.wake(due(n))
    await wakes.wakeNow({ id: id(9), bucket: 1 })
    const arrived = (await count(9)).map(called)
    expect(arrived.filter(({ isImmediate }) => isImmediate)).toEqual([{ id: id(9), isImmediate: true }])
    expect(arrived.map((call) => call.id).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9].map(id).toSorted())
  })

  test('each due time wakes once, and an immediate wake-up always', async () => {
    const { wakes, count, got } = await opened(20)
    await wakes.wake(due(1, 1))
    await wakes.wake(due(1, 1))
    await wakes.wake(due(1, 2))
    await wakes.wakeNow({ id: id(1), bucket: 1 })
    await wakes.wakeNow({ id: id(1), bucket: 1 })
    await wakes.wake(due(2, 1, 1))
    await count(5)
    expect(got.map(called).filter((call) => call.id === id(1))).toHaveLength(4)
  })

  test('an unanswered wake-up is sent again by only one sweep', async () => {
    const { wakes, count, got } = await opened(20)
    let now = 1_000
    const ports = {
      executions: executionsInMemory(),
      now: () => now,
      isInHand: () => false,
      hasCapacity: () => true,
      fullAt: () => 0,
    }
    const sweeps = [1, 2].map(() => wakesWithFallback({ ...ports, wakes }))
    const sweepAll = () => Promise.all(sweeps.map((each) => each.wake({ ...due(1, 2), dueAt: 1_000 })))
    await sweepAll()
    await count(1)
    for (now = 1_500; now <= 9_000; now += 500) await sweepAll()
    await wakes.wake(due(2, 1, 1)) // arrives later, because it is in the same shard
    const last = await count(5)
    expect(last.map((wake) => called(wake).id)).toEqual([id(1), id(1), id(1), id(1), id(2)])
    expect(got).toHaveLength(5)
  })

  test('only as many wake-ups are handed out as there are slots, across all shards', async () => {
    const { wakes, count, got } = await opened(3)
    for (let n = 0; n < 16; n++) await wakes.wake(due(n))
    await count(3)
    for (let answered = 0; answered < 16; answered++) {
      expect(got.length).toBeLessThanOrEqual(answered + 3)
      const all = await count(answered + 1)
      all[answered]!.ack()
    }
    expect(new Set(got.map((wake) => called(wake).id)).size).toBe(16)
  })

  test('a refused message is redelivered with its count, and a finished message is not', async () => {
    const { wakes, count, got } = await opened(4)
    await wakes.wake(due(1))
    const [first] = await count(1)
    expect(first!.redeliveries).toBe(0)
    first!.nak(1)
    const [, second] = await count(2)
    expect(second!.redeliveries).toBe(1)
    second!.term('never')
    await wakes.wake(due(1, 2))
    const [, , third] = await count(3)
    expect(third!.redeliveries).toBe(0)
    third!.ack()
    third!.nak(1) // already answered: the first response counts
    expect(got).toHaveLength(3)
  })

  test('an unsubscribed consumer gets no new messages but can still acknowledge old ones', async () => {
    const { wakes, count, listening, got } = await opened(1)
    await wakes.wake(due(1))
    const [first] = await count(1)
    listening.unsubscribe()
    await wakes.wake(due(2))
    first!.ack()
    const next = wakes.wakes(1).pipe(filter((wake) => called(wake).id !== id(1)))
    const arrived = await firstValueFrom(next.pipe(timeout(300_000)))
    expect(called(arrived).id).toBe(id(2))
    expect(got).toHaveLength(1)
  })

  test('pointers are kept until a consumer takes them', async () => {
    const { pointers } = await opened(1)
    const published = [1, 2, 3].map((n) => ({ chainId: 8453, txHash: hashOf(n), seenAt: n }) as const)
    await pointers.publish(published)
    const taken = pointers.pointers(3).pipe(
      mergeMap((wake) => {
        wake.ack()
        return pointersIn(wake.data)!
      }),
    )
    const all = await firstValueFrom(taken.pipe(take(3), toArray(), timeout(300_000)))
    expect(all.toSorted((a, b) => a.seenAt - b.seenAt)).toEqual(published)
  })
})

test('wakes on NATS: wake-ups sent at the same time are few messages, and each is answered on its own', async () => {
  const { wakes, connection, close } = await onNats()
  closing.push(close)
  const got: Wake[] = []
  const sentBefore = connection.stats().outMsgs
  const all = Array.from({ length: 41 }, (_, n) => id(n))
  await Promise.all(all.map((one) => wakes.wakeNow({ id: one, bucket: 2 })))
  expect(connection.stats().outMsgs - sentBefore).toBe(11) // the first one alone, the others in fours
  const listening = wakes.wakes(64).subscribe((wake) => got.push(wake))
  closing.push(() => listening.unsubscribe())
  await until('all have come', (note) => note(got.length) === all.length)
  expect(got.map((wake) => called(wake).id)).toEqual(all)
  const shared = got.slice(1, 5)
  for (const wake of got) if (!shared.includes(wake)) wake.ack()
  for (const wake of shared.slice(1)) wake.ack()
  shared[0]!.nak(1)
  await until('the message of the refused one is redelivered', (note) => note(got.length) === all.length + 4)
  expect(got.slice(-4).map((wake) => [called(wake).id, wake.redeliveries])).toEqual(
    all.slice(1, 5).map((one) => [one, 1]),
  )
})

test('wakes on NATS: messages on their way to a stopping process go to another one immediately', async () => {
  const { wakes, close } = await onNats()
  closing.push(close)
  const taken = new Set<string>()
  const takeAll = () =>
    wakes.wakes(64).subscribe((wake) => {
      taken.add(called(wake).id)
      wake.ack()
    })
  const staying = takeAll()
  for (let round = 0; round < 20; round++) {
    const leaving = takeAll()
    const first = round * 100
    const published = Array.from({ length: 100 }, (_, n) => wakes.wake(due(first + n)))
    await until(`the first wakes of round ${round}`, (note) => note(taken.size) >= first + 10, { everyMs: 1 })
    leaving.unsubscribe()
    await Promise.all(published)
    await until(`every wake of round ${round}`, (note) => note(taken.size) >= first + 100, { everyMs: 5 })
  }
  staying.unsubscribe()
})

testAll(['', 'x', '8453', `8453:${'a'.repeat(200)}`, '8453:0xab:0 '])('wakes: a malformed id is ignored', (text) => {
  expect(readWake(new TextEncoder().encode(text))).toBeNull()
})

testAll([
  '',
  '{}',
  '[]',
  '[null]',
  '{"chainId":5,"txHash":"0x","seenAt":1}',
  `{"chainId":8453,"txHash":"${hashOf(1)}"}`,
])('wakes: a malformed pointer is ignored', (text) => {
  expect(pointersIn(new TextEncoder().encode(text))).toBeNull()
})

test('a wake-up acknowledged by the stream is not sent again by the next sweeps', async () => {
  const connection = await connectNats(await natsUrl())
  closing.push(() => connection.close())
  const prefix = `test_${crypto.randomUUID().slice(0, 8)}_`
  const sent: Promise<unknown>[] = []
  const telemetry: Telemetry = {
    ...noTelemetry,
    outside(_call, run) {
      const answer = run({})
      sent.push(answer)
      return answer
    },
  }
  const clock = { at: 0 }
  const { wakes, ensureStreams } = natsMessages(connection, { prefix, telemetry, now: () => clock.at })
  await ensureStreams()
  closing.push(async () => {
    const manager = await connection.jetstreamManager()
    for (const stream of [wakeStream, depositStream]) await manager.streams.delete(stream({ prefix, replicas: 1 }))
  })
  const counts: number[] = []
  for (const [version, at] of [
    [1, 0],
    [1, 200],
    [1, 1_900],
    [1, 2_100],
    [2, 2_200],
  ] as const) {
    clock.at = at
    await wakes.wake(due(1, version))
    await Promise.all(sent)
    counts.push(sent.length)
  }
  expect(counts).toEqual([1, 1, 1, 2, 3])
})
