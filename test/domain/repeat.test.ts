import { expect, test } from 'bun:test'
import { Subject, VirtualTimeScheduler } from 'rxjs'
import { firstConnection } from '../../src/domain/first-connection'
import { repeat, rounds, together } from '../../src/domain/repeat'
import { testAll } from '../support/test-all'

/** Runs a task for `untilMs` of virtual time. A round takes one turn of the event loop unless it is held. */
function world(task: { first?: 'NOW' | 'LATER'; longestMs?: number; triggers?: Subject<void> } = {}) {
  const scheduler = new VirtualTimeScheduler(undefined, Number.POSITIVE_INFINITY)
  const begun: number[] = []
  const troubles: unknown[] = []
  const stopped = new Subject<void>()
  let next: () => Promise<unknown> = async () => null
  rounds(
    {
      ...task,
      everyMs: 10,
      scheduler,
      work() {
        begun.push(scheduler.now())
        return next()
      },
      onTrouble: (error) => troubles.push(error),
    },
    stopped,
  ).subscribe()
  return {
    begun,
    troubles,
    stopped,
    work(act: () => Promise<unknown>) {
      next = act
    },
    async pass(untilMs: number) {
      while (scheduler.now() < untilMs) {
        scheduler.maxFrames = scheduler.now() + 1
        scheduler.flush()
        scheduler.frame = Math.min(scheduler.maxFrames, untilMs)
        await Bun.sleep(0)
      }
    },
  }
}

test('rounds start at fixed times, immediately or after the first interval', async () => {
  const [now, later] = [world(), world({ first: 'LATER' })]
  await Promise.all([now.pass(25), later.pass(25)])
  expect([now.begun, later.begun]).toEqual([
    [0, 10, 20],
    [10, 20],
  ])
})

test('rounds never overlap: one that takes longer skips the starts in between', async () => {
  const { begun, work, pass } = world()
  const held = Promise.withResolvers<void>()
  work(() => held.promise)
  await pass(35)
  expect(begun).toEqual([0])
  held.resolve()
  await pass(45)
  expect(begun).toEqual([0, 40])
})

test('a failed round is reported and costs only itself', async () => {
  const { begun, troubles, work, pass } = world()
  work(async () => {
    throw new Error('away')
  })
  await pass(15)
  expect(begun).toEqual([0, 10])
  expect(troubles.map(String)).toEqual(['Error: away', 'Error: away'])
})

test('a round that never ends fails after its limit, and the next one runs', async () => {
  const { begun, troubles, work, pass } = world({ longestMs: 15 })
  work(() => new Promise(() => {}))
  await pass(25)
  expect([begun, troubles.length]).toEqual([[0, 20], 1])
})

test('a trigger starts a round immediately, unless one runs', async () => {
  const triggers = new Subject<void>()
  const { begun, work, pass } = world({ triggers })
  await pass(3)
  triggers.next()
  const held = Promise.withResolvers<void>()
  work(() => held.promise)
  await pass(6)
  triggers.next()
  triggers.next()
  await pass(8)
  held.resolve()
  expect(begun).toEqual([0, 3, 6])
})

test('a stop starts no further round, signals the current one, and waits for its end', async () => {
  const held = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const begin = Promise.withResolvers<void>()
  const task = repeat({
    everyMs: 1,
    work(stopping) {
      signals.push(stopping)
      begin.resolve()
      return held.promise
    },
    onTrouble() {},
  })
  task.start()
  await begin.promise
  let isStopped = false
  const stop = together(task)
    .stop()
    .then(() => {
      isStopped = true
    })
  await Bun.sleep(0)
  expect([signals.map(({ aborted }) => aborted), isStopped]).toEqual([[true], false])
  held.resolve()
  await stop
  expect(signals).toHaveLength(1)
})

test('a task that was never started stops immediately', async () => {
  await repeat({ everyMs: 1, work: async () => null, onTrouble() {} }).stop()
})

testAll([
  ['silence', 10],
  ['refusal', 1],
])('a silent server gets ten attempts, and one that refuses gets one', async (reason, attempts) => {
  let made = 0
  const open = () => {
    made += 1
    return Promise.reject(new Error(reason))
  }
  const opened = firstConnection(open, (error) => (error as Error).message === 'silence')
  await expect(opened).rejects.toThrow(reason)
  expect(made).toBe(attempts)
})
