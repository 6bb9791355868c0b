import { expect, test } from 'bun:test'
import { type Ask, RpcNoAnswer, RpcRefusal } from '../../src/adapters/evm/rpc/json-rpc'
import { blockSince, EventsUnread, pastEvents } from '../../src/deploying/event-history'

const contract = `0x${'c0'.repeat(20)}` as const
const kind = `0x${'e1'.repeat(32)}` as const

const tooMany = new RpcRefusal(-32_005, 'query returned more than 10000 results')
const late = new DOMException('The operation timed out.', 'TimeoutError')

/** A chain with a block every twelve seconds, a node with a range limit, and an event in some blocks. */
function chainOf(takes: number, events: readonly number[] = [], refusal: Error = tooMany) {
  const asked: [from: number, to: number][] = []
  const ask = async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_getBlockByNumber') return { timestamp: `0x${(Number(params[0]) * 12).toString(16)}` }
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from >= takes) throw refusal
    asked.push([from, to])
    const here = events.filter((block) => block >= from && block <= to)
    return here.map((block) => ({
      address: contract,
      topics: [kind],
      data: '0x',
      blockNumber: `0x${block.toString(16)}`,
    }))
  }
  return { ask: ask as Ask, asked }
}

test('the first block since a time is found, also if every block is younger or none is', async () => {
  const { ask } = chainOf(1)
  expect(await blockSince(ask, 1_200, 1_000)).toBe(100)
  expect(await blockSince(ask, 1_201, 1_000)).toBe(101)
  expect(await blockSince(ask, -5, 1_000)).toBe(0)
  expect(await blockSince(ask, 999_999, 1_000)).toBe(1_000)
})

test('events are read once each, in ranges that the node accepts, from the first block on', async () => {
  const { ask, asked } = chainOf(10_000, [49_999, 50_000, 61_234, 99_999])
  const found = await pastEvents(ask, [contract], [kind], { first: 50_000, last: 99_999 })
  expect(found.map(({ block }) => block)).toEqual([50_000, 61_234, 99_999])
  expect(asked.at(0)![0]).toBe(50_000)
  expect(asked.at(-1)![1]).toBe(99_999)
  for (const [n, [from]] of asked.entries()) if (n > 0) expect(from).toBe(asked[n - 1]![1] + 1)
})

test('a node with a too small range, or a history with too many ranges, is reported', async () => {
  const few = pastEvents(chainOf(500).ask, [contract], [kind], { last: 99_999 })
  await expect(few).rejects.toBeInstanceOf(EventsUnread)
  const long = pastEvents(chainOf(10_000).ask, [contract], [kind], { last: 30_000_000 })
  await expect(long).rejects.toBeInstanceOf(EventsUnread)
})

test('an error unrelated to the range is reported unchanged without trying shorter ranges', async () => {
  const failures = [
    new RpcNoAnswer('The node answered 503', 503),
    new TypeError('fetch failed'),
    new RpcRefusal(429, 'Too many requests', undefined, 429),
  ]
  for (const failure of failures) {
    let requests = 0
    const ask = async () => {
      requests++
      throw failure
    }
    const failed = await pastEvents(ask as Ask, [contract], [kind], { last: 99_999 }).catch((error) => error)
    expect([failed, requests]).toEqual([failure, 1])
  }
})

test('a node too slow for a long range gets shorter ones, and is reported as slow if none is short enough', async () => {
  const { ask } = chainOf(10_000, [61_234], late)
  expect(await pastEvents(ask, [contract], [kind], { last: 99_999 })).toHaveLength(1)
  await expect(pastEvents(chainOf(500, [], late).ask, [contract], [kind], { last: 99_999 })).rejects.toBe(late)
})
