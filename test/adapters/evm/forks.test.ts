import { afterEach, expect, test } from 'bun:test'
import { type AbiParameter, encodeAbiParameters, encodeEventTopics, getAbiItem, numberToHex, pad } from 'viem'
import { routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { evmChain } from '../../../src/adapters/evm/chain-client'
import { transferTopic } from '../../../src/adapters/evm/logs'
import { accountAddressOf, implementationAddressOf } from '../../../src/domain/chain/account'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { addressOf, hashOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { word } from './chain-of-nodes'

const confirmations = 3
/** The block of our transaction on an abandoned fork, on which one backend has stayed. */
const block = 90
const [registry, executor, token, recipient] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)]
const [accountSalt, routeId, hash] = [hashOf(5), hashOf(6), hashOf(7)]
const account = accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt })

const nothing = ({ type, ...rest }: AbiParameter): unknown => {
  if ('components' in rest) return Object.fromEntries(rest.components.map((one) => [one.name, nothing(one)]))
  if (type === 'address') return pad('0x', { size: 20 })
  if (type.startsWith('uint') || type.startsWith('int')) return 0n
  return type === 'bytes' ? '0x' : type === 'bool' ? false : pad('0x', { size: Number(type.slice(5)) })
}
const event = getAbiItem({ abi: routeExecutorAbi, name: 'RouteExecuted' })
const untold = event.inputs.filter((input) => !('indexed' in input && input.indexed))
const place = (blockHash: string) => ({ logIndex: '0x0', transactionHash: hash, blockNumber: word(block), blockHash })
const executed = {
  address: executor,
  topics: encodeEventTopics({ abi: [event], args: { routeId, account, token } }),
  data: encodeAbiParameters(untold, untold.map(nothing) as never),
}
const transfer = { address: token, topics: [transferTopic, pad(account), pad(recipient)], data: pad(numberToHex(5)) }

type Call = { id: number; method: string; params: [never, never] }
/** @param salt part of its block hashes. */
type Backend = { tip: number; salt: number; hasOurs: boolean; refuses?: boolean; type?: string; chainId?: number }
const onChain: Backend = { tip: 100, salt: 0, hasOurs: false }
const orphaned: Backend = { tip: block, salt: 50_000, hasOurs: true }

function answerOf({ tip, salt, hasOurs, refuses = false, type = '0x2', chainId = 8453 }: Backend, call: Call) {
  const at = hashOf(block + salt)
  if (call.method === 'eth_chainId') return { result: word(chainId) }
  if (call.method === 'eth_call') return { result: pad(hasOurs ? '0x1' : '0x0') }
  if (call.method === 'eth_getLogs') return { result: hasOurs ? [{ ...executed, ...place(at) }] : [] }
  if (call.method === 'eth_getTransactionReceipt') {
    const logs = [transfer, executed].map((log) => ({ ...log, ...place(at) }))
    const receipt = { ...place(at), type, status: '0x1', to: executor, logs }
    return { result: hasOurs ? receipt : null }
  }
  if (call.method === 'eth_getTransactionByHash')
    return { result: { from: executor, to: executor, value: '0x0', blockHash: at } }
  if (call.method === 'debug_traceTransaction')
    return { result: { type: 'CALL', from: executor, to: recipient, value: word(salt === 0 ? 5 : 9) } }
  const number = call.params[0] === 'latest' ? tip : Number(call.params[0])
  if (number > tip) return refuses ? { error: { code: -32_000, message: 'header not found' } } : { result: null }
  return {
    result: { number: word(number), hash: hashOf(number + salt), timestamp: word(number), baseFeePerGas: '0x7' },
  }
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A URL that sends each request to a chosen backend. */
function balanced(choose: () => Backend) {
  const seen: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Call | Call[]
      const backend = choose()
      const replies = [body].flat().map((call) => {
        seen.push(call.method)
        return { jsonrpc: '2.0', id: call.id, ...answerOf(backend, call) }
      })
      return Response.json(Array.isArray(body) ? replies : replies[0])
    },
  })
  stops.push(() => void server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, seen }
}

const clientOf = (...rpcUrls: string[]) =>
  evmChain({
    now: Date.now,
    chainId: 8453,
    rpcUrls,
    confirmations,
    registry,
    executor,
    lens: addressOf(9),
    timeoutMs: 30_000,
  })
