import { expect, test } from 'bun:test'
import { heads } from '../../../src/adapters/evm/heads'
import type { Ask } from '../../../src/adapters/evm/rpc/json-rpc'
import type { Hash } from '../../../src/domain/chain/hex'
import { until } from '../../support/until'
import { chainOfNodes, codeOf, word } from './chain-of-nodes'

const { node, chain } = chainOfNodes()

const block = (n: number) => ({
  result: { number: word(n), hash: `0x${String(n).padStart(64, 'a')}`, timestamp: word(n * 2), baseFeePerGas: '0x7' },
})

/** The head is cached briefly, until the client reads it again. */
const sees = (client: ReturnType<typeof chain>, number: number) =>
  until(`head ${number}`, async (note) => note((await client.head()).number) === number, { everyMs: 1 })

test('confirmed: the confirmed block never decreases, whichever node answers', async () => {
  let tip = 100
  const forward = node(({ params }) => block(params[0] === 'latest' ? tip : Number(params[0])))
  const client = chain(forward.url)
  expect((await client.confirmed()).number).toBe(99)
  tip = 90
  await sees(client, 90)
  expect((await client.confirmed()).number).toBe(99)
  tip = 120
  await sees(client, 120)
  expect((await client.confirmed()).number).toBe(119)
})

/** The confirmed block's number on a chain with eight confirmations, whose newest block is read by number. */
function numbered() {
  const clock = { at: 0 }
  const chain = { tip: 100, said: 100 }
  const asked: unknown[] = []
  const ask = (async (_method: string, [tag]: unknown[]) => {
    asked.push(tag)
    if (tag === 'latest') return block(chain.said).result
    return Number(tag) > chain.tip ? null : block(Number(tag)).result
  }) as Ask
  const { confirmedNumber } = heads(ask, 8, { now: Date.now, sharedMs: 20, monotonic: () => clock.at })
  /** @param tip the node's newest block, if it differs from the one it reports. */
  async function at(said: number, { afterMs = 1_000, tip = said } = {}): Promise<number> {
    clock.at += afterMs
    Object.assign(chain, { said, tip })
    return confirmedNumber()
  }
  return { at, asked }
}

test('confirmed: its number follows the head, and decreases only if the chain stays shorter for minutes', async () => {
  const { at, asked } = numbered()
  expect(await at(100)).toBe(93)
  asked.length = 0
  expect([await at(107), await at(101), await at(107)]).toEqual([100, 100, 100])
  expect(asked).toEqual(['latest', 'latest', 'latest'])
  expect(await at(107 + 300)).toBe(400)
  expect(asked.slice(3)).toEqual(['latest', word(400), word(93)]) // it must have the previous block
  expect([await at(395), await at(395, { afterMs: 119_000 }), await at(395, { afterMs: 2_000 })]).toEqual([
    400, 400, 388,
  ])
})

test('confirmed: a single head that is too high confirms no missing block', async () => {
  const { at } = numbered()
  expect(await at(100)).toBe(93)
  expect(await at(300, { tip: 100 })).toBe(93)
  expect([await at(101), await at(104)]).toEqual([94, 97])
})

test('confirmed: a brief lag does not count minutes later', async () => {
  const { at } = numbered()
  expect(await at(100)).toBe(93)
  expect(await at(80)).toBe(93)
  expect(await at(103, { afterMs: 90_000 })).toBe(96)
  expect(await at(80, { afterMs: 90_000 })).toBe(96)
})

test('confirmed: simultaneous callers share one request', async () => {
  const asked = node(({ params }) => block(params[0] === 'latest' ? 50 : Number(params[0])))
  const client = chain(asked.url)
  await Promise.all(Array.from({ length: 50 }, () => client.confirmed()))

  expect(asked.seen.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(2)
})

test('confirmed: a head whose depth the next node lacks does not count as confirmed', async () => {
  const block = (number: number) => ({ number: word(number), hash: `0x${'a'.repeat(64)}`, timestamp: word(1) })
  let known = 90
  const balanced = node(({ params: [tag] }) => {
    if (tag === 'latest') return { result: block(100) }
    return { result: Number(tag) <= known ? block(Number(tag)) : null }
  })
  const client = chain(balanced.url)
  expect(await codeOf(client.confirmed())).toBe('RPC_FAILED')
  known = 100
  expect((await client.confirmed()).number).toBe(99)
})

const blockOf = (number: number, salt = 0) => ({
  number: word(number),
  hash: `0x${(number * 7 + salt).toString(16).padStart(64, '0')}`,
  timestamp: word(number),
})

/** A chain's blocks, with those of a different chain in between. */
function chainOfBlocks() {
  const seen = { head: 1_000, salt: 0, at: 0 }
  const ask: Ask = async (_method, [tag]) => {
    const number = tag === 'latest' ? seen.head : Number(tag)
    return (number > seen.head ? null : blockOf(number, seen.salt)) as never
  }
  const { confirmed } = heads(ask, 2, { now: Date.now, monotonic: () => seen.at })
  return {
    seen,
    /** Waits until the cached response has expired. */
    numberOf: () => {
      seen.at += 25
      return confirmed().then(
        ({ number }) => number,
        () => null,
      )
    },
  }
}

test('heads: no block time is in the future, so none expires a live order', async () => {
  const later = Math.floor(Date.now() / 1_000) + 3_600
  const ask: Ask = async () => ({ ...blockOf(7), timestamp: `0x${later.toString(16)}` }) as never
  const { head, confirmed, blockAt } = heads(ask, 2, { now: Date.now })
  for (const block of [await head(), await confirmed(), await blockAt(7)])
    expect(block!.time).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 60)
})

