import { expect, test } from 'bun:test'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { ChainClient } from '../../src/ports/chain-client'
import type { Records } from '../../src/ports/records'
import { isSlotReserved, slotFor } from '../../src/routing/delivery/relayer-nonces'
import { assignSlots, withFreeSlot } from '../../src/routing/delivery/relayer-slots'
import { tendRelayer } from '../../src/routing/delivery/relayer-transactions'
import { hashOf } from '../support/deposits'
import { key, oneRelayer } from '../support/one-relayer'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { engineStores } from '../support/stores'
import { order } from '../support/world'

const handedMs = 6_000
const idOf = (n: number) => `8453:0x${n}:0`

/** Processes that share one store and one chain, and the wake-ups of each. */
function processes(opened: { relayerRecords: Records<Relayer> }[]) {
  const state = { mined: 0, now: 0 }
  const woken: string[] = []
  const { chain, relayers } = oneRelayer(state)
  const wakes = { wakeNow: async ({ id }: { id: string }) => void woken.push(id) }
  const each = opened.map(({ relayerRecords }) => ({ relayerRecords, chain, relayers, now: () => state.now, wakes }))
  const ask = async (n: number, process = 0): Promise<number | null> => {
    const organizationId = n < 100 ? `org_${n % 2}` : `org_of_${n}`
    const request = { executionId: idOf(n), bucket: 0, since: n, organizationId, share: 1_000 }
    return (await slotFor({ ...order, id: hashOf(n) }, each[process]!, request))?.slot.nonce ?? null
  }
  return { state, woken, each, ask }
}

/** Sixteen organizations take the key's slots. Then two deposits of one organization and one of another wait. */
async function threeInLine({ ask, state }: ReturnType<typeof processes>): Promise<void> {
  const given = []
  for (let n = 100; n < 116; n++) given.push(await ask(n))
  expect(given).not.toContain(null)
  state.now += 1_000
  for (const [process, n] of [5, 3, 4].entries()) expect(await ask(n, process % 2)).toBeNull()
}

test.each(engineStores)(
  'a freed slot is assigned to the longest waiting execution of any process, %s',
  async (_, open) => {
    const { store, other } = await open()
    const world = processes([store, other])
    await threeInLine(world)
    world.state.mined = 1
    await assignSlots(key, world.each[1]!)
    expect(world.woken).toEqual([idOf(3)])
    expect(await world.ask(4)).toBeNull()
    expect(await world.ask(3)).toBe(16)
    expect((await store.relayerRecords.load(key.id))!.line!.map(({ executionId }) => executionId)).not.toContain(
      idOf(3),
    )
  },
)

test.each(engineStores)('processes that see the same block assign each slot once, %s', async (_, open) => {
  const { store, other } = await open()
  const world = processes([store, other])
  await threeInLine(world)
  world.state.mined = 4
  await Promise.all([0, 1, 0, 1].map((n) => assignSlots(key, world.each[n]!)))
  expect(world.woken.toSorted()).toEqual([3, 4, 5].map(idOf))
})

test.each(engineStores)(
  'a lost wake-up costs only time: the slot is kept and then goes to the next in the queue, %s',
  async (_, open) => {
    const { store, other } = await open()
    const world = processes([store, other])
    await threeInLine(world)
    world.state.mined = 3
    const killed = { ...world.each[0]!, wakes: { wakeNow: () => Promise.reject(new Error('killed')) } }
    await expect(assignSlots(key, killed)).rejects.toThrow('killed')
    expect(world.woken).toEqual([])
    expect(await world.ask(3)).toBe(16)
    world.state.now += handedMs
    await assignSlots(key, world.each[1]!)
    expect(world.woken).toEqual([idOf(5)])
    expect(await world.ask(5)).toBe(17)
    expect(await world.ask(4)).toBe(18)
  },
)

test.each(engineStores)(
  'another process assigns a slot while tending if the responsible one is killed, %s',
  async (_, open) => {
    const { store, other } = await open()
    const world = processes([store, other])
    await threeInLine(world)
    const tend = tendRelayer(key, { ...world.each[1]!, executions: executionsInMemory() })
    await tend()
    expect(world.woken).toEqual([])
    world.state.mined = 16
    world.state.now += 10_000
    await tend()
    expect(world.woken.toSorted()).toEqual([3, 4, 5].map(idOf))
  },
)

