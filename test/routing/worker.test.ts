import { expect, test } from 'bun:test'
import { EMPTY, Subject } from 'rxjs'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import { wakeText } from '../../src/domain/wake-messages'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import type { Wake } from '../../src/ports/wakes'
import { directAfterMs } from '../../src/routing/engine/wake-fallback'
import { worker } from '../../src/routing/engine/worker'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { depositId, intent, order, world } from '../support/world'

test('worker: a relayer that cannot pay does not keep the others from being tended', async () => {
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
    confirmed: async () => ({ number: 1, hash: '0x', time: 0 }),
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
  const wakes = { wake: async () => {}, wakeNow: async () => {}, wakes: () => EMPTY, isHeard: () => true }
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
  const wakes = { wake: async () => {}, wakeNow: async () => {}, wakes: () => woken, isHeard: () => true }
  const [looking, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let looks = 0
  const matchIntent = async () => {
    looks += 1
    looking.resolve()
    if (looks === 1) await known.promise
    return looks === 1
      ? ({ askAgainInMs: 60_000, waitingFor: 'INTENT' } as const)
      : ({ type: 'intent matched', facts: { intent } } as const)
  }
  const relayers = { onChain: () => [] } as unknown as Relayers
  const rest = { now, random, onBug, wakes, chains: {} as Chains, relayers, relayerRecords: recordsInMemory<Relayer>() }
  const ports = { ...rest, executions, steps: { ...steps, matchIntent } }
  const listeners = { onRecord: () => {}, onSettled: () => {}, onFault: () => {} }
  const one = worker(ports, { concurrency: 8, sweepMs: 1_000_000, tendMs: 1_000_000 }, listeners)
  one.start()
  const answered: string[] = []
  const wake = (isImmediate: boolean) => {
    const data = new TextEncoder().encode(wakeText({ id: depositId, isImmediate }))
    const ack = () => void answered.push(isImmediate ? 'immediate' : 'due')
    woken.next({ data, redeliveries: 0, ack, nak: () => {}, term: () => {} })
  }
  wake(true)
  await looking.promise
  for (const isImmediate of [false, true, false]) wake(isImmediate)
  await new Promise(setImmediate)
  expect(answered).toEqual(['due', 'due'])
  known.resolve()
  await one.stop()
  expect(looks).toBe(2)
  expect(answered).toEqual(['due', 'due', 'immediate', 'immediate'])
})

test('worker: while no message arrives, three workers carry an execution to its end, each step once', async () => {
  const { executions, steps, ran, clock, now, random, onBug } = world()
  clock.at = directAfterMs + 1_000
  const woken: string[] = []
  const wakes = {
    wake: async () => void woken.push('wake'),
    wakeNow: async () => {},
    wakes: () => EMPTY,
    isHeard: () => false,
  }
  const relayers = { onChain: () => [] } as unknown as Relayers
  const rest = { now, random, onBug, wakes, chains: {} as Chains, relayers, relayerRecords: recordsInMemory<Relayer>() }
  const end = Promise.withResolvers<void>()
  const onRecord = (_: unknown, { completedAt }: { completedAt: number | null }) =>
    completedAt !== null && end.resolve()
  const listeners = { onRecord, onSettled: () => {}, onFault: (what: string) => void woken.push(what) }
  const beat = { concurrency: 4, sweepMs: 1, tendMs: 1_000_000 }
  const workers = [1, 2, 3].map(() => worker({ ...rest, executions, steps }, beat, listeners))
  for (const one of workers) one.start()
  await end.promise
  await Promise.all(workers.map((one) => one.stop()))
  expect(executions.get(depositId).status).toBe('SUCCESS')
  expect(ran.toSorted()).toEqual(Object.keys(steps).toSorted())
  expect(woken).toEqual([])
})
