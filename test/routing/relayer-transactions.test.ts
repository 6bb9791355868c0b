import { expect, test } from 'bun:test'
import type { Hash } from '../../src/domain/chain/hex'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import type { ChainClient } from '../../src/ports/chain-client'
import { slotFor } from '../../src/routing/delivery/relayer-nonces'
import type { RelayerPorts } from '../../src/routing/delivery/relayer-slots'
import { tend, transactionsOf } from '../../src/routing/delivery/relayer-transactions'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { anyone } from '../support/unlimited'
import { detected, order } from '../support/world'

const orderOf = (id: Hash) => ({ ...order, id, deadline: 1_000 })
const key = { id: 'base:0', address: addressOf(1) }
type Seen = { mined?: number; settled?: number; time?: number; now?: number; market?: bigint; balanceWei?: bigint }

/** A scripted chain that records what it was sent. */
function sending(
  relayerRecords = recordsInMemory<Relayer>(),
  { mined = 0, settled = 0, time = 0, now = 0, market = 80n, balanceWei = 10n ** 20n }: Seen = {},
) {
  const sent: Hash[] = []
  const bytesOf = (nonce: number, what: string, feeCap: bigint): Hash => `0x${nonce}:${what}:${feeCap}`
  const signed = (bytes: Hash) => ({ hash: bytes, bytes })
  const chain: Partial<ChainClient> = {
    chainId: 8453,
    confirmedNumber: async () => 1,
    head: async () => ({ number: 9, hash: '0x', time }),
    blockAt: async (number) => ({ number, hash: '0x', time }),
    nativeBalance: async () => balanceWei,
    minedNonces: async (_key, block) => (block === undefined ? mined : settled),
    fee: async () => ({ feeCap: market, tip: 8n }),
    send: async (bytes) => void sent.push(bytes),
    hasTransaction: async () => true,
  }
  const ports: RelayerPorts = {
    relayerRecords,
    chain: chain as ChainClient,
    relayers: {
      forRoute: () => key,
      onChain: () => [key],
      transaction: async (_key, nonce, { id }, { feeCap }, also = []) =>
        signed(bytesOf(nonce, [id, ...also.map((other) => other.id)].join('+'), feeCap)),
      mayShare: () => true,
      mintObjection: () => null,
      filler: async (_key, nonce, { feeCap }) => signed(bytesOf(nonce, 'filler', feeCap)),
    },
    now: () => now,
  }
  return { ports, sent, sender: () => relayerRecords.get(key.id), at: (seen: Seen) => sending(relayerRecords, seen) }
}

test('sender: only one of two processes that sign with one nonce keeps it, and the other takes the next', async () => {
  const { ports, sender } = sending()
  const elsewhere = { ...ports, relayerRecords: { ...ports.relayerRecords } }
  const both = await Promise.all([slotFor(orderOf('0x1'), ports, anyone), slotFor(orderOf('0x2'), elsewhere, anyone)])

  expect(both.map((given) => given?.slot.nonce)).toEqual([0, 1])
  expect(sender().slots.map(({ nonce, orderId }) => [nonce, orderId])).toEqual([
    [0, '0x1'],
    [1, '0x2'],
  ])
})

test('sender: orders of one process never lose a nonce to each other', async () => {
  const { ports } = sending()
  const ids: Hash[] = ['0x1', '0x2', '0x3']
  const all = await Promise.all(ids.map((id) => slotFor(orderOf(id), ports, anyone)))

  expect(all.map((given) => given?.slot.nonce)).toEqual([0, 1, 2])
})

test('sender: a key that was also used elsewhere continues at the chain’s nonce', async () => {
  const { ports, at } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  expect((await slotFor(orderOf('0x2'), at({ mined: 9, settled: 7 }).ports, anyone))?.slot.nonce).toBe(9)
  // a node that lags
  expect((await slotFor(orderOf('0x3'), at({ mined: 8, settled: 9 }).ports, anyone))?.slot.nonce).toBe(10)
})

test('sender: a key that was used before starts at the chain’s nonce', async () => {
  const { at } = sending()
  expect((await slotFor(orderOf('0x1'), at({ mined: 41 }).ports, anyone))?.slot.nonce).toBe(41)
})

test('sender: a repeated request returns the same nonce, even after it was mined', async () => {
  const { ports, at, sender } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  await tend(key, at({ mined: 1, settled: 1, time: 999 }).ports)

  expect(await slotFor(orderOf('0x1'), ports, anyone)).toMatchObject({ slot: { nonce: 0, attempts: [] } })
  await tend(key, at({ mined: 1, settled: 1, time: 1_001 }).ports) // now the order has expired
  expect(sender().slots).toEqual([])
})

test('sender: a stuck transaction is stored at a higher fee and sent, and later nonces are sent unchanged', async () => {
  const { ports, at, sender } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  await slotFor(orderOf('0x2'), ports, anyone)
  const late = at({ now: 61_000 })
  await tend(key, late.ports)

  expect(late.sent).toEqual(['0x0:0x1:91', '0x1:0x2:80'])
  expect(sender().slots.map(({ attempts }) => attempts.length)).toEqual([2, 1])
})

testAll([
  ['the node returns no fee', { fee: async () => Promise.reject(new RoutingError('RPC_FAILED')) }, {}],
  ['nothing can be signed', {}, { transaction: async () => Promise.reject(new TypeError('No key')) }],
])(
  'sender: stored bytes are sent again if a node returns no fee or nonce, and the error is reported',
  async (_, chain, signing) => {
    const { ports, at } = sending()
    await slotFor(orderOf('0x1'), ports, anyone)
    const late = at({ now: 61_000 })
    const troubled = {
      ...late.ports,
      chain: { ...late.ports.chain, ...chain },
      relayers: { ...late.ports.relayers, ...signing },
    }
    expect(await tend(key, troubled).catch((error) => error)).toBeInstanceOf(Error)
    expect(late.sent).toEqual(['0x0:0x1:80'])
  },
)

