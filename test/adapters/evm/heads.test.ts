import { expect, test } from 'bun:test'
import { headSharedMs, heads } from '../../../src/adapters/evm/heads'
import type { Ask } from '../../../src/adapters/evm/rpc/json-rpc'
import { chainOfNodes, codeOf, word } from './chain-of-nodes'

const { node, chain } = chainOfNodes()

const block = (n: number) => ({
  result: { number: word(n), hash: `0x${String(n).padStart(64, 'a')}`, timestamp: word(n * 2), baseFeePerGas: '0x7' },
})

/** The head is shared for a moment: until the client looks again. */
async function sees(client: ReturnType<typeof chain>, number: number): Promise<void> {
  while ((await client.head()).number !== number) await Bun.sleep(1)
}

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

test('confirmed: its number follows from the head, and never decreases unless the chain stays shorter for minutes', async () => {
  const clock = { at: 0 }
  let tip = 100
  const asked: unknown[] = []
  const ask = (async (_method: string, [tag]: unknown[]) => {
    asked.push(tag)
    return block(tag === 'latest' ? tip : Number(tag)).result
  }) as Ask
  const { confirmedNumber } = heads(ask, 2, 20, () => clock.at)
  const at = async (number: number, afterMs = 1_000) => {
    clock.at += afterMs
    tip = number
    return confirmedNumber()
  }
  expect(await at(100)).toBe(99)
  asked.length = 0
  expect([await at(120), await at(110), await at(121)]).toEqual([119, 119, 120])
  expect(asked).toEqual(['latest', 'latest', 'latest'])
  expect(await at(121 + 300)).toBe(420)
  expect(asked.slice(3)).toEqual(['latest', word(420), word(99)]) // it must know the one before
  expect([await at(400), await at(400, 119_000), await at(400, 2_000)]).toEqual([420, 420, 399])
})

test('confirmed: simultaneous callers share one request', async () => {
  const asked = node(({ params }) => block(params[0] === 'latest' ? 50 : Number(params[0])))
  const client = chain(asked.url)
  await Promise.all(Array.from({ length: 50 }, () => client.confirmed()))

  expect(asked.seen.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(2)
})

test('confirmed: a head whose depth the next node does not know is not taken for confirmed', async () => {
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

/** What a chain's node says of its blocks, and another's in between. */
function chainOfBlocks() {
  const seen = { head: 1_000, salt: 0, at: 0 }
  const ask: Ask = async (_method, [tag]) => {
    const number = tag === 'latest' ? seen.head : Number(tag)
    return (number > seen.head ? null : blockOf(number, seen.salt)) as never
  }
  const { confirmed } = heads(ask, 2, headSharedMs, () => seen.at)
  return {
    seen,
    /** When the answer before is shared no more. */
    numberOf: () => {
      seen.at += 25
      return confirmed().then(
        ({ number }) => number,
        () => null,
      )
    },
  }
}

test('heads: no block time is in the future, so none makes a live order expire', async () => {
  const later = Math.floor(Date.now() / 1_000) + 3_600
  const ask: Ask = async () => ({ ...blockOf(7), timestamp: `0x${later.toString(16)}` }) as never
  const { head, confirmed, blockAt } = heads(ask, 2)
  for (const block of [await head(), await confirmed(), await blockAt(7)])
    expect(block!.time).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 60)
})

test('heads: a single answer of another chain does not become the confirmed block', async () => {
  const { seen, numberOf } = chainOfBlocks()
  expect(await numberOf()).toBe(999)
  Object.assign(seen, { head: 60_000_000, salt: 3 })
  expect(await numberOf()).toBeNull()
  Object.assign(seen, { head: 1_001, salt: 0 })
  expect(await numberOf()).toBe(1_000)
  seen.head = 50_000 // nobody asked for a while
  expect(await numberOf()).toBe(49_999)
})

test('heads: a first answer of another chain is forgotten, and a node that lags takes nothing back', async () => {
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
