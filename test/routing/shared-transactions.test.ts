import { expect, test } from 'bun:test'
import { encodeErrorResult, encodeEventTopics, pad } from 'viem'
import { encodeAbiParameters, getAbiItem, numberToHex } from 'viem/utils'
import { routeExecutorAbi } from '../../contracts/artifacts/abi'
import { heads } from '../../src/adapters/evm/heads'
import { receipts } from '../../src/adapters/evm/receipts'
import type { Ask } from '../../src/adapters/evm/rpc/json-rpc'
import type { Hash } from '../../src/domain/chain/hex'
import type { Relayer, SlotRequest } from '../../src/domain/chain/relayer'
import type { Order } from '../../src/domain/execution/route'
import type { ChainClient } from '../../src/ports/chain-client'
import { slotFor } from '../../src/routing/delivery/relayer-nonces'
import type { RelayerPorts } from '../../src/routing/delivery/relayer-slots'
import { assignSlots, withFreeSlot } from '../../src/routing/delivery/relayer-slots'
import { tend, transactionsOf } from '../../src/routing/delivery/relayer-transactions'
import { addressOf, hashOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { anyone } from '../support/unlimited'
import { detected, order } from '../support/world'

const key = { id: 'base:0', address: addressOf(1) }
const orderOf = (n: number): Order => ({
  ...order,
  id: hashOf(n),
  routeId: hashOf(0x1000 + n),
  account: addressOf(0xac00 + n),
  deadline: 1_000,
})
const requestOf = (n: number): SlotRequest => ({ ...anyone, executionId: `8453:0x${n}:0`, since: n })

type Seen = {
  mined?: number
  settled?: number
  time?: number
  now?: number
  balanceWei?: bigint
  refusesToSign?: number
}

/** Processes that share one relayer's record. The keys' bytes list the orders that they signed. */
function world(records = recordsInMemory<Relayer>()) {
  const sent: Hash[] = []
  const at = (seen: Seen = {}): RelayerPorts => {
    const { mined = 0, settled = 0, time = 0, now = 0, balanceWei = 10n ** 20n } = seen
    const chain = {
      chainId: 8453,
      confirmedNumber: async () => 1,
      head: async () => ({ number: 9, hash: '0x', time }),
      blockAt: async (number: number) => ({ number, hash: '0x', time }),
      nativeBalance: async () => balanceWei,
      minedNonces: async (_key: string, block?: number) => (block === undefined ? mined : settled),
      fee: async () => ({ feeCap: 80n, tip: 8n }),
      send: async (bytes: Hash) => void sent.push(bytes),
      hasTransaction: async () => true,
    } as unknown as ChainClient
    const signed = (nonce: number, orders: readonly Order[], feeCap: bigint) => {
      const bytes = `0x${nonce}:${orders.map(({ id }) => Number(id)).join('+')}:${feeCap}` as Hash
      return { hash: bytes, bytes }
    }
    return {
      relayerRecords: { ...records },
      chain,
      relayers: {
        forRoute: () => key,
        onChain: () => [key],
        async transaction(_id, nonce, first, { feeCap }, also = []) {
          if (seen.refusesToSign) {
            seen.refusesToSign -= 1
            throw new Error('The key is away')
          }
          return signed(nonce, [first, ...also] as Order[], feeCap)
        },
        filler: async (_id, nonce, { feeCap }) => signed(nonce, [], feeCap),
        mayShare: ({ kind }) => kind !== 'DIRECT',
        mintObjection: () => null,
      },
      now: () => now,
      ordersPerTransaction: 10,
    }
  }
  return { at, sent, records, record: () => records.get(key.id) }
}

const all = (ports: RelayerPorts, numbers: readonly number[]) =>
  Promise.all(numbers.map((n) => slotFor(orderOf(n), ports, requestOf(n))))
const carriedIn = ({ slots }: Relayer) =>
  slots.map(({ orderId, also = [] }) => [orderId, ...also.map((other) => other.orderId)].map(Number))

test('simultaneous orders share a transaction, and one of them sends it', async () => {
  const { at, record } = world()
  const given = await all(at(), [1, 2, 3, 4])
  expect(carriedIn(record())).toEqual([[1, 2, 3, 4]])
  expect(given.map((one) => [one!.slot.nonce, one!.isSent ?? false])).toEqual([
    [0, false],
    [0, true],
    [0, true],
    [0, true],
  ])
})

test('a single order gets its own transaction without waiting', async () => {
  const { at, record } = world()
  const ports = at()
  for (const n of [1, 2]) expect((await slotFor(orderOf(n), ports, requestOf(n)))!.isSent).toBeUndefined()
  expect(carriedIn(record())).toEqual([[1], [2]])
})

test('each order is sent alone if so configured, or if it is for another contract', async () => {
  const alone = world()
  await all({ ...alone.at(), ordersPerTransaction: 1 }, [1, 2, 3])
  expect(carriedIn(alone.record())).toEqual([[1], [2], [3]])
  const others = world()
  const ports = others.at()
  await Promise.all([
    slotFor({ ...orderOf(1), kind: 'DIRECT' }, ports, requestOf(1)),
    ...[2, 3].map((n) => slotFor(orderOf(n), ports, requestOf(n))),
  ])
  expect(carriedIn(others.record())).toEqual([[1], [2, 3]])
})

test('a repeated request returns the shared slot, in any process and after a restart', async () => {
  const { at, record } = world()
  const ports = at()
  await all(ports, [1, 2, 3])
  const again = await all(at(), [3, 2, 1])
  expect(again.map((one) => one!.slot.nonce)).toEqual([0, 0, 0])
  expect(carriedIn(record())).toEqual([[1, 2, 3]])
})

test('only one of two processes assigns a nonce to the same orders', async () => {
  const { at, record } = world()
  const [one, other] = await Promise.all([all(at(), [1, 2, 3]), all(at(), [3, 2, 1])])
  expect(carriedIn(record()).flat().toSorted()).toEqual([1, 2, 3])
  for (const n of [0, 1, 2]) expect(one[n]!.slot.nonce).toBe(other[2 - n]!.slot.nonce)
})

test('an unreachable key fails only the order that requested it, and the others make their own request', async () => {
  const { at, record } = world()
  const ports = at({ refusesToSign: 1 })
  const given = await Promise.allSettled([1, 2, 3].map((n) => slotFor(orderOf(n), ports, requestOf(n))))
  expect(given.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(carriedIn(record())).toEqual([[2, 3]])
})

test('a transaction carries as many orders as the key can pay for', async () => {
  const { at, record } = world()
  const one = 2n * 80n * 300_000n
  await all(at({ balanceWei: one }), [1, 2])
  expect(carriedIn(record())).toEqual([[1]])
})

test('a stuck batch is replaced by the same orders at a higher fee, and by an empty transfer once all have expired', async () => {
  const { at, sent, record } = world()
  await all(at(), [1, 2, 3])
  await tend(key, at({ now: 61_000 }))
  expect(sent).toEqual(['0x0:1+2+3:91'])
  const third = { ...detected, facts: { order: orderOf(3) } }
  expect(transactionsOf(third, record())).toMatchObject([
    { hash: '0x0:1+2+3:80', orders: 3 },
    { hash: '0x0:1+2+3:91', orders: 3 },
  ])
  await tend(key, at({ now: 122_000, time: 1_001 }))
  expect(sent.at(-1)).toBe('0x0::103')
})

test('executions that could share a transaction are invited with the one that gets a slot, and may be signed', async () => {
  const { at } = world()
  const ports = at()
  // the last slot is for another organization
  for (let n = 1; n <= 15; n++) await slotFor(orderOf(n), ports, requestOf(n))
  for (let n = 16; n <= 40; n++) expect(await withFreeSlot(key, ports, requestOf(n))).toBeNull()
  const woken: string[] = []
  const wakes = { wakeNow: async ({ id }: { id: string }) => void woken.push(id) }
  const later = { ...at({ mined: 1, now: 1_000 }), wakes }
  await assignSlots(key, later)
  const called = Array.from({ length: 10 }, (_, n) => 16 + n)
  expect(woken).toEqual(called.map((n) => requestOf(n).executionId))
  for (const n of called) expect(await withFreeSlot(key, later, requestOf(n))).not.toBeNull()
  expect(await withFreeSlot(key, later, requestOf(26))).toBeNull()
  const given = await all(later, called)
  expect(given.map((one) => one!.slot.nonce)).toEqual(called.map(() => 15))
})

const executor = addressOf(0xee)
const paused = encodeErrorResult({ abi: routeExecutorAbi, errorName: 'Paused' })
const failedLog = (routeId: Hash, address = executor) => ({
  address,
  topics: encodeEventTopics({
    abi: [getAbiItem({ abi: routeExecutorAbi, name: 'OrderFailed' })],
    args: { routeId, accountSalt: hashOf(5) },
  }),
  data: encodeAbiParameters([{ type: 'bytes' }], [paused]),
  logIndex: '0x0',
})

test('the chain shows which order of a batch failed, only by our contract’s event', async () => {
  const [failed, fine, forged] = [hashOf(1), hashOf(2), hashOf(3)]
  const block = { number: pad(numberToHex(90)), hash: hashOf(90), timestamp: '0x9', baseFeePerGas: '0x7' }
  const ask = (async (method: string) => {
    if (method === 'eth_getTransactionReceipt')
      return {
        status: '0x1',
        from: key.address,
        to: executor,
        blockNumber: '0x5a',
        blockHash: hashOf(90),
        logs: [failedLog(failed), failedLog(forged, addressOf(0xbad))],
      }
    if (method === 'eth_getTransactionByHash') return { from: key.address, to: executor, blockNumber: '0x5a' }
    if (method === 'eth_call') return '0x'
    return { ...block, number: '0x5a' }
  }) as Ask
  const { receipt, revertReason } = receipts(ask, heads(ask, 2, { now: Date.now }), [executor])
  expect(await receipt(hashOf(7), failed)).toMatchObject({ succeeded: false, block: 90 })
  for (const routeId of [fine, forged, undefined])
    expect(await receipt(hashOf(7), routeId)).toMatchObject({ succeeded: true })
  expect([await revertReason(hashOf(7), failed), await revertReason(hashOf(7), fine)]).toEqual(['Paused', null])
})
