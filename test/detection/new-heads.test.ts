import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { Observable, Subscription } from 'rxjs'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { newHeads } from '../../src/adapters/evm/rpc/new-heads'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { sendDeposit } from '../../src/devnet/chains/faucet'
import { chains, perChain } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import type { RoutingError } from '../../src/domain/error'
import type { ChainLease } from '../../src/ports/detection'
import { cuttable } from '../support/cuttable'
import { detectionWorld } from '../support/detection'
import { jsonRpcNode } from '../support/json-rpc-node'
import { oneChain } from '../support/one-chain'
import { recordsOf } from '../support/records'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

const chainId = chains.base.id
const real = await oneChain()
const stops: (() => unknown)[] = []
const stopAll = async () => {
  for (const stop of stops.splice(0)) await stop()
}
afterEach(stopAll)
afterAll(() => real.chain.stop())

const timings = { silentMs: 5_000, backoffMs: 50, backoffMaxMs: 200 }

/** Values of a subscription to these nodes, from now on. */
function heard(urls: readonly string[], changes: Partial<typeof timings> = {}) {
  const [troubles, recovered]: [RoutingError[], number[]] = [[], []]
  const heads = newHeads({
    chainId,
    urls,
    telemetry: noTelemetry,
    onTrouble: (error) => troubles.push(error),
    onRecovered: () => recovered.push(troubles.length),
    timings: { ...timings, ...changes },
  })
  return { heads, troubles, recovered }
}
function collect(heads: Observable<number | null>) {
  const numbers: (number | null)[] = []
  const subscription = heads.subscribe((number) => numbers.push(number))
  stops.push(() => subscription.unsubscribe())
  return { numbers, subscription }
}

const wsUrl = (port: number): string => `ws://127.0.0.1:${port}/?key=secret`

/** A node that answers subscription requests and pushes the given messages afterwards. */
function pushingNode(push: (send: (head: unknown) => void) => void, { id = chainId as number, answers = true } = {}) {
  let opened = 0
  const authorizations: (string | null)[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, self) => {
      authorizations.push(request.headers.get('authorization'))
      return self.upgrade(request) ? undefined : new Response(null, { status: 400 })
    },
    websocket: {
      open: () => void opened++,
      message(socket, text) {
        const asked = JSON.parse(String(text)) as { id: number; method: string }
        if (!answers) return
        const result = asked.method === 'eth_chainId' ? `0x${id.toString(16)}` : '0x5'
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }))
        if (asked.method !== 'eth_subscribe') return
        push((head) => {
          const params = { subscription: '0x5', result: head }
          socket.send(typeof head === 'string' ? head : JSON.stringify({ method: 'eth_subscription', params }))
        })
      },
    },
  })
  stops.push(() => server.stop(true))
  return { port: server.port!, opened: () => opened, authorizations }
}
const head = (number: number) => ({ number: `0x${number.toString(16)}`, hash: `0x${'a'.repeat(64)}` })

describe('the heads that a real node pushes', () => {
  test('arrive one by one, and a cut connection is retried until they arrive again', async () => {
    const way = await cuttable('127.0.0.1', real.chain.port)
    stops.push(way.stop)
    const { heads, troubles, recovered } = heard([wsUrl(way.port)])
    const { numbers } = collect(heads)
    await until('two heads', (note) => note(numbers).length >= 2)
    expect([numbers[1]! - numbers[0]!, troubles.length]).toEqual([1, 0])

    way.cut()
    await until('the break is told', (note) => note(numbers).includes(null))
    const failed = () => numbers.filter((number) => number === null).length
    await until('it is tried again', (note) => note(failed()) >= 3)
    expect([troubles.length, recovered.length]).toEqual([1, 0])
    await way.mend()
    await until('heads come again', (note) => typeof note(numbers).at(-1) === 'number')
    expect([troubles.length, recovered.length]).toEqual([1, 1])
    expect(JSON.stringify(troubles.map(({ message, cause }) => [message, String(cause)]))).not.toContain('secret')
  })

  test('stop when no subscriber is left', async () => {
    const way = await cuttable('127.0.0.1', real.chain.port)
    stops.push(way.stop)
    const { heads, troubles } = heard([wsUrl(way.port)])
    const { numbers, subscription } = collect(heads)
    await until('a head', (note) => note(numbers).length > 0)
    subscription.unsubscribe()
    way.cut()
    await way.mend()
    const again = collect(heads)
    await until('another subscription', (note) => note(again.numbers).length > 0)
    expect(troubles).toEqual([])
  })
})

const faults: [string, () => ReturnType<typeof pushingNode>][] = [
  ['belongs to another chain', () => pushingNode((send) => send(head(7)), { id: 1 })],
  ['answers nothing', () => pushingNode(() => {}, { answers: false })],
  ['pushes nothing', () => pushingNode(() => {})],
  ['pushes malformed heads', () => pushingNode((send) => send({ number: 'seven', hash: '0x' }))],
  ['sends invalid JSON', () => pushingNode((send) => send('<html>'))],
  ['sends more than a head can be', () => pushingNode((send) => send({ ...head(7), extra: 'x'.repeat(300_000) }))],
  [
    'pushes more heads than a chain has',
    () => pushingNode((send) => Array.from({ length: 500 }, (_, n) => send(head(n)))),
  ],
  [
    'floods the connection with unrequested messages between heads',
    () =>
      pushingNode((send) => {
        for (let n = 0; n < 500; n++) send('{"jsonrpc":"2.0","method":"other","params":{}}')
        const ticking = setInterval(() => send(head(7)), 200)
        stops.push(() => clearInterval(ticking))
      }),
  ],
]
testAll(faults)('a node with a fault is skipped for the next one', async (fault, started) => {
  await stopAll()
  const bad = started()
  const { heads, troubles, recovered } = heard([wsUrl(bad.port), wsUrl(real.chain.port)], { silentMs: 2_000 })
  const { numbers } = collect(heads)
  await until('a head of the other node', (note) => note(numbers).includes(null) && numbers.at(-1) !== null)
  expect([bad.opened(), troubles.length, recovered.length]).toEqual([1, 1, 1])
  const fromBad = numbers.slice(0, numbers.indexOf(null)).length
  expect(fromBad).toBeLessThanOrEqual(fault.includes('more heads') ? 50 : 0)
})

