import { expect, test } from 'bun:test'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { Execution } from '../../src/domain/execution/execution'
import type { ChainClient } from '../../src/ports/chain-client'
import { assignSlots } from '../../src/routing/delivery/relayer-slots'
import { withoutSlot } from '../../src/routing/engine/sign-blockers'
import { executionOf } from '../support/deposits'
import { key } from '../support/one-relayer'
import { recordsInMemory } from '../support/records'

test('the longest waiting execution gets a relayer’s slot before newcomers', async () => {
  const state = { now: 0, mined: 0 }
  const relayerRecords = recordsInMemory<Relayer>()
  const chain = {
    chainId: 8453,
    confirmed: async () => ({ number: 1, hash: '0x', time: 0 }),
    confirmedNumber: async () => 1,
    minedNonces: async () => state.mined,
    fee: async () => ({ feeCap: 1n, tip: 1n }),
    nativeBalance: async () => 10n ** 18n,
  } as unknown as ChainClient
  const ports = { relayerRecords, chain, relayers: {} as never, now: () => state.now, onLowGas: () => {}, share: 1_000 }
  const facts = { gasLimit: '1', route: { call: null } } as never
  let given = 0
  let slots: number[] = []
  const fill = (nonces: number[]) => {
    const { line = [], version } = relayerRecords.get(key.id) ?? { version: 1 }
    const attempts = [{ bytes: '0x' }]
    const full = nonces.map((nonce) => ({ nonce, organizationId: 'org_1', attempts, hashes: [], order: null }))
    relayerRecords.change(key.id, { id: key.id, version, slots: full as never, line })
  }
  let born = 0
  const waiting = new Map<string, { execution: Execution; born: number }>()
  fill([])
  const crowd = 150 // fourteen are mined every two seconds: a queue is 22 seconds long
  const waits: number[] = []
  /** Requests a slot as the step does, and takes it. */
  const look = async (id: string): Promise<void> => {
    const { execution, born } = waiting.get(id)!
    if (await withoutSlot(execution, key, ports)) return
    slots.push(given++)
    fill(slots)
    const { line = [] } = relayerRecords.get(key.id)!
    relayerRecords.change(key.id, { line: line.filter(({ executionId }) => executionId !== id) })
    waiting.delete(id)
    waits.push(state.now - born)
  }
  for (; state.now < 5 * 60_000; state.now += 100) {
    if (state.now % 2_000 === 0) {
      state.mined = given
      slots = []
      fill(slots)
      const woken: string[] = []
      await assignSlots(key, { ...ports, wakes: { wakeNow: async ({ id }) => void woken.push(id) } })
      for (const id of woken) await look(id)
    }
    // One tenant's deposits arrive as fast as they are served, and each newcomer asks immediately.
    while (waiting.size < crowd) {
      const execution = executionOf(++born, { facts }, { detectedAt: state.now })
      waiting.set(execution.id, { execution, born: state.now })
      await look(execution.id)
    }
  }
  const longest = Math.max(...waits, ...[...waiting.values()].map((one) => state.now - one.born))
  expect(Math.round(longest / 1_000)).toBeLessThan(30)
})