test('a key that was full has a slot for the next request after a block freed some', async () => {
  const world = processes([{ relayerRecords: recordsInMemory<Relayer>() }])
  for (let n = 100; n < 116; n++) expect(await world.ask(n)).not.toBeNull()
  expect(await world.ask(1)).toBeNull()
  world.state.mined = 4
  await assignSlots(key, world.each[0]!)
  expect(world.woken).toEqual([idOf(1)])
  expect(await world.ask(2)).toBe(16)
  expect(await world.ask(1)).toBe(17)
})

test('an execution keeps its assigned slot while its node does not show the block yet', async () => {
  const records = recordsInMemory<Relayer>()
  const world = processes([{ relayerRecords: records }, { relayerRecords: { ...records } }])
  await threeInLine(world)
  world.state.mined = 1
  await assignSlots(key, world.each[1]!)
  world.state.mined = 0
  const kept = (n: number) => isSlotReserved(order, world.each[0]! as never, { executionId: idOf(n) } as never)
  expect(await world.ask(3)).toBeNull()
  expect([await kept(3), await kept(4)]).toEqual([true, false])
  world.state.mined = 1
  world.state.now += 1_000
  expect(await world.ask(3)).toBe(16)
})

test('an execution that only joins the queue costs the one that takes a slot no second signature', async () => {
  const records = recordsInMemory<Relayer>()
  const world = processes([{ relayerRecords: records }])
  let joined = 0
  let signed = 0
  const relayers = {
    forRoute: () => key,
    onChain: () => [key],
    transaction: async (_id: string, nonce: number) => {
      signed += 1
      const line = [
        { executionId: `joined ${joined++}`, bucket: 0, since: 0, organizationId: 'o', share: 1, handedUntil: null },
      ]
      await records.save({ ...((await records.load(key.id)) ?? { id: key.id, version: 0, slots: [] }), line })
      return { hash: hashOf(nonce), bytes: '0x' }
    },
  }
  const request = { executionId: idOf(1), bucket: 0, since: 1, organizationId: 'org_1', share: 1_000 }
  const given = await slotFor({ ...order, id: hashOf(1) }, { ...world.each[0]!, relayers } as never, request)
  expect([given?.slot.nonce, signed, records.get(key.id).line]).toMatchObject([0, 1, [{ executionId: 'joined 0' }]])
})

test('a process that slept while its nonce was assigned, mined and removed takes another nonce', async () => {
  const records = recordsInMemory<Relayer>({ id: key.id, version: 1, slots: [] })
  const world = processes([{ relayerRecords: records }])
  let isAwake = false
  const transaction = async (_id: string, nonce: number) => {
    const relayer = (await records.load(key.id))!
    if (!isAwake) await records.save({ ...relayer, slots: [] }) // as after others filled and emptied the slots
    if (!isAwake) world.state.mined = 1
    isAwake = true
    return { hash: hashOf(nonce), bytes: '0x' as const }
  }
  const sleepy = { ...world.each[0]!, relayers: { forRoute: () => key, onChain: () => [key], transaction } }
  const request = { executionId: idOf(1), bucket: 0, since: 1, organizationId: 'org_1', share: 1_000 }
  const given = await slotFor({ ...order, id: hashOf(1) }, sleepy as never, request)
  expect(given?.slot.nonce).toBe(1)
  expect(records.get(key.id).slots.map(({ nonce }) => nonce)).toEqual([1])
})

test('an unused slot costs later executions no request to the node', async () => {
  const waiter = { executionId: idOf(1), bucket: 0, since: 1, organizationId: 'org_1', share: 1_000 }
  const record: Relayer = { id: key.id, version: 1, slots: [], line: [{ ...waiter, handedUntil: handedMs }] }
  const world = processes([{ relayerRecords: recordsInMemory(record) }])
  world.state.now = handedMs
  const chain = new Proxy({} as ChainClient, { get: (_, name) => expect.unreachable(String(name)) })
  const request = { ...waiter, executionId: idOf(2) }
  expect(await withFreeSlot(key, { ...world.each[0]!, chain }, request)).not.toBeNull()
})