test('a user name and a password in the URL are sent as a header', async () => {
  const node = pushingNode((send) => send(head(7)))
  const { numbers } = collect(heard([`ws://user:pass@127.0.0.1:${node.port}`]).heads)
  await until('a head', (note) => note(numbers).length > 0)
  expect(node.authorizations).toEqual([`Basic ${btoa('user:pass')}`])
})

/** Scanners of one installation on the real chain, in real time, with their requests counted. */
async function scanners(count: number, heads: Observable<number | null> | null) {
  const node = jsonRpcNode(() => undefined, { behind: real.url })
  stops.push(node.stop)
  const addresses = Object.fromEntries(
    Object.entries({ registry: 'ACCOUNT_REGISTRY', executor: 'ROUTE_EXECUTOR', lens: 'BALANCE_LENS' }).map(
      ([name, variable]) => [name, real.variables[`${variable}_ADDRESS`] as Address],
    ),
  ) as Record<'registry' | 'executor' | 'lens', Address>
  const evm = evmChain({ now: Date.now, chainId, rpcUrls: [node.url], confirmations: 3, ...addresses })
  const leases = recordsOf<ChainLease>('chainLeases')
  const followed = { now: 0, most: 0 }
  const counted = (holder: string) => ({
    newHeads: () =>
      heads &&
      new Observable<number | null>((told) => {
        followed.most = Math.max(followed.most, ++followed.now)
        const subscription = new Subscription(() => void followed.now--)
        subscription.add(heads.subscribe(told))
        return subscription
      }),
    turns: { leases, holder, leaseMs: () => 2_000 },
  })
  const world = detectionWorld({
    chains: perChain(() => evm),
    now: Date.now,
    pace: { closeMs: 100, wideMs: 600_000, spentMs: 600_000 },
    scanEveryMs: () => 50,
    sweepEveryMs: () => 500,
  })
  const account = world.accounts.create()
  const processes = Array.from({ length: count }, (_, n) => world.another(counted(`process ${n}`)))
  for (const one of processes) one.start()
  stops.push(() => Promise.all(processes.map((one) => one.stop())))
  await until('the first scan', (note) => note(processes.map(({ watch }) => watch.seen)).some(Boolean))
  return {
    ...world,
    followed,
    looks: () => node.seen.filter((method) => method === 'eth_getBlockByNumber').length,
    processes,
    pay: (amountRaw: bigint) => sendDeposit(real.chain, { chainKey: 'base', token: 'USDC', amountRaw, to: account }),
    found: (amountRaw: bigint) =>
      until(`the deposit of ${amountRaw}`, (note) => note(world.amounts()).includes(amountRaw)),
  }
}

/** Number of blocks that are read while the chain makes some. */
async function readsWithin(blocks: number, looks: () => number): Promise<number> {
  const height = async () => Number(await real.chain.rpc.ask('eth_blockNumber'))
  const [from, before] = [await height(), looks()]
  await until(`${blocks} blocks`, async (note) => note(await height()) >= from + blocks)
  return looks() - before
}

test('a chain whose node pushes heads is polled per head by one process, and on a timer otherwise', async () => {
  const polling = await scanners(1, null)
  const way = await cuttable('127.0.0.1', real.chain.port)
  stops.push(way.stop)
  const { heads, troubles, recovered } = heard([wsUrl(way.port)])
  const world = await scanners(3, heads)
  await until('a subscription', (note) => note(world.followed.now) === 1)
  await readsWithin(1, world.looks)
  const pushed = await readsWithin(4, world.looks)
  // A poll that finds a new head reads three blocks. Any other poll reads one.
  expect(pushed).toBeLessThanOrEqual(5 * 4)
  // A busy machine polls less often, so the comparison may need several attempts.
  await until('a timer reads more often than heads come', async (note) => {
    const polled = await readsWithin(4, polling.looks)
    note({ polled, pushed })
    return polled > 1.5 * pushed
  })
  await world.pay(11n)
  await world.found(11n)

  way.cut()
  await until('the break', (note) => note(troubles).length === 1)
  await world.pay(12n)
  await world.found(12n)
  await way.mend()
  await until('heads again', (note) => note(recovered).length === 1)
  await world.pay(13n)
  await world.found(13n)

  const watching = world.processes.find(({ isWatching }) => isWatching(chainId))!
  await watching.stop()
  await until('another process follows', (note) => note(world.followed.now) === 1)
  await world.pay(14n)
  await world.found(14n)
  expect(world.followed.most).toBe(1)
  expect(world.amounts().toSorted((a, b) => Number(a - b))).toEqual([11n, 12n, 13n, 14n])
})
