import { expect, test } from 'bun:test'
import { EMPTY, Subject, VirtualTimeScheduler } from 'rxjs'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { wakeText } from '../../src/domain/wake-messages'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import type { Wake, Wakes } from '../../src/ports/wakes'
import type { Steps } from '../../src/routing/engine/step'
import { directAfterMs } from '../../src/routing/engine/wake-ups'
import { worker } from '../../src/routing/engine/worker'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { depositId, intent, order, stepsThatSucceed, world } from '../support/world'

test('worker: a relayer that cannot pay does not stop the others from being tended', async () => {
  const keys = [1, 2].map((n) => ({ id: `base:${n}`, address: addressOf(n) }))
  const attempt = (id: string) => ({ hash: order.id, bytes: `0x${id}` as const, feeCap: '8', tip: '1', at: -10_000 })
  const slot = (id: string) => ({
    nonce: 0,
    orderId: order.id,
    order,
    deadline: 60,
    attempts: [attempt(id)],
    hashes: [],
  })
  const relayerRecords = recordsInMemory<Relayer>(
    ...keys.map(({ id }) => ({ id, version: 1, slots: [slot(id.slice(-1))] })),
  )
  const sent = Promise.withResolvers<string>()
  const chain = {
    chainId: 8453,
    head: async () => ({ number: 1, hash: '0x', time: 0 }),
    confirmedNumber: async () => 1,
    nativeBalance: async () => 10n ** 20n,
    minedNonces: async () => 0,
    fee: async () => ({ feeCap: 8n, tip: 1n }),
    async send(bytes: string) {
      if (bytes === '0x1') throw new RoutingError('RPC_FAILED', { cause: new Error('insufficient funds') })
      sent.resolve(bytes)
    },
  }
  const faults: string[] = []
  const { executions, steps, now, random, onBug } = world()
  const wakes = { wake: async () => {}, wakeNow: async () => {}, wakes: () => EMPTY, isDelivering: () => true }
  const relayers = { onChain: () => keys } as unknown as Relayers
  const chains = { 8453: chain } as unknown as Chains
  const ports = { executions, steps, now, random, onBug, wakes, chains, relayers, relayerRecords }
  const listeners = { onRecord: () => {}, onSettled: () => {}, onFault: (what: string) => void faults.push(what) }
  const one = worker(ports, { concurrency: 1, sweepMs: 1_000_000, tendMs: 1_000_000 }, listeners)
  one.start()
  expect(await sent.promise).toBe('0x2')
  await one.stop()
  expect(faults).toEqual(['relayer base:1'])
})

