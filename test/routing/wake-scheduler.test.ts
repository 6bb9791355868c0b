import { expect, test } from 'bun:test'
import { VirtualTimeScheduler } from 'rxjs'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import { wakeScheduler } from '../../src/routing/engine/wake-ups'
import { executionOf } from '../support/deposits'
import { key, oneRelayer } from '../support/one-relayer'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { sent, spent } from '../support/world'

const relaying = {
  chains: {} as Chains,
  relayers: { onChain: () => [] } as unknown as Relayers,
  relayerRecords: recordsInMemory<Relayer>(),
}

test('wakeBehind: only the longest waiting executions are woken when a lane is free', async () => {
  const waiting = Array.from({ length: 50 }, (_, n) =>
    executionOf(n + 2, { version: 1, facts: { waiting: { for: 'LANE', since: 0 } } }, { detectedAt: 1_000 - n }),
  )
  const woken: string[] = []
  const wakeNow = async ({ id }: { id: string }) => void woken.push(id)
  const wakes = { wake: async () => {}, wakeNow, wakes: () => undefined as never }
  const executions = executionsInMemory(...waiting)
  const scheduled = wakeScheduler({
    ...relaying,
    executions,
    wakes,
    again: wakeNow,
    now: () => 0,
    onLost: (error) => expect.unreachable(String(error)),
  })

  const before = executionOf(1, { version: 1 })
  scheduled.schedule(before, { ...before, facts: { spent } })
  await new Promise(setImmediate)
  expect(woken).toEqual(
    waiting
      .toReversed()
      .slice(0, 4)
      .map(({ id }) => id),
  )
})

test('wakeScheduler: executions due soon are woken on time by the given clock, and none after the end', () => {
  const scheduler = new VirtualTimeScheduler()
  const woken: string[] = []
  const wakeNow = async ({ id }: { id: string }) => void woken.push(`${id} at ${scheduler.frame}`)
  const wakes = { wake: async () => {}, wakeNow, wakes: () => undefined as never }
  const executions = executionsInMemory()
  const now = () => scheduler.frame
  const scheduled = wakeScheduler({
    ...relaying,
    executions,
    wakes,
    again: wakeNow,
    now,
    scheduler,
    onLost: (error) => expect.unreachable(String(error)),
  })
  for (const [n, dueAt] of [500, 2_000, 60_000].entries())
    scheduled.schedule(null, executionOf(n + 1, { version: 1, dueAt }))
  scheduler.maxFrames = 1_000
  scheduler.flush()
  scheduled.stop()
  scheduler.maxFrames = 100_000
  scheduler.flush()
  expect(woken).toEqual([`${executionOf(1).id} at 501`])
})

test('wakeScheduler: a slot of an execution that joined a batch goes to the next in the queue', async () => {
  const { chain } = oneRelayer()
  const waiting = { executionId: executionOf(9).id, bucket: 1, since: 0, organizationId: 'org_1', share: 1_000 }
  const line = [{ ...waiting, handedUntil: null }]
  const woken: string[] = []
  const wakeNow = async ({ id }: { id: string }) => void woken.push(id)
  const scheduled = wakeScheduler({
    chains: { 8453: chain } as Chains,
    relayers: { onChain: () => [key] } as unknown as Relayers,
    relayerRecords: recordsInMemory<Relayer>({ id: key.id, version: 1, slots: [], line }),
    executions: executionsInMemory(),
    wakes: { wakeNow },
    again: wakeNow,
    now: () => 0,
    onLost: (error) => expect.unreachable(String(error)),
  })
  const before = executionOf(1, { version: 1 })
  const alone = { ...sent, sender: key.id }
  scheduled.schedule(before, { ...before, facts: { transactions: [alone] } })
  await scheduled.stop()
  expect(woken).toEqual([])
  scheduled.schedule(before, { ...before, facts: { transactions: [{ ...alone, orders: 3 }] } })
  await scheduled.stop()
  expect(woken).toEqual([waiting.executionId])
})

test('wakeScheduler: a running execution stays with its worker for a minute while these are few', () => {
  const scheduler = new VirtualTimeScheduler()
  const woken: [string, boolean, number][] = []
  const scheduled = wakeScheduler({
    ...relaying,
    executions: executionsInMemory(),
    wakes: { wakeNow: async () => {} },
    again: async ({ id }, isRecent) => void woken.push([id, isRecent, scheduler.frame]),
    now: () => scheduler.frame,
    scheduler,
    onLost: (error) => expect.unreachable(String(error)),
  })
  const due = (n: number, state: string, dueAt: number) => executionOf(n, { version: 1, state, dueAt })
  const all = [
    due(1, 'RUNNING', 3_000),
    due(2, 'RUNNING', 40_000),
    due(3, 'RUNNING', 61_000),
    due(4, 'PENDING', 40_000),
  ]
  for (const record of all) scheduled.schedule(null, record)
  scheduler.maxFrames = 100_000
  scheduler.flush()
  expect(woken.splice(0)).toEqual([
    [executionOf(1).id, true, 3_001],
    [executionOf(2).id, false, 40_001],
  ])
  const at = scheduler.frame
  for (let n = 0; n < 1_500; n++) scheduled.schedule(null, due(n, 'RUNNING', at + 30_000))
  scheduler.maxFrames = 200_000
  scheduler.flush()
  expect(woken).toHaveLength(1_000)
})
