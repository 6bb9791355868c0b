import { expect, test } from 'bun:test'
import { type LogFilter, learnedRange, logReader } from '../../../src/adapters/evm/log-reader'
import { RpcRefusal } from '../../../src/adapters/evm/rpc/json-rpc'
import type { Address } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import { testAll } from '../../support/test-all'

const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const filter: LogFilter = { address: [address(1)], topics: [] }
const refusal = (message: string) => new RoutingError('RPC_FAILED', { cause: new RpcRefusal(-32000, message) })
type Question = { address: Address[]; fromBlock: string; toBlock: string }

/** A node that accepts `rangeMax` blocks per query, with one log in each of `places`. */
function nodeOf({ rangeMax = Number.POSITIVE_INFINITY, places = [] as number[] } = {}) {
  const asked: { from: number; to: number; addresses: number }[] = []
  const node = { rangeMax, failure: null as Error | null }
  const ask = async (_method: string, [question]: readonly unknown[]) => {
    const { fromBlock, toBlock, address: addresses } = question as Question
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    asked.push({ from, to, addresses: addresses.length })
    if (node.failure) throw node.failure
    if (to - from + 1 > node.rangeMax) throw refusal('You can make eth_getLogs requests with up to a 10 block range.')
    const here = places.filter((place) => place >= from && place <= to)
    return here.flatMap((place) =>
      addresses.map((of) => ({
        address: of,
        topics: [],
        blockNumber: `0x${place.toString(16)}`,
        logIndex: `0x${BigInt(of).toString(16)}`,
      })),
    )
  }
  return { node, asked, logs: logReader(ask as never) }
}
const blocksOf = (logs: { [name: string]: unknown }[]) => logs.map((log) => Number(log['blockNumber']))

test('a refused range is queried in halves, and the next query begins where the last one ended', async () => {
  const { asked, logs } = nodeOf({ rangeMax: 10, places: [1, 500, 3_000] })
  expect(blocksOf(await logs.all(filter, 1, 3_000))).toEqual([1, 500, 3_000])
  const refusals = asked.filter(({ from, to }) => to - from + 1 > 10).length
  expect(refusals).toBeLessThanOrEqual(11) // one search between 2,000 and 10
  asked.length = 0
  await logs.all(filter, 3_001, 4_000)
  expect(asked.filter(({ from, to }) => to - from + 1 > 10)).toEqual([])
  expect(asked).toHaveLength(100)
})

test('the newest log is searched from the end, with the range learned from other queries', async () => {
  const { asked, logs } = nodeOf({ rangeMax: 10, places: [40, 95, 96] })
  await logs.all(filter, 1, 2_000)
  asked.length = 0
  expect(blocksOf([(await logs.newest(filter, 1, 100))!])).toEqual([96])
  expect(asked).toEqual([{ from: 91, to: 100, addresses: 1 }])
  expect(await logs.newest(filter, 41, 90)).toBeNull()
})

testAll([
  ['the response is too late', new RoutingError('RPC_TIMEOUT')],
  ['the message is unknown', refusal('the planets are misaligned')],
])('an error about the range is thrown, and the next query is half as long', async (_why, failure) => {
  const { node, asked, logs } = nodeOf()
  node.failure = failure
  expect(logs.all(filter, 1, 1_000)).rejects.toBe(failure)
  await logs.all(filter, 1, 1_000).catch(() => {})
  expect(asked.map(({ from, to }) => to - from + 1)).toEqual([1_000, 500])
})

testAll([
  ['a rate limit', new RoutingError('RPC_RATE_LIMITED', { cause: new RpcRefusal(429, 'slow down') })],
  ['a node that lags behind', refusal('block range extends beyond current head block')],
  ['a node that is away', new RoutingError('RPC_UNREACHABLE')],
])('any other error does not change the range', async (_why, failure) => {
  const { node, asked, logs } = nodeOf()
  node.failure = failure
  for (let n = 0; n < 2; n++) await logs.all(filter, 1, 1_000).catch(() => {})
  expect(asked.map(({ from, to }) => to - from + 1)).toEqual([1_000, 1_000])
})

test('more addresses than one filter allows are queried in parts, and the logs stay in chain order', async () => {
  const { asked, logs } = nodeOf({ places: [3, 4] })
  const many = Array.from({ length: 2_001 }, (_, n) => address(n + 1))
  const found = await logs.all({ ...filter, address: many }, 1, 10)
  expect(asked.map(({ addresses }) => addresses)).toEqual([1_000, 1_000, 1])
  expect(found).toHaveLength(4_002)
  expect(blocksOf(found)).toEqual([...Array(2_001).fill(3), ...Array(2_001).fill(4)])
})

test('a refused range is tried again after ten minutes', () => {
  let at = 0
  const range = learnedRange(() => at)
  range.refused(range.blocks)
  for (let n = 0; n < 20; n++) range.worked(range.blocks)
  expect(range.blocks).toBe(1_999)
  at = 10 * 60_000 + 1
  range.worked(range.blocks)
  expect(range.blocks).toBe(3_998)
})
