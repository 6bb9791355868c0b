import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { RpcRefusal } from '../../src/adapters/evm/rpc/json-rpc'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { chainWithBreakers } from '../../src/nodes/chain-breakers'
import { type NodeFailureRecord, nodeFailures } from '../../src/nodes/node-failures'
import type { ChainClient } from '../../src/ports/chain-client'
import type { Records } from '../../src/ports/records'
import { recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { world } from '../support/world'

afterEach(() => void setSystemTime())

const epoch = 1_800_000_000_000
const minute = 60_000

/** A scripted chain, seen by a caller that can wait. */
function guarded(
  answer: (token?: unknown) => unknown,
  isSecond = false,
  records: Records<NodeFailureRecord> = recordsInMemory<NodeFailureRecord>(),
) {
  const asked: string[] = []
  const opened: string[] = []
  const method = (name: string) => async (token?: unknown) => {
    asked.push(name)
    return answer(token) as never
  }
  const names = ['head', 'confirmed', 'balanceOf', 'estimate', 'send'] as const
  const chain = Object.fromEntries(names.map((name) => [name, method(name)]))
  const second = isSecond ? { balanceOf: method('second'), confirmed: method('confirmed') } : null
  const client = { ...chain, chainId: 8453, second } as unknown as ChainClient
  const failures = nodeFailures({ records, now: Date.now })
  return { chain: chainWithBreakers(client, (what) => void opened.push(what), failures), asked, opened }
}
const away = (code: ErrorCode = 'RPC_UNREACHABLE') => {
  throw new RoutingError(code)
}
const nameOf = (asking: Promise<unknown>) => asking.then(() => 'answered').catch(({ name }) => name)

testAll(['RPC_UNREACHABLE', 'RPC_FAILED', 'RPC_TIMEOUT'] as const)(
  'a chain whose node fails in any way for a day ends no deposit and costs no retry',
  async (code) => {
    setSystemTime()
    const { chain, asked } = guarded(() => (clock.at < 1_440 * minute ? away(code) : { number: 1 }))
    const { run, clock, execution } = world({
      verifyBalance: async () => {
        setSystemTime(epoch + clock.at)
        await chain.confirmed()
        return { type: 'balance verified', facts: { balance: { totalReceivedRaw: '1000', block: 1 } } }
      },
    })
    await run()
    expect(execution()).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
    expect(execution().completedAt! / minute).toBeLessThan(1_440 * 1.06)
    expect(asked.length).toBeLessThan(200)
  },
)

testAll([1, 3, 10, 30])(
  'a node that is down for a day costs a deposit no retry, with any number of processes',
  async (count) => {
    setSystemTime()
    const records = recordsInMemory<NodeFailureRecord>()
    const answer = () => (clock.at < 1_440 * minute ? away('RPC_UNREACHABLE') : { number: 1 })
    const chains = Array.from({ length: count }, () => guarded(answer, false, records).chain)
    let n = 0
    const { run, clock, execution } = world({
      verifyBalance: async () => {
        setSystemTime(epoch + clock.at)
        await chains[n++ % count]!.confirmed()
        return { type: 'balance verified', facts: { balance: { totalReceivedRaw: '1000', block: 1 } } }
      },
    })
    await run()
    expect(execution()).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
    expect(records.writes()).toBeLessThan(1_440)
  },
)

test('no deposit spends a retry when the nodes of ten processes fail together', async () => {
  const records = recordsInMemory<NodeFailureRecord>()
  const chains = Array.from({ length: 10 }, () => guarded(() => away(), false, records).chain)
  setSystemTime(epoch)
  const said = await Promise.all(chains.map((chain) => nameOf(chain.confirmed())))
  expect(new Set(said)).toEqual(new Set(['TemporarilyUnavailable']))
})

test('a process with a broken network keeps no other process from its node', async () => {
  const records = recordsInMemory<NodeFailureRecord>()
  const broken = guarded(() => away(), false, records)
  const well = guarded(() => 'here', false, records)
  for (let at = 0; at < 30 * minute; at += 1_000) {
    setSystemTime(epoch + at)
    await nameOf(broken.chain.confirmed())
    expect(await nameOf(well.chain.confirmed())).toBe('answered')
  }
  expect(records.writes()).toBeLessThanOrEqual(2 + 30)
})

test('a process remembers for a minute only its own failed calls', async () => {
  const records = recordsInMemory<NodeFailureRecord>()
  setSystemTime(epoch)
  const [mine, other] = [nodeFailures({ records, now: Date.now }), nodeFailures({ records, now: Date.now })]
  await mine.note('Base')
  expect([mine.hasFailedHere('Base'), other.hasFailedHere('Base'), mine.hasFailedHere('Polygon')]).toEqual([
    true,
    false,
    false,
  ])
  setSystemTime(epoch + minute)
  expect(mine.hasFailedHere('Base')).toBe(false)
})

test('nodes are judged by this process’s own failures while the store is unavailable', async () => {
  const gone = async () => {
    throw new Error('no store')
  }
  const { chain } = guarded(() => away(), false, { load: gone, save: gone })
  expect([await nameOf(chain.confirmed()), await nameOf(chain.confirmed())]).toEqual([
    'TemporarilyUnavailable',
    'TemporarilyUnavailable',
  ])
})

test('a node that answers every other call for two hours ends no deposit', async () => {
  let n = 0
  const { chain } = guarded(() => (clock.at < 120 * minute && [1, 0, 0, 1, 0][n++ % 5] === 0 ? away() : { number: 1 }))
  const { run, clock, execution } = world({
    verifyBalance: async () => {
      setSystemTime(epoch + clock.at)
      for (let times = 0; times < 12; times++) await chain.confirmed()
      return { type: 'balance verified', facts: { balance: { totalReceivedRaw: '1000', block: 1 } } }
    },
  })
  await run()
  expect(execution().status).toBe('SUCCESS')
  expect(execution().retryCount).toBeLessThan(3)
})

test('a token that no node can execute blocks no other', async () => {
  const { chain, asked } = guarded((token) => (token === '0xbad' ? away() : 'here'))
  for (let n = 0; n < 4; n++) await nameOf(chain.balanceOf('0xbad', '0x', 1))
  expect(asked).toEqual(['balanceOf', 'balanceOf'])
  expect(await nameOf(chain.balanceOf('0x600d', '0x', 1))).toBe('answered')
})

test('a failing node is probed now and then by one caller, and is back for all when it responds', async () => {
  let isAway = true
  const { chain, asked, opened } = guarded(() => (isAway ? away() : 'here'))
  setSystemTime(epoch)
  const ask = () => nameOf(chain.balanceOf('0x', '0x', 1))
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([
    'TemporarilyUnavailable',
    'TemporarilyUnavailable',
    'TemporarilyUnavailable',
    'TemporarilyUnavailable',
  ])
  expect(asked).toEqual(['balanceOf', 'balanceOf'])
  setSystemTime(epoch + 5_001)
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([
    'TemporarilyUnavailable',
    'TemporarilyUnavailable',
    'TemporarilyUnavailable',
  ])
  expect(asked).toHaveLength(3)
  expect(opened).toEqual(['Base, balanceOf', 'Base, balanceOf', 'Base, balanceOf'])
  isAway = false
  setSystemTime(epoch + 10_002)
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(['answered', 'answered', 'answered'])
})

test('an execution that waits for a node does not wait for blocks', async () => {
  const { chain } = guarded(() => away())
  await nameOf(chain.confirmed())
  const error = await chain.confirmed().catch((error) => error)
  expect(error).toBeInstanceOf(TemporarilyUnavailable)
  expect(error).toMatchObject({ waitingFor: 'NODE', cause: { code: 'RPC_UNREACHABLE' } })
})

test('an execution that waits for the second node does not wait for blocks', async () => {
  const { chain } = guarded(() => away(), true)
  const ask = () => chain.second!.balanceOf('0x', '0x', 1)
  await nameOf(ask())
  expect(await ask().catch((error) => error)).toMatchObject({ name: 'NotSeconded', waitingFor: 'NODE' })
})

test('a node that fails one method still gets the others', async () => {
  const { chain, asked } = guarded(() => away())
  for (let n = 0; n < 5; n++) await nameOf(chain.balanceOf('0x', '0x', 1))
  await nameOf(chain.head())
  expect(asked).toEqual(['balanceOf', 'balanceOf', 'head'])
})

test('a node’s response to one order is not a fault of the node', async () => {
  const refused = () => {
    throw new RoutingError('RPC_FAILED', { cause: new RpcRefusal(-32_000, 'insufficient funds') })
  }
  const { chain, asked } = guarded(refused)
  for (let n = 0; n < 10; n++) expect(await nameOf(chain.estimate({} as never, '0x'))).toBe('RoutingError')
  for (let n = 0; n < 10; n++) expect(await nameOf(chain.send('0x'))).toBe('RoutingError')
  const reverting = guarded(() => {
    throw new RoutingError('SIMULATION_REVERTED')
  })
  for (let n = 0; n < 10; n++) await nameOf(reverting.chain.estimate({} as never, '0x'))
  expect([asked.length, reverting.asked.length]).toEqual([20, 10])
})

test('a first failure is the node’s if its head fails too, and otherwise the query’s own', async () => {
  for (const isHeadAway of [true, false]) {
    const { chain } = guarded((order) => (order === undefined && !isHeadAway ? { number: 1 } : away('RPC_TIMEOUT')))
    const said = isHeadAway ? 'TemporarilyUnavailable' : 'RoutingError'
    expect(await nameOf(chain.estimate({} as never, '0x'))).toBe(said)
    expect(await nameOf(chain.balanceOf('0x', '0x', 1))).toBe('TemporarilyUnavailable')
  }
})

test('a rate limit that only some calls meet is the node’s, for hours', async () => {
  const limited = (asked: unknown) => (asked === undefined ? { number: 1 } : away('RPC_RATE_LIMITED'))
  for (const method of ['estimate', 'balanceOf'] as const) {
    const { chain } = guarded(limited)
    const ask = () => nameOf((chain[method] as (of: string) => Promise<unknown>)('0xbad'))
    expect(await saidLate(ask, 120 * minute)).toEqual(new Set(['TemporarilyUnavailable']))
  }
})

test('a second node has its own breaker', async () => {
  const { chain, asked } = guarded(() => away(), true)
  for (let n = 0; n < 5; n++) await nameOf(chain.second!.balanceOf('0x', '0x', 1))
  expect(await nameOf(chain.second!.balanceOf('0x', '0x', 1))).toBe('NotSeconded')
  await nameOf(chain.balanceOf('0x', '0x', 1))
  expect(asked).toEqual(['second', 'second', 'balanceOf'])
})

/** Asks every ten seconds for this time, and returns the responses of its second half. */
async function saidLate(ask: () => Promise<string>, forMs: number): Promise<Set<string>> {
  const said: string[] = []
  for (let at = 0; at < forMs; at += 10_000) {
    setSystemTime(epoch + at)
    said.push(await ask())
  }
  return new Set(said.slice(said.length / 2))
}

test('an order that no node can execute is distinguished from a failing node while another token keeps failing', async () => {
  let isAway = false
  const { chain } = guarded((asked) => (isAway || asked === '0xbad' ? away('RPC_TIMEOUT') : { number: 1 }))
  const ask = async () => {
    await nameOf(chain.balanceOf('0xbad', '0x', 1))
    return nameOf(chain.estimate('0xbad' as never, '0x'))
  }
  expect(await saidLate(ask, 120 * minute)).toEqual(new Set(['RoutingError']))
  isAway = true
  expect(await saidLate(ask, 120 * minute)).toEqual(new Set(['TemporarilyUnavailable']))
})

test('no deposit spends a retry while the second node is down or differs from the first, for any time', async () => {
  for (const isDown of [true, false]) {
    const { chain } = guarded((asked) => (asked === undefined && !isDown ? { number: 1 } : away('RPC_FAILED')), true)
    const ask = () => nameOf(chain.second!.balanceOf('0x', '0x', 1))
    expect(await saidLate(ask, 120 * minute)).toEqual(new Set(['NotSeconded']))
  }
})