test('heads: a single response from a different chain does not become the confirmed block', async () => {
  const { seen, numberOf } = chainOfBlocks()
  expect(await numberOf()).toBe(999)
  Object.assign(seen, { head: 60_000_000, salt: 3 })
  expect(await numberOf()).toBeNull()
  Object.assign(seen, { head: 1_001, salt: 0 })
  expect(await numberOf()).toBe(1_000)
  seen.head = 50_000 // no request for a while
  expect(await numberOf()).toBe(49_999)
})

test('heads: a first response from a different chain is dropped, and a lagging node withdraws nothing', async () => {
  const { seen, numberOf } = chainOfBlocks()
  Object.assign(seen, { head: 60_000_000, salt: 3 })
  expect(await numberOf()).toBe(59_999_999)
  Object.assign(seen, { head: 1_000, salt: 0, at: 1_000 })
  expect(await numberOf()).toBe(59_999_999)
  seen.at += 121_000
  expect(await numberOf()).toBe(999)

  seen.head = 990
  expect(await numberOf()).toBe(999)
  seen.head = 1_010
  expect(await numberOf()).toBe(1_009)
})

test('a block is confirmed by its hash and the confirming block, which are read together', async () => {
  const chain = { tip: 106 }
  const asked: unknown[] = []
  const ask = (async (_method: string, [tag]: unknown[]) => {
    asked.push(tag)
    return Number(tag) > chain.tip ? null : block(Number(tag)).result
  }) as Ask
  const { confirmedAt } = heads(ask, 8, { now: Date.now })
  const isConfirmed = async (hash = block(100).result.hash) => (await confirmedAt(100, hash as Hash, true)).isConfirmed
  expect(await isConfirmed()).toBe(false)
  chain.tip = 107
  expect(await isConfirmed(block(99).result.hash)).toBe(false)
  expect(await isConfirmed()).toBe(true)
  expect(asked).toEqual([100, 107, 100, 107, 100, 107].map(word))
  chain.tip = 50 // restored from an older state
  expect(await isConfirmed()).toBe(false)
})

test('the confirmation time is estimated from the blocks read and their pace', async () => {
  const from = Math.floor(Date.now() / 1_000)
  const secondsEach = { at: 2 }
  const ask = (async (_method: string, [tag]: unknown[]) => {
    const number = Number(tag)
    const time = from - (1_000 - number) * secondsEach.at
    return { number: word(number), hash: block(number).result.hash, timestamp: word(time) }
  }) as Ask
  const { blockAt, untilConfirmedMs } = heads(ask, 11, { now: () => from * 1_000, sharedMs: 20, blockMs: 2_000 })
  expect(untilConfirmedMs(1_000)).toBeNull()
  await blockAt(1_000)
  expect(untilConfirmedMs(1_000)).toBe(20_250)
  expect([untilConfirmedMs(990), untilConfirmedMs(985)]).toEqual([0, 0])
  secondsEach.at = 1 // blocks come twice as fast as usual
  await blockAt(900)
  expect(untilConfirmedMs(1_000)).toBe(10_250)
  const { blockAt: unknown, untilConfirmedMs: never } = heads(ask, 11, { now: Date.now })
  await unknown(1_000)
  expect(never(1_000)).toBeNull()
})

test('heads: a block’s time is limited by the process’s clock instead of the machine’s', async () => {
  const wrong: object[] = []
  // Minutes by which the process's clock is ahead of the machine's, and its newest block of the process's.
  for (const apartMin of [-24 * 60, -7, 0, 7, 60, 24 * 60])
    for (const [aheadSeconds, believed] of [
      [0, 0],
      [-90, -90],
      [420, 60],
    ] as const) {
      const at = 1_000 * Math.floor(Date.now() / 1_000) + apartMin * 60_000
      const timestamp = word(at / 1_000 + aheadSeconds)
      const ask = (async () => ({
        number: word(100),
        hash: `0x${'a'.repeat(64)}`,
        timestamp,
        baseFeePerGas: '0x7',
      })) as Ask
      const { head, blockAt, untilConfirmedMs } = heads(ask, 11, { now: () => at, blockMs: 2_000 })
      const times = [(await head()).time, (await blockAt(100))!.time].map((time) => time - at / 1_000)
      const waitMs = untilConfirmedMs(101)!
      if (times.some((time) => time !== believed) || waitMs > 120_000) wrong.push({ apartMin, times, waitMs })
    }
  expect(wrong).toEqual([])
})