test('worker: an execution under way is not taken twice, and an immediate wake-up is followed afterwards', async () => {
  const { executions, steps, now, random, onBug } = world()
  const woken = new Subject<Wake>()
  const wakes = { wake: async () => {}, wakeNow: async () => {}, wakes: () => woken, isDelivering: () => true }
  const [looking, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let looks = 0
  const matchIntent = async () => {
    looks += 1
    looking.resolve()
    if (looks === 1) await known.promise
    return looks === 1
      ? ({ retryInMs: 60_000, waitingFor: 'INTENT' } as const)
      : ({ type: 'intent matched', facts: { intent } } as const)
  }
  const relayers = { onChain: () => [] } as unknown as Relayers
  const rest = { now, random, onBug, wakes, chains: {} as Chains, relayers, relayerRecords: recordsInMemory<Relayer>() }
  const ports = { ...rest, executions, steps: { ...steps, matchIntent } }
  const listeners = { onRecord: () => {}, onSettled: () => {}, onFault: () => {} }
  const one = worker(ports, { concurrency: 8, sweepMs: 1_000_000, tendMs: 1_000_000 }, listeners)
  one.start()
  const answered: string[] = []
  const last = Promise.withResolvers<void>()
  const wake = (isImmediate: boolean) => {
    const data = new TextEncoder().encode(wakeText({ id: depositId, isImmediate }))
    const ack = () => {
      if (answered.push(isImmediate ? 'immediate' : 'due') === 4) last.resolve()
    }
    woken.next({ data, redeliveries: 0, ack, nak: () => {}, term: () => {} })
  }
  wake(true)
  await looking.promise
  for (const isImmediate of [false, true, false]) wake(isImmediate)
  await new Promise(setImmediate)
  expect(answered).toEqual(['due', 'due'])
  known.resolve()
  await last.promise
  await one.stop()
  expect(looks).toBe(2)
  expect(answered).toEqual(['due', 'due', 'immediate', 'immediate'])
})

test('worker: three workers carry an execution to its end without messages, each step once', async () => {
  const { executions, steps, ran, clock, now, random, onBug } = world()
  clock.at = directAfterMs + 1_000
  const woken: string[] = []
  const wakes = {
    wake: async () => void woken.push('wake'),
    wakeNow: async () => {},
    wakes: () => EMPTY,
    isDelivering: () => false,
  }
  const relayers = { onChain: () => [] } as unknown as Relayers
  const rest = { now, random, onBug, wakes, chains: {} as Chains, relayers, relayerRecords: recordsInMemory<Relayer>() }
  const end = Promise.withResolvers<void>()
  const onRecord = (_: unknown, { completedAt }: { completedAt: number | null }) =>
    completedAt !== null && end.resolve()
  const listeners = { onRecord, onSettled: () => {}, onFault: (what: string) => void woken.push(what) }
  const pace = { concurrency: 4, sweepMs: 1, tendMs: 1_000_000 }
  const workers = [1, 2, 3].map(() => worker({ ...rest, executions, steps }, pace, listeners))
  for (const one of workers) one.start()
  await end.promise
  await Promise.all(workers.map((one) => one.stop()))
  expect(executions.get(depositId).status).toBe('SUCCESS')
  expect(ran.toSorted()).toEqual(Object.keys(steps).toSorted())
  expect(woken).toEqual([])
})

test('worker: a sweep with an unanswered query is abandoned after a minute and restarted', async () => {
  const { executions, steps, now, random, onBug } = world()
  const asked: number[] = []
  const time = new VirtualTimeScheduler(undefined, 120_500)
  const silent = { ...executions, due: () => new Promise<never>(() => void asked.push(time.frame)) }
  const wakes = { wake: async () => {}, wakeNow: async () => {}, wakes: () => EMPTY, isDelivering: () => false }
  const relayers = { onChain: () => [] } as unknown as Relayers
  const rest = { now, random, onBug, wakes, chains: {} as Chains, relayers, relayerRecords: recordsInMemory<Relayer>() }
  const faults: string[] = []
  const listeners = { onRecord: () => {}, onSettled: () => {}, onFault: (what: string) => void faults.push(what) }
  const pace = { concurrency: 4, sweepMs: 250, tendMs: 1_000_000 }
  worker({ ...rest, executions: silent, steps, scheduler: time }, pace, listeners).start()
  time.flush()
  expect(asked).toEqual([0, 60_000, 120_000])
  expect(faults).toEqual(['sweep', 'sweep'])
})

/** Workers that share one store and one queue. Messages go to the first worker that is not stopped. */
function workersThat(replaced: Partial<Steps>) {
  const played = world(replaced)
  const sources: Subject<Wake>[] = []
  const woken: string[] = []
  const wakeUp = (isImmediate: boolean): Wake => {
    const data = new TextEncoder().encode(wakeText({ id: depositId, isImmediate }))
    return { data, redeliveries: 0, ack: () => {}, nak: () => {}, term: () => {} }
  }
  const ended = Promise.withResolvers<void>()
  const open = () => {
    const source = new Subject<Wake>()
    const wakes: Wakes = {
      wake: async () => {},
      async wakeNow({ id }) {
        woken.push(id)
        sources.find(({ observed }) => observed)?.next(wakeUp(true))
      },
      wakes: () => source,
      isDelivering: () => true,
    }
    const relayers = { onChain: () => [] } as unknown as Relayers
    const rest = { wakes, chains: {} as Chains, relayers, relayerRecords: recordsInMemory<Relayer>() }
    const onRecord = (_: unknown, { completedAt }: Execution) => completedAt !== null && ended.resolve()
    const listeners = { onRecord, onSettled: () => {}, onFault: (_: string, error: unknown) => ended.reject(error) }
    const one = worker({ ...played, ...rest }, { concurrency: 4, sweepMs: 1_000_000, tendMs: 1_000_000 }, listeners)
    one.start()
    sources.push(source)
    return one
  }
  return { ...played, open, woken, ended: ended.promise, begin: () => sources[0]!.next(wakeUp(true)) }
}

test('worker: a stopped worker finishes its step, and another continues immediately, each step once', async () => {
  const [looking, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const verifyBalance: Steps['verifyBalance'] = async (execution) => {
    looking.resolve()
    await mayGoOn.promise
    return stepsThatSucceed.verifyBalance(execution)
  }
  const { open, begin, ended, ran, woken, execution, steps } = workersThat({ verifyBalance })
  const [first, second] = [open(), open()]
  begin()
  await looking.promise
  const stopped = first.stop()
  mayGoOn.resolve()
  await Promise.all([stopped, ended])
  await second.stop()
  expect(ran).toEqual(Object.keys(steps))
  expect(execution().status).toBe('SUCCESS')
  expect(woken).toEqual([depositId])
})

test('worker: a step that outlasts its stopping worker is repeated by another, and its late result is refused', async () => {
  const [looking, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let looks = 0
  const confirmDelivery: Steps['confirmDelivery'] = async (execution) => {
    looks += 1
    looking.resolve()
    if (looks === 1) await mayEnd.promise
    return stepsThatSucceed.confirmDelivery(execution)
  }
  const { open, begin, ended, execution } = workersThat({ confirmDelivery })
  const [first, second] = [open(), open()]
  begin()
  await looking.promise
  const stopped = first.stop()
  await ended
  const { version } = execution()
  mayEnd.resolve()
  await Promise.all([stopped, second.stop()])
  expect([looks, execution().version, execution().status]).toEqual([2, version, 'SUCCESS'])
})

test('worker: a stopping worker leaves waiting executions alone', async () => {
  const [looking, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { open, begin, ran, woken, execution } = workersThat({
    async matchIntent() {
      looking.resolve()
      await mayEnd.promise
      return { retryInMs: 60_000, waitingFor: 'INTENT' }
    },
  })
  const [first, second] = [open(), open()]
  begin()
  await looking.promise
  const stopped = first.stop()
  mayEnd.resolve()
  await Promise.all([stopped, second.stop()])
  expect([execution().dueAt, ran, woken]).toEqual([60_000, ['matchIntent'], []])
})
