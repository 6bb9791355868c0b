import { expect, test } from 'bun:test'
import type { Hash, Hex } from '../../src/domain/chain/hex'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { Execution } from '../../src/domain/execution/execution'
import type { ChainClient } from '../../src/ports/chain-client'
import { slotFor } from '../../src/routing/delivery/relayer-nonces'
import type { RelayerPorts } from '../../src/routing/delivery/relayer-slots'
import { settleBy, tendRelayer } from '../../src/routing/delivery/relayer-transactions'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { anyone } from '../support/unlimited'
import { order } from '../support/world'

const key = { id: 'base:0', address: addressOf(1) }
const tickMs = 2_000
const blockMs = 2_000
const confirmations = 10

/** Processes that share a relayer's record, and a chain that counts the requests of each. */
function installation(processes: number) {
  const records = recordsInMemory<Relayer>()
  const clock = { at: 1_000_000 }
  const now = () => clock.at
  const minedAt: number[] = []
  const sends: { by: number; at: number; bytes: Hex }[] = []
  const said = new Map<string, object>()
  const executions = { load: async (id: string) => (said.get(id) ?? null) as Execution | null }
  const settledAt = (at: number) => minedAt.filter((mined) => mined + confirmations * blockMs <= at).length
  const all = Array.from({ length: processes }, (_, by) => {
    const counts = { asked: 0 }
    const asking =
      <Args extends unknown[], Answer>(answer: (...args: Args) => Answer) =>
      async (...args: Args) => {
        counts.asked += 1
        return answer(...args)
      }
    const chain = {
      chainId: 8453,
      confirmations,
      confirmedNumber: asking(() => 1),
      head: async () => ({ number: 9, hash: '0x', time: clock.at / 1_000 }),
      blockAt: asking(() => ({ number: 1, hash: '0x' as Hash, time: clock.at / 1_000 - confirmations * 2 })),
      minedNonces: asking((_: string, block?: number) => (block === undefined ? minedAt.length : settledAt(clock.at))),
      nativeBalance: asking(() => 10n ** 20n),
      fee: asking(() => ({ feeCap: 8n, tip: 1n })),
      hasTransaction: asking(() => true),
      send: asking((bytes: Hex) => void sends.push({ by, at: clock.at, bytes })),
    } as unknown as ChainClient
    const relayers = {
      forRoute: () => key,
      onChain: () => [key],
      transaction: async (_key: string, nonce: number) => ({ hash: `0x${nonce}` as Hash, bytes: `0x${nonce}` as Hex }),
    }
    const ports = { relayerRecords: { ...records }, chain, relayers, now } as unknown as RelayerPorts
    return { counts, tend: tendRelayer(key, { ...ports, executions, wakes: { wakeNow: async () => {} } }), ports }
  })
  return {
    clock,
    records,
    sends,
    all,
    async submit(by: number, id: Hash) {
      const deadline = clock.at / 1_000 + 150
      const given = await slotFor({ ...order, id, deadline }, all[by]!.ports, anyone)
      await all[by]!.ports.chain.send(given!.slot.attempts.at(-1)!.bytes)
      all[by]!.counts.asked = 0
    },
    mine: () => void minedAt.push(clock.at),
    /** Reports what an execution knows about its transaction. */
    say(executionId: string, id: Hash, { isMined = false } = {}) {
      const { hash } = records.get(key.id).slots.find(({ orderId }) => orderId === id)!.hashes[0]!
      said.set(executionId, {
        facts: { order: { id }, transactions: [{ hash }], ...(isMined && { receipt: { hash } }) },
      })
    },
    async pass(ms: number, alive = all) {
      for (const until = clock.at + ms; clock.at < until; ) {
        clock.at += tickMs
        for (const { tend } of alive) await tend()
      }
    },
    asked: () => all.map(({ counts }) => counts.asked),
  }
}

test('the sending process queries once per block until its transaction is mined, and the others query nothing', async () => {
  const { submit, mine, pass, asked, sends } = installation(3)
  await submit(0, '0x1')
  await pass(2_000)
  mine()
  await pass(2_000)
  expect(asked()[0]).toBeLessThanOrEqual(1)
  expect(asked().slice(1)).toEqual([0, 0])
  expect(sends).toHaveLength(1)
})

test('a transaction’s whole life costs three processes few more requests than one', async () => {
  const costs: number[] = []
  for (const processes of [1, 3]) {
    const { submit, mine, pass, asked, records } = installation(processes)
    await submit(0, '0x1')
    await pass(2_000)
    mine()
    await pass(10 * 60_000)
    expect(records.get(key.id).slots).toEqual([])
    costs.push(asked().reduce((sum, count) => sum + count, 0))
  }
  expect(costs[0]).toBeLessThanOrEqual(10)
  expect(costs[1]).toBeLessThanOrEqual(costs[0]! + 6)
})