test('sender: every transaction that carried an order stays listed, even after its bytes are dropped', async () => {
  const { ports, at, sender } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  await tend(key, at({ now: 61_000 }).ports)
  const all: Hash[] = ['0x0:0x1:80', '0x0:0x1:91']
  const carried = () =>
    transactionsOf({ ...detected, facts: { order: orderOf('0x1') } }, sender()).map(({ hash }) => hash)

  expect(carried()).toEqual(all)
  await tend(key, at({ mined: 1, settled: 1, time: 999, now: 62_000 }).ports)
  expect(sender().slots[0]!.attempts).toEqual([])
  expect(carried()).toEqual(all)
})

test('sender: a replacement offers an eighth more, or the market’s fee', async () => {
  const { ports, at } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  const late = at({ now: 61_000, market: 500n })
  await tend(key, late.ports)
  expect(late.sent).toEqual(['0x0:0x1:500'])
})

test('sender: sixteen unmined transactions make a key busy', async () => {
  const { ports, at } = sending()
  const late = { ...anyone, executionId: '8453:0x99:0', organizationId: 'org_late', share: 1 }
  for (let n = 0; n < 16; n++)
    expect(await slotFor(orderOf(`0x${n}`), ports, { ...anyone, organizationId: `org_${n}`, share: 1 })).not.toBeNull()
  expect(await slotFor(orderOf('0x99'), ports, late)).toBeNull()
  expect((await slotFor(orderOf('0x99'), at({ mined: 1, now: 1_000 }).ports, late))?.slot.nonce).toBe(16)
})

test('sender: a mined transaction is not sent again, but one lost in a reorganization is', async () => {
  const { ports, at } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  await slotFor(orderOf('0x2'), ports, anyone)
  const seenNow = at({ mined: 1 })
  await tend(key, seenNow.ports)
  expect(seenNow.sent).toEqual(['0x1:0x2:80'])
  const reorganized = at({ mined: 0 })
  await tend(key, reorganized.ports)
  expect(reorganized.sent).toEqual(['0x0:0x1:80', '0x1:0x2:80'])
})

test('sender: hours without a block do not raise a fee without limit', async () => {
  const { ports, at, sender } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  for (let minutes = 1; minutes <= 300; minutes++) await tend(key, at({ now: minutes * 61_000 }).ports)

  const { attempts } = sender().slots[0]!
  expect(BigInt(attempts.at(-1)!.feeCap)).toBeLessThan(80n * 12n)
  expect(attempts.length).toBeLessThan(25)
  const dearer = at({ now: 301 * 61_000, market: 2_000n })
  await tend(key, dearer.ports)
  expect(dearer.sent).toEqual(['0x0:0x1:2000'])
})

test('sender: an expired order is replaced by an empty transfer, which unblocks a key whose bytes no node accepts', async () => {
  const { ports, at } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  const intime = at({ now: 61_000, time: 1_000 })
  await tend(key, intime.ports)
  expect(intime.sent).toEqual(['0x0:0x1:91'])
  const late = at({ now: 130_000, time: 1_001 })
  await tend(key, late.ports)
  expect(late.sent).toEqual(['0x0:filler:103'])
})

test('sender: a transaction that a node dropped or found too cheap stays stored, and is offered again at a higher fee', async () => {
  const { ports, at, sender } = sending()
  await slotFor(orderOf('0x1'), ports, anyone)
  const refusing = (seen: Seen) => {
    const told = at(seen)
    const offered: Hash[] = []
    const send = async (bytes: Hash) => {
      offered.push(bytes)
      if (bytes.endsWith(':80')) throw new RoutingError('RPC_FAILED', { cause: new Error('transaction underpriced') })
    }
    return { offered, ports: { ...told.ports, chain: { ...told.ports.chain, send } as ChainClient } }
  }
  for (const now of [1_000, 2_000]) {
    const cheap = refusing({ now })
    expect(tend(key, cheap.ports)).rejects.toMatchObject({ code: 'RPC_FAILED' })
    await Promise.resolve(tend(key, cheap.ports).catch(() => {}))
    expect(new Set(cheap.offered)).toEqual(new Set(['0x0:0x1:80']))
    expect(sender().slots[0]!.attempts).toHaveLength(1)
  }
  const dearer = refusing({ now: 61_000 })
  await tend(key, dearer.ports)
  expect(dearer.offered).toEqual(['0x0:0x1:91'])
  expect((await slotFor(orderOf('0x1'), ports, anyone))?.slot.nonce).toBe(0)
})

test('sender: only as many orders get a nonce as the key’s coin can pay for', async () => {
  const costWei = 2n * 80n * BigInt(order.gasLimit) + BigInt(order.nativeFee)
  const { ports, at } = sending(undefined, { balanceWei: 2n * costWei })
  const ids: Hash[] = ['0x1', '0x2', '0x3']
  const all = await Promise.all(ids.map((id) => slotFor(orderOf(id), ports, anyone)))
  expect(all.map((given) => given?.slot.nonce)).toEqual([0, 1, undefined])
  const filledUp = at({ balanceWei: 3n * costWei, now: 1_000 }).ports
  expect((await slotFor(orderOf('0x3'), filledUp, anyone))?.slot.nonce).toBe(2)
})
