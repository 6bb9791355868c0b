import { afterEach, describe, expect, test } from 'bun:test'
import { filter, firstValueFrom, mergeMap, type Subscription, take, timeout, toArray } from 'rxjs'
import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import { depositStream, wakeStream } from '../../src/adapters/nats/streams'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { pointersIn, readWake } from '../../src/domain/wake-messages'
import type { Telemetry } from '../../src/ports/telemetry'
import type { Pointers, Wake, Wakes } from '../../src/ports/wakes'
import { wakesWithFallback } from '../../src/routing/engine/wake-ups'
import { hashOf } from '../support/deposits'
import { executionsInMemory } from '../support/records'
import { natsUrl } from '../support/servers'
import { testAll } from '../support/test-all'
import { pointersInMemory, wakesInMemory } from '../support/wakes'

type Messages = { wakes: Wakes; pointers: Pointers; close: () => Promise<void> }

async function onNats(): Promise<Messages> {
  const connection = await connectNats(await natsUrl())
  const prefix = `test_${crypto.randomUUID().slice(0, 8)}_`
  const messages = natsMessages(connection, { prefix })
  await messages.ensureStreams()
  const close = async () => {
    const manager = await connection.jetstreamManager()
    for (const stream of [wakeStream, depositStream]) await manager.streams.delete(stream({ prefix, replicas: 1 }))
    await connection.close()
  }
  return { ...messages, close }
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

  test('what became due arrives from every bucket, and what is immediate says so', async () => {
    const { wakes, count } = await opened(20)
    for (let n = 0; n < 8; n++) await wakes.wake(due(n))
    await wakes.wakeNow({ id: id(9), bucket: 1 })
    const arrived = (await count(9)).map(called)
    expect(arrived.filter(({ isImmediate }) => isImmediate)).toEqual([{ id: id(9), isImmediate: true }])
    expect(arrived.map((call) => call.id).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9].map(id).toSorted())
  })

  test('one due time wakes once, the next one again, and an immediate wake-up always', async () => {
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

  test('what a worker took and never answered is woken again by the sweep, and twice by no two sweeps', async () => {
    const { wakes, count, got } = await opened(20)
    let now = 1_000
    const ports = { executions: executionsInMemory(), now: () => now, isInHand: () => false, hasCapacity: () => true }
    const sweeps = [1, 2].map(() => wakesWithFallback({ ...ports, wakes }))
    const sweepAll = () => Promise.all(sweeps.map((each) => each.wake({ ...due(1), dueAt: 1_000 })))
    await sweepAll()
    await count(1)
    for (now = 1_500; now <= 9_000; now += 500) await sweepAll()
    await wakes.wake(due(2, 1, 1)) // comes after them, because it is of the same bucket
    const last = await count(5)
    expect(last.map((wake) => called(wake).id)).toEqual([id(1), id(1), id(1), id(1), id(2)])
    expect(got).toHaveLength(5)
  })

  test('no more are handed out than there are places, across all buckets', async () => {
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

  test('what is refused comes back and counts how often; what is ended does not', async () => {
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
    third!.nak(1) // answered already: the first answer holds
    expect(got).toHaveLength(3)
  })

  test('who listens no more is given nothing more, and may still answer', async () => {
    const { wakes, count, listening, got } = await opened(1)
    await wakes.wake(due(1))
    const [first] = await count(1)
    listening.unsubscribe()
    await wakes.wake(due(2))
    first!.ack()
    const next = wakes.wakes(1).pipe(filter((wake) => called(wake).id !== id(1)))
    const arrived = await firstValueFrom(next.pipe(timeout(20_000)))
    expect(called(arrived).id).toBe(id(2))
    expect(got).toHaveLength(1)
  })

  test('pointers are kept until somebody takes them', async () => {
    const { pointers } = await opened(1)
    const published = [1, 2, 3].map((n) => ({ chainId: 8453, txHash: hashOf(n), seenAt: n }) as const)
    await pointers.publish(published)
    const taken = pointers.pointers(3).pipe(
      mergeMap((wake) => {
        wake.ack()
        return pointersIn(wake.data)!
      }),
    )
    const all = await firstValueFrom(taken.pipe(take(3), toArray(), timeout(20_000)))
    expect(all.toSorted((a, b) => a.seenAt - b.seenAt)).toEqual(published)
  })
})

test('wakes on NATS: what is on its way to a process that stops is taken by another at once', async () => {
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
    while (taken.size < first + 10) await Bun.sleep(1)
    leaving.unsubscribe()
    await Promise.all(published)
    while (taken.size < first + 100) await Bun.sleep(5)
  }
  staying.unsubscribe()
}, 600_000)

testAll(['', 'x', '8453', `8453:${'a'.repeat(200)}`, '8453:0xab:0 '])('wakes: what is not an id is none', (text) => {
  expect(readWake(new TextEncoder().encode(text))).toBeNull()
})

testAll([
  '',
  '{}',
  '[]',
  '[null]',
  '{"chainId":5,"txHash":"0x","seenAt":1}',
  `{"chainId":8453,"txHash":"${hashOf(1)}"}`,
])('wakes: what is not a pointer is none', (text) => {
  expect(pointersIn(new TextEncoder().encode(text))).toBeNull()
})

test('a wake-up that the stream has acknowledged is not sent again by the next sweeps', async () => {
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