test('facts reported by an execution are not requested from a node', async () => {
  const { submit, say, mine, pass, asked, all, records } = installation(3)
  await submit(0, '0x1')
  say(anyone.executionId, '0x1')
  await pass(2_000)
  mine()
  say(anyone.executionId, '0x1', { isMined: true })
  await pass(15_000)
  expect(asked()).toEqual([0, 0, 0])
  await settleBy({ orderId: '0x1', hash: '0x0', relayerId: key.id }, all[1]!.ports)
  await pass(10 * 60_000) // the order expires in this time, which costs one or two requests
  expect(records.get(key.id).slots).toEqual([])
  expect(asked().reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(6)
})

test('an unmined transaction is watched by its sender, and later by the other processes', async () => {
  const { submit, say, pass, asked, all } = installation(3)
  await submit(0, '0x1')
  say(anyone.executionId, '0x1')
  await pass(20_000)
  expect(asked()[0]).toBeGreaterThan(0)
  expect(asked().slice(1)).toEqual([0, 0])
  await pass(50_000, all.slice(1)) // the sender was killed
  expect(asked()[1]).toBeGreaterThan(0)
})

test('no process queries a nonce after a confirmed block shows the order’s transaction', async () => {
  const { submit, mine, pass, asked, records, all } = installation(3)
  await submit(0, '0x1')
  await submit(0, '0x2')
  await pass(2_000)
  mine()
  mine()
  await pass(confirmations * blockMs)
  const left = () => records.get(key.id).slots.filter(({ attempts }) => attempts.length > 0)
  const before = asked().reduce((sum, count) => sum + count, 0)
  const used = (orderId: Hash, hash: Hash) => settleBy({ orderId, hash, relayerId: key.id }, all[2]!.ports)
  await used('0x1', '0x0') // the second is still on its way
  await used('0x2', '0x0') // this is not its transaction
  expect(left()).toHaveLength(2)
  await used('0x2', '0x1')
  expect(left()).toEqual([])
  await pass(80_000) // later the orders have expired, which costs one request
  expect(asked().reduce((sum, count) => sum + count, 0)).toBe(before)
  await pass(5 * 60_000)
  expect(records.get(key.id).slots).toEqual([])
})

test('a process that sent a later transaction leaves the earlier one to the tending process without a read', async () => {
  const { submit, records, all } = installation(1)
  await submit(0, '0x1')
  await submit(0, '0x2')
  const { ports } = all[0]!
  const { load } = ports.relayerRecords
  let reads = 0
  ports.relayerRecords.load = async (id) => {
    reads += 1
    return load(id)
  }
  const used = (orderId: Hash, hash: Hash) => settleBy({ orderId, hash, relayerId: key.id }, ports)
  const left = () => records.get(key.id).slots.filter(({ attempts }) => attempts.length > 0).length
  await used('0x1', '0x0')
  expect([reads, left()]).toEqual([0, 2])
  await used('0x2', '0x1')
  expect([reads, left()]).toEqual([1, 0])
})

test('another process sends a signed transaction within seconds if its signer process dies before sending', async () => {
  const { submit, pass, sends, all, clock } = installation(2)
  const signedAt = clock.at
  await submit(0, '0x1')
  sends.length = 0
  await pass(10_000, all.slice(1))
  expect(sends[0]).toMatchObject({ by: 1, bytes: '0x0' })
  expect(sends[0]!.at - signedAt).toBeLessThanOrEqual(8_000)
})

test('an unmined transaction is sent again at growing intervals', async () => {
  const { submit, pass, sends } = installation(1)
  await submit(0, '0x1')
  await pass(50_000)
  const gaps = sends.slice(1).map(({ at }, n) => at - sends[n]!.at)
  expect(gaps.length).toBeGreaterThanOrEqual(3)
  expect(gaps).toEqual(gaps.toSorted((one, other) => one - other))
})

test('a relayer whose record changes constantly is still tended', async () => {
  const { submit, pass, mine, records, clock } = installation(2)
  for (let n = 1; n <= 200; n++) {
    clock.at += tickMs / 2
    await submit(n % 2, `0x${n}`)
    clock.at -= tickMs / 2
    await pass(tickMs)
    mine()
  }
  await pass(tickMs)
  const kept = records.get(key.id).slots.filter(({ attempts }) => attempts.length > 0)
  expect(kept.length).toBeLessThanOrEqual(confirmations + 10)
})