type Client = ReturnType<typeof clientOf>

const conclusions: [string, (chain: Client) => Promise<unknown>][] = [
  ['the event of a route', (chain) => chain.routeUsedIn(accountSalt, routeId, block)],
  [
    'the event of a route from a receipt',
    async (chain) => (await chain.receipt(hash, routeId)) && chain.routeUsedIn(accountSalt, routeId, block),
  ],
  ['the mark of a route', (chain) => chain.routeUsed(accountSalt, routeId, block)],
  ['what arrived', (chain) => chain.arrived(hash, token, recipient)],
]
const concluded = (answer: Promise<unknown>) =>
  answer.then(
    (value) => value !== null,
    () => false,
  )

testAll(conclusions)(
  'a read on an abandoned fork proves nothing, whichever backend answers each call',
  async (_name, look) => {
    for (let pattern = 0; pattern < 64; pattern++) {
      const asked = { count: 0, isBegun: false }
      const node = balanced(() => (asked.isBegun && (pattern >> asked.count++) & 1 ? orphaned : onChain))
      const chain = clientOf(node.url)
      await chain.confirmed() // the confirmed height is above the block
      asked.isBegun = true
      expect([pattern, await concluded(look(chain))]).toEqual([pattern, false])
    }
  },
)

testAll(conclusions)('a node that refuses later blocks is not confirmed by another one', async (_name, look) => {
  const stuck = balanced(() => ({ ...orphaned, refuses: true }))
  expect(await concluded(look(clientOf(stuck.url, balanced(() => onChain).url)))).toBe(false)
})

testAll(conclusions)('a transaction in the chain is proved by two blocks', async (_name, look) => {
  const node = balanced(() => ({ ...onChain, hasOurs: true }))
  const chain = clientOf(node.url)
  await chain.head()
  node.seen.length = 0
  expect(await concluded(look(chain))).toBe(true)
  expect(node.seen.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(2)
})

testAll(conclusions)(
  'a transaction in the chain is proved by the next node if the first lacks the confirming block',
  async (_name, look) => {
    const lags = balanced(() => ({ ...onChain, hasOurs: true, tip: block + 1 }))
    expect(await concluded(look(clientOf(lags.url, balanced(() => ({ ...onChain, hasOurs: true })).url)))).toBe(true)
  },
)

test('coin is measured only by a node with its transaction in the confirmed block', async () => {
  for (const rightOnes of [1, 2, 3]) {
    const asked = { count: 0 }
    const node = balanced(() => ({ ...(asked.count++ < rightOnes ? onChain : orphaned), hasOurs: true }))
    const right = balanced(() => ({ ...onChain, hasOurs: true }))
    const arrivedBy = (...urls: string[]) =>
      clientOf(...urls)
        .arrived(hash, zeroAddress, recipient)
        .then((arrived) => arrived?.amountRaw ?? null)
        .catch(() => null)
    expect(await arrivedBy(node.url)).toBeNull()
    asked.count = 0
    expect(rightOnes < 3 ? [null, 5n] : [5n]).toContain(await arrivedBy(node.url, right.url))
  }
})

test('an event from a receipt is not read again, and proves nothing for another account or block', async () => {
  const node = balanced(() => ({ ...onChain, hasOurs: true }))
  const chain = clientOf(node.url)
  await chain.receipt(hash, routeId)
  node.seen.length = 0
  expect(await chain.routeUsedIn(accountSalt, routeId, block)).toMatchObject({ hash, block })
  expect(node.seen.splice(0)).toEqual(['eth_getBlockByNumber', 'eth_getBlockByNumber'])
  await chain.receipt(hash, routeId)
  node.seen.length = 0
  await chain.routeUsedIn(hashOf(8), routeId, block)
  expect(await chain.routeUsedIn(accountSalt, routeId, block - 1)).toBeNull()
  expect(node.seen.filter((method) => method === 'eth_getLogs')).toHaveLength(2)
})

test('a transaction that might be in the blocks of two chains is concluded only on the right one', async () => {
  const state = { chainId: 8453 }
  const node = balanced(() => ({ ...onChain, hasOurs: true, type: '0x0', chainId: state.chainId }))
  const chain = clientOf(node.url)
  await chain.assureChain()
  state.chainId = 1 // the node behind the URL is replaced
  expect(await concluded(chain.arrived(hash, token, recipient))).toBe(false)
})
