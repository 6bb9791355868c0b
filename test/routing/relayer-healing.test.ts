import { expect, test } from 'bun:test'
import { perChain } from '../../src/domain/chain/chain'
import type { Hash } from '../../src/domain/chain/hex'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import { KeyDelegated, TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { ChainClient } from '../../src/ports/chain-client'
import { slotFor } from '../../src/routing/delivery/relayer-nonces'
import { type RelayerPorts, sendStored } from '../../src/routing/delivery/relayer-slots'
import { tend } from '../../src/routing/delivery/relayer-transactions'
import { observeComponents } from '../../src/routing/overdue/observe'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { anyone } from '../support/unlimited'
import { order } from '../support/world'

const key = { id: 'base:0', address: addressOf(1) }
const other = { id: 'base:1', address: addressOf(2) }
const minuteMs = 61_000
const day = 24 * 60

/**
 * A chain that mines every transaction with the next nonce. It can report wrong nonces, drop what is sent, reject bytes
 * as too expensive, mine nothing or one at a time, or report no coin.
 */
function world() {
  const relayerRecords = recordsInMemory<Relayer>()
  const state = { mined: 0, now: 0, lie: null as number | null, takes: true, market: 80n, dearest: 10n ** 9n }
  const its = { isMining: true, isDelegated: false, wei: 10n ** 20n }
  const pool = new Map<number, Hash>()
  const signed = (nonce: number, what: string, { feeCap }: { feeCap: bigint }) => {
    const bytes = `0x${nonce}:${what}:${feeCap}` as Hash
    return { hash: bytes, bytes }
  }
  const seconds = () => Math.floor(state.now / 1_000)
  const chain: Partial<ChainClient> = {
    chainId: 8453,
    confirmedNumber: async () => 1,
    head: async () => ({ number: 9, hash: '0x', time: seconds() }),
    blockAt: async (number) => ({ number, hash: '0x', time: seconds() }),
    nativeBalance: async () => its.wei,
    minedNonces: async () => state.lie ?? state.mined,
    fee: async () => ({ feeCap: state.market, tip: 8n }),
    hasTransaction: async (hash) => [...pool.values()].includes(hash),
    async send(bytes) {
      const [nonce, , feeCap] = bytes.slice(2).split(':')
      if (its.wei === 0n) throw new RoutingError('RPC_FAILED') // insufficient funds for gas
      const isHeld = [...pool.keys()].some((other) => other >= state.mined && other !== Number(nonce))
      if (its.isDelegated && isHeld) throw new KeyDelegated()
      if (state.takes && BigInt(feeCap!) <= state.dearest) pool.set(Number(nonce), bytes)
      while (its.isMining && pool.has(state.mined)) state.mined += 1
    },
  }
  const relayers = {
    forRoute: () => key,
    onChain: () => [key],
    transaction: async (_key: string, nonce: number, { id }: { id: string }, fee: { feeCap: bigint }) =>
      signed(nonce, id, fee),
    filler: async (_key: string, nonce: number, fee: { feeCap: bigint }) => signed(nonce, 'filler', fee),
  }
  const ports = {
    relayerRecords,
    chain: chain as ChainClient,
    relayers,
    now: () => state.now,
  } as unknown as RelayerPorts
  const orderOf = (id: Hash) => ({ ...order, id, deadline: seconds() + 150 })
  return {
    state,
    its,
    ports,
    pool,
    record: () => relayerRecords.get(key.id),
    orderOf,
    nonces: () => relayerRecords.get(key.id).slots.map(({ nonce }) => nonce),
    async send(id: Hash) {
      const given = await slotFor(orderOf(id), ports, anyone)
      await sendStored(given!.slot.attempts.at(-1)!.bytes, key.id, ports)
      return given!.slot.nonce
    },
    async pass(minutes: number) {
      for (let n = 0; n < minutes; n++) {
        state.now += minuteMs
        await tend(key, ports)
      }
    },
  }
}

test('a wrong nonce from a node stops a relayer only while it lasts, and a skipped nonce is used next', async () => {
  const { state, send, pass } = world()
  await send('0x1')
  state.lie = 500 // a node of another chain, where the same key has sent 500
  expect(await send('0x2')).toBe(500)
  state.lie = null
  await pass(day)
  expect(await send('0x3')).toBe(1)
  expect(state.mined).toBe(2)
})

test('many wrong responses do not use up a relayer’s slots', async () => {
  const { state, send } = world()
  await send('0xff')
  for (let n = 0; n < 20; n++) {
    state.lie = 500 + 100 * n
    await send(`0x${n}`)
  }
  state.lie = null
  expect(await send('0xfe')).toBe(1)
  expect(state.mined).toBe(2)
})

test('a nonce assigned after a wrong response is not assigned to a second order later', async () => {
  const { state, send, nonces } = world()
  await send('0xff')
  state.lie = 3
  await send('0x3')
  state.lie = null
  expect([await send('0x1'), await send('0x2'), await send('0x4')]).toEqual([1, 2, 4])
  expect(nonces()).toEqual([0, 1, 2, 3, 4])
  expect(state.mined).toBe(5)
})

test('bytes wrongly reported as settled are replaced by an empty transfer, and the key continues', async () => {
  const { state, ports, send, pass } = world()
  state.takes = false // stored, but the sent transaction was lost
  await send('0x1')
  state.lie = 500
  await tend(key, ports)
  state.lie = null
  state.takes = true
  await pass(2)
  expect(state.mined).toBe(1)
  expect(await send('0x2')).toBe(1)
})

test('a reorganization deeper than the confirmation depth, or a restored chain, leaves no gap', async () => {
  const { state, send, pass, pool } = world()
  await send('0x1')
  await send('0x2')
  await pass(10) // settled, expired and removed
  state.mined = 1
  pool.clear()
  expect(await send('0x3')).toBe(1)
  expect(state.mined).toBe(2)
})

test('a gap without a new order is filled, which lets the transactions above it be mined', async () => {
  const { state, send, pass, pool } = world()
  await send('0xff')
  state.lie = 3
  await send('0x3')
  state.lie = null
  await pass(3)
  expect([...pool.values()].map((bytes) => bytes.split(':')[1])).toEqual(['0xff', '0x3', 'filler', 'filler'])
  expect(state.mined).toBe(4)
})

test('a transaction that every node rejects as too expensive is offered at the market’s fee', async () => {
  const { state, send, pass, pool } = world()
  state.market = 10n ** 12n // one wrong response
  await send('0x1')
  state.market = 80n
  await pass(1)
  expect(pool.get(0)).toBe('0x0:0x1:80')
  expect(state.mined).toBe(1)
})

test('an expensive transaction that a node accepted is left alone', async () => {
  const { state, ports, send, pass } = world()
  state.dearest = 10n ** 15n
  state.market = 10n ** 12n
  await send('0x1')
  state.mined = 0 // the node has them and mines nothing
  state.market = 80n
  ports.chain.send = async () => {}
  await pass(10)
  expect((await ports.relayerRecords.load(key.id))!.slots.map(({ attempts }) => attempts.length)).toEqual([1])
})

test('an order keeps the relayer it was signed for when another is added', async () => {
  const { ports, orderOf } = world()
  const signed = { ...orderOf('0x1'), sender: key.id }
  await slotFor(signed, ports, anyone)
  const more = { ...ports, relayers: { ...ports.relayers, forRoute: () => other, onChain: () => [key, other] } }
  expect(await slotFor(signed, more, anyone)).toMatchObject({ relayerId: key.id, slot: { nonce: 0 } })
  expect(await slotFor({ ...orderOf('0x2'), sender: other.id }, more, anyone)).toMatchObject({ relayerId: other.id })
})

test('an order whose relayer’s key is gone gets no second nonce elsewhere', async () => {
  const { ports, orderOf } = world()
  const fewer = { ...ports, relayers: { ...ports.relayers, forRoute: () => other, onChain: () => [other] } }
  expect(await slotFor({ ...orderOf('0x1'), sender: key.id }, fewer, anyone)).toBeNull()
})

test('sent bytes are sent again unchanged while the key gives no signature, and the poll reports the wait', async () => {
  const { state, ports, pool, send } = world()
  state.takes = false
  await send('0x1')
  state.takes = true
  const away = new TemporarilyUnavailable('the key', 2_000, 'SIGNER')
  const withoutKey = { ...ports, relayers: { ...ports.relayers, transaction: () => Promise.reject(away) } }
  state.now += minuteMs
  await expect(tend(key, withoutKey)).rejects.toBe(away)
  expect([pool.size, state.mined]).toEqual([1, 1])
})

test('a delegated key has one transaction pending at a time, and its signed ones follow in turn', async () => {
  const { its, state, send, pass, record, orderOf, ports } = world()
  Object.assign(its, { isMining: false, isDelegated: true })
  await send('0x1')
  expect(record().isDelegated).toBeUndefined()
  await send('0x2') // the node holds it back, which is not its fault
  expect(record().isDelegated).toBe(true)
  expect(await slotFor(orderOf('0x3'), ports, anyone)).toBeNull()
  await pass(1)
  its.isMining = true
  await tend(key, ports)
  await pass(1)
  expect(state.mined).toBe(2)
  expect(record().slots.map(({ attempts }) => attempts.length)[1] ?? 1).toBe(1) // no higher fee
  expect(await send('0x3')).toBe(2)
})

test('a delegated key that was never used is detected before its first transaction', async () => {
  const relayerRecords = recordsInMemory<Relayer>()
  const observe = observeComponents({
    relayerRecords,
    depositQueries: { list: async () => [] },
    relayers: { onChain: (id) => (id === 8453 ? [key] : []) },
    chains: perChain(() => ({
      head: async () => ({ number: 1, hash: '0x', time: 1 }) as never,
      fee: async () => ({ feeCap: 1n, tip: 1n }) as never,
      nativeBalance: async () => 10n ** 18n,
      minedNonces: async () => 0,
      isDelegated: async () => true,
    })),
    providerHealth: async () => [],
    observations: { all: async () => [], note: async () => {} } as never,
    now: () => 1_000,
    onTrouble: (_what, error) => {
      throw error
    },
  })
  await observe()
  expect(relayerRecords.get(key.id).isDelegated).toBe(true)
})

test('orders whose relayer ran out of coin before sending continue after a top-up, without a restart', async () => {
  const { its, state, send, pass, nonces } = world()
  await send('0xff')
  its.isMining = false
  for (const id of ['0x1', '0x2', '0x3', '0x4'] as const) await send(id)
  its.wei = 0n
  const sent = send('0x5')
  expect(sent).rejects.toThrow() // no slot without coin
  for (let n = 0; n < 10; n++) await pass(1).catch(() => {})
  expect([state.mined, nonces().length]).toEqual([1, 4])
  Object.assign(its, { wei: 10n ** 20n, isMining: true })
  await pass(2)
  expect(state.mined).toBe(5)
  expect(await send('0x6')).toBe(5)
})
