import { expect, test } from 'bun:test'
import { transferTopic } from '../../../src/adapters/evm/logs'
import { chains } from '../../../src/domain/chain/chain'
import { type Hash, zeroAddress } from '../../../src/domain/chain/hex'
import { hashOf } from '../../support/deposits'
import { jsonRpcNode } from '../../support/json-rpc-node'
import { answering } from '../../support/real-answers'
import { testAll } from '../../support/test-all'
import { account, chainOfNodes, codeOf, word } from './chain-of-nodes'

const { node, chain, impatientChain, stops } = chainOfNodes()
/** A node that returns the number in the account's address as every balance. */
const honest = ({ params }: { params: unknown[] }) => ({ result: word(Number(params[0])) })

test('nodes: calls of one turn go in one request, and each gets its own answer', async () => {
  const backwards = node(honest, { shape: (body) => (Array.isArray(body) ? body.toReversed() : body) })
  const client = chain(backwards.url)
  const balances = await Promise.all([1, 2, 3].map((n) => client.nativeBalance(account(n))))

  expect(balances).toEqual([1n, 2n, 3n])
})

test('nodes: a call with a missing response never gets another call’s response', async () => {
  const forgetful = node((call) => (Number(call.params[0]) === 2 ? null : honest(call)))
  const client = chain(forgetful.url)
  const balances = await Promise.all([1, 2, 3].map((n) => client.nativeBalance(account(n)).catch(({ code }) => code)))

  expect(balances).toEqual([1n, 'RPC_FAILED', 3n])
})

test('nodes: the next node takes over when the first is down, and stays in use', async () => {
  const second = node(honest)
  const client = chain('http://127.0.0.1:1/', second.url)

  expect(await client.nativeBalance(account(7))).toBe(7n)
  expect(await client.nativeBalance(account(8))).toBe(8n)
})

test('nodes: each node must prove its own chain, and a node of a different chain is left', async () => {
  let chainId = word(8453)
  const moved = jsonRpcNode(({ method, ...call }) => (method === 'eth_chainId' ? { result: chainId } : honest(call)))
  stops.push(moved.stop)
  const second = node(honest)
  const client = chain(moved.url, second.url)
  await client.nativeBalance(account(1))
  await client.assureChain()

  chainId = '0x1'
  expect(await codeOf(client.assureChain())).toBe('RPC_FAILED')
  const before = moved.seen.length
  expect(await client.nativeBalance(account(2))).toBe(2n)
  await client.assureChain()
  expect(moved.seen.length).toBe(before)
})

test('nodes: a contract without balances is no token only according to a node of this chain', async () => {
  let chainId = word(8453)
  const empty = jsonRpcNode(({ method }) => ({ result: method === 'eth_chainId' ? chainId : '0x' }))
  stops.push(empty.stop)
  const client = chain(empty.url)
  expect(await codeOf(client.balanceOf(account(1), account(2), 5))).toBe('TOKEN_NOT_SUPPORTED')
  chainId = '0x1'
  expect(await codeOf(client.balanceOf(account(1), account(2), 5))).toBe('RPC_FAILED')
})

test('nodes: a node of a different chain is never trusted', async () => {
  const stranger = jsonRpcNode(({ method, ...call }) => (method === 'eth_chainId' ? { result: '0x1' } : honest(call)))
  stops.push(stranger.stop)

  expect(await codeOf(chain(stranger.url).nativeBalance(account(1)))).toBe('RPC_FAILED')
  expect(stranger.seen).toEqual(['eth_chainId'])
  expect(await chain(stranger.url, node(honest).url).nativeBalance(account(5))).toBe(5n)
})

test('nodes: the chain id is queried once, and again only after a failure without a response', async () => {
  let status = 200
  const seen: string[] = []
  const flaky = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { id, method, params } = (await request.json()) as { id: number; method: string; params: unknown[] }
      seen.push(method)
      if (method === 'eth_chainId') return Response.json({ id, result: word(8453) })
      if (Number(params[0]) === 0) return Response.json({ id, error: { code: -32000, message: 'no such block' } })
      return Response.json({ id, result: word(7) }, { status })
    },
  })
  stops.push(() => flaky.stop(true))
  const client = chain(`http://127.0.0.1:${flaky.port}`)
  const asked = async (n: number) => {
    seen.length = 0
    await client.nativeBalance(account(n)).catch(() => {})
    return seen.filter((method) => method === 'eth_chainId').length
  }

  expect([await asked(1), await asked(2), await asked(0), await asked(3)]).toEqual([1, 0, 0, 0])
  status = 503
  await asked(4)
  status = 200
  expect([await asked(5), await asked(6)]).toEqual([1, 0])
})

/** A client of a node whose chain id check has expired, and the methods it receives. */
async function lapsed(answer: (method: string, params: unknown[]) => unknown) {
  const state = { chainId: word(8453) }
  const { seen, url, stop } = jsonRpcNode(({ method, params }) => ({
    result:
      method === 'eth_chainId' ? state.chainId : method === 'eth_getTransactionCount' ? '0x1' : answer(method, params),
  }))
  stops.push(stop)
  const { now } = performance
  const client = chain(url)
  await client.minedNonces(account(1))
  performance.now = () => now.call(performance) + 6_000
  stops.push(() => {
    performance.now = now
  })
  seen.length = 0
  return { client, seen, state }
}

test('nodes: a response that only this chain can give needs no chain id, and any other does', async () => {
  const [hash, blockHash] = [`0x${'7'.repeat(64)}`, `0x${'8'.repeat(64)}`] as const
  const receipt = (type: string) => ({ type, blockNumber: '0x5', blockHash, status: '0x1', to: null, logs: [] })
  const block = { number: '0x5', hash: blockHash, timestamp: '0x1' }
  let found: unknown = receipt('0x2')
  const { client, seen, state } = await lapsed((method) => (method === 'eth_getTransactionReceipt' ? found : block))
  expect(await client.receipt(hash)).toEqual({ block: 5, succeeded: true, time: 1 })
  expect(seen.splice(0)).toEqual(['eth_getTransactionReceipt', 'eth_getBlockByNumber'])
  for (const unproved of [receipt('0x0'), null]) {
    found = unproved
    state.chainId = '0x1'
    expect(await codeOf(client.transaction(hash))).toBe('RPC_FAILED')
    state.chainId = word(8453)
  }
  expect(seen.filter((method) => method === 'eth_chainId')).toHaveLength(2)
})

test('nodes: a known block hash proves the chain, and any other hash requires the chain id', async () => {
  const known = `0x${'8'.repeat(64)}` as const
  const { client, seen, state } = await lapsed((method) =>
    method === 'eth_getBlockByNumber' ? { number: '0x5', hash: known, timestamp: '0x1' } : null,
  )
  await client.blockAt(5, known)
  expect(seen.splice(0)).toEqual(['eth_getBlockByNumber'])
  expect(await client.minedNonces(account(1))).toBe(1)
  expect(seen.splice(0)).toEqual(['eth_getTransactionCount'])
  const later = performance.now
  performance.now = () => later() + 6_000
  state.chainId = '0x1'
  expect(await codeOf(client.blockAt(5, `0x${'9'.repeat(64)}`))).toBe('RPC_FAILED')
  expect(seen.splice(0)).toEqual(['eth_getBlockByNumber', 'eth_chainId'])
})

test('nodes: known blocks prove a node for fifteen seconds, and then other responses need its chain id', async () => {
  const known = `0x${'8'.repeat(64)}` as const
  const { client, seen, state } = await lapsed(() => ({ number: '0x5', hash: known, timestamp: '0x1' }))
  const began = performance.now
  let later = 0
  performance.now = () => began() + later
  for (; later <= 6_000; later += 6_000) await client.blockAt(5, known)
  expect(seen.splice(0)).not.toContain('eth_chainId')
  state.chainId = '0x1'
  expect(await client.blockAt(5, known)).toMatchObject({ hash: known })
  expect(seen.splice(0)).toEqual(['eth_getBlockByNumber'])
  expect(await codeOf(client.minedNonces(account(1)))).toBe('RPC_FAILED')
  expect(seen.splice(0)).toEqual(['eth_chainId'])
})

test('nodes: a new node’s response is trusted only if it proves itself', async () => {
  const known = `0x${'8'.repeat(64)}` as const
  const block = { number: '0x5', hash: known, timestamp: '0x1' }
  const { seen, url, stop } = jsonRpcNode(({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : block }))
  stops.push(stop)
  const client = chain(url)
  expect(await client.blockAt(5, known)).toMatchObject({ hash: known })
  expect(seen.splice(0)).toEqual(['eth_getBlockByNumber'])
  const unproved = [client.blockAt(5, `0x${'9'.repeat(64)}`), client.blockAt(5), client.minedNonces(account(1))]
  expect(await Promise.all(unproved.map(codeOf))).toEqual(Array(3).fill('RPC_FAILED'))
})

test('nodes: a successful order’s receipt costs one request, and a failed one is read with its block', async () => {
  const [hash, blockHash, routeId] = [7, 8, 9].map((n) => `0x${`${n}`.repeat(64)}` as const) as [Hash, Hash, Hash]
  let status = '0x1'
  const client = chain(
    node(({ method }) => ({
      result:
        method === 'eth_getTransactionReceipt'
          ? { type: '0x2', blockNumber: '0x5', blockHash, status, to: null, logs: [] }
          : { number: '0x5', hash: `0x${'6'.repeat(64)}`, timestamp: '0x1' },
    })).url,
  )
  expect(await client.receipt(hash, routeId)).toEqual({ block: 5, succeeded: true, time: null })
  expect(await client.receipt(hash)).toBeNull() // its block has changed
  status = '0x0'
  expect(await client.receipt(hash, routeId)).toBeNull()
})

test('nodes: a revert is a response, and no other node is queried', async () => {
  const second = node(honest)
  const first = node(() => ({ error: { code: 3, message: 'execution reverted', data: '0x' } }))
  const client = chain(first.url, second.url)

  expect(await codeOf(client.balanceOf(account(1), account(2), 5))).toBe('TOKEN_NOT_SUPPORTED')
  expect(second.seen).toEqual([])
})

const hang = () => new Promise<never>(() => {})
const refusal = (code: number, message: string) => () => ({ error: { code, message } })

testAll([
  ['nobody listens', () => 'http://127.0.0.1:1/', 'RPC_UNREACHABLE'],
  ['429', () => node(honest, { status: 429, shape: () => ({ error: 'slow down' }) }).url, 'RPC_RATE_LIMITED'],
  ['a limit in JSON-RPC', () => node(refusal(-32005, 'limit exceeded')).url, 'RPC_RATE_LIMITED'],
  ['a limit in words', () => node(refusal(-32000, 'Too many requests, buy more')).url, 'RPC_RATE_LIMITED'],
  ['503', () => node(honest, { status: 503, shape: () => 'busy' }).url, 'RPC_FAILED'],
  ['504', () => node(honest, { status: 504, shape: () => 'busy' }).url, 'RPC_TIMEOUT'],
  ['HTML', () => node(honest, { shape: () => '<html></html>' }).url, 'RPC_FAILED'],
  ['nothing', () => node(honest, { shape: () => '' }).url, 'RPC_FAILED'],
  ['a list', () => node(honest, { shape: () => [] }).url, 'RPC_FAILED'],
  ['null', () => node(honest, { shape: () => 'null' }).url, 'RPC_FAILED'],
  ['an internal error', () => node(refusal(-32603, 'oops')).url, 'RPC_FAILED'],
  ['no balance but a number', () => node(() => ({ result: 5 })).url, 'RPC_FAILED'],
  ['a negative balance', () => node(() => ({ result: '-0x5' })).url, 'RPC_FAILED'],
  ['too large a balance', () => node(() => ({ result: `0x1${'0'.repeat(64)}` })).url, 'RPC_FAILED'],
])('nodes: a bad node’s fault has its error code, without the node’s text', async (_what, url, code) => {
  const failure = await chain(url())
    .nativeBalance(account(1))
    .catch((error) => error)

  expect(failure.code).toBe(code)
  expect(failure.message).not.toMatch(/http|127|secret/)
})

test('nodes: a response that is too late', async () => {
  const failure = await impatientChain(node(hang).url)
    .nativeBalance(account(1))
    .catch((error) => error)
  expect(failure.code).toBe('RPC_TIMEOUT')
  expect(failure.message).not.toMatch(/http|127|secret/)
})

test('nodes: a body that never ends times out', async () => {
  const drip = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('[')) })),
  })
  stops.push(() => drip.stop(true))

  expect(await codeOf(impatientChain(`http://127.0.0.1:${drip.port}`).nativeBalance(account(1)))).toBe('RPC_TIMEOUT')
})

testAll(['already known', 'nonce too low', 'transaction already imported', 'ALREADY_EXISTS: already known'])(
  'send: a response that the chain already has the transaction is no failure',
  async (message) => {
    await chain(node(refusal(-32000, message)).url).send('0x02')
  },
)

test('send: a transaction that the node rejects is a failure', async () => {
  const client = chain(node(refusal(-32000, 'replacement transaction underpriced')).url)

  expect(await codeOf(client.send('0x02'))).toBe('RPC_FAILED')
})

const firstBlock = { result: { number: '0x1', hash: `0x${'a'.repeat(64)}`, timestamp: '0x2', baseFeePerGas: '0x7' } }

test('fee: the cap is twice the base fee plus the node’s tip', async () => {
  const client = chain(
    node(({ method }) => (method === 'eth_maxPriorityFeePerGas' ? { result: '0x2' } : firstBlock)).url,
  )

  expect(await client.fee()).toEqual({ feeCap: 16n, tip: 2n })
})

test('fee: no node can raise the tip above the chain’s bound', async () => {
  const greedy = 10n ** 16n
  const said = { eth_maxPriorityFeePerGas: { result: `0x${greedy.toString(16)}` } }
  const client = chain(node(({ method }) => said[method as keyof typeof said] ?? firstBlock).url)
  const { tipMaxWei } = chains.base

  expect(await client.fee()).toEqual({ feeCap: 14n + tipMaxWei, tip: tipMaxWei })
})

test('transfers: a range that is too long is requested in halves', async () => {
  const topics = [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    ...[1, 2].map((n) => `0x${String(n).padStart(64, '0')}`),
  ]
  const strict = node(({ params }) => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
    if (Number(toBlock) - Number(fromBlock) > 10)
      return { error: { code: -32005, message: 'query returned more than 10000 results' } }
    const log = (n: number) => ({
      address: account(9),
      topics,
      data: `0x${n.toString(16).padStart(64, '0')}`,
      logIndex: '0x0',
      transactionHash: topics[0],
      blockHash: topics[0],
      blockNumber: word(n),
      removed: false,
    })
    return { result: [log(Number(fromBlock)), { ...log(1), topics: [...topics, topics[1]] }] }
  })
  const found = await chain(strict.url).transfers([account(9)], 1, 40)

  expect(found.map(({ block: at }) => at)).toEqual([1, 11, 22, 33]) // eleven blocks fit
  expect(found.every(({ from, to }) => from === account(1) && to === account(2))).toBe(true)
})

test('transfers: an empty list of tokens makes no request', async () => {
  expect(await chain('http://127.0.0.1:1/').transfers([], 1, 40)).toEqual([])
})

test('transfers: a node without the last block of the range is not queried for its logs, and the next node is', async () => {
  const of = (tip: number, logs: unknown[]) =>
    node(({ method, params }) => {
      if (method === 'eth_getLogs') return { result: logs }
      const number = params[0] === 'latest' ? tip : Number(params[0])
      if (number > tip) return { result: null }
      return { result: { number: word(number), hash: hashOf(number), timestamp: word(number), baseFeePerGas: '0x7' } }
    })
  const topics = [transferTopic, hashOf(1), hashOf(2)]
  const place = { logIndex: '0x0', transactionHash: hashOf(3), blockHash: hashOf(39), blockNumber: word(39) }
  const log = { address: account(9), topics, data: hashOf(7), ...place, removed: false }
  const [lags, current] = [of(30, []), of(50, [log])]
  const client = chain(lags.url, current.url)

  expect(await client.transfers([account(9)], 1, 40)).toHaveLength(1)
  expect(await client.transfersTo([account(2)], 1, 40)).toHaveLength(1)
  expect(lags.seen).not.toContain('eth_getLogs')
  expect(await codeOf(chain(lags.url).transfersTo([account(2)], 1, 40))).toBe('RPC_FAILED')
})

test('transfers: a query below a block that the node has shown costs one request', async () => {
  const { url, seen } = node(({ method }) => {
    if (method === 'eth_getLogs') return { result: [] }
    return { result: { number: word(50), hash: hashOf(50), timestamp: word(50), baseFeePerGas: '0x7' } }
  })
  const client = chain(url)
  await client.head()
  for (const last of [40, 50]) await client.transfers([account(9)], 1, last)
  expect(seen.filter((method) => method !== 'eth_chainId')).toEqual([
    'eth_getBlockByNumber',
    'eth_getLogs',
    'eth_getLogs',
  ])
})

test('nodes: a node that sends Retry-After gets no calls until then, and another node is used', async () => {
  const limited = answering({
    httpStatus: 429,
    headers: { 'retry-after': '30' },
    body: { error: { code: -32005, message: 'daily request count exceeded' } },
  })
  stops.push(limited.stop)
  const alone = chain(limited.url)
  for (let n = 0; n < 3; n++) expect(await codeOf(alone.nativeBalance(account(1)))).toBe('RPC_RATE_LIMITED')
  expect(limited.asked).toHaveLength(1)

  const pair = chain(limited.url, node(honest).url)
  for (let n = 2; n < 5; n++) expect(await pair.nativeBalance(account(n))).toBe(BigInt(n))
  expect(limited.asked).toHaveLength(2)
})

testAll(['soon', '-5', '0', '', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
  'nodes: a pause without a future time is ignored',
  async (retryAfter) => {
    const limited = answering({ httpStatus: 429, headers: { 'retry-after': retryAfter }, body: null })
    stops.push(limited.stop)
    const client = chain(limited.url)
    for (let n = 0; n < 2; n++) await codeOf(client.nativeBalance(account(1)))
    expect(limited.asked).toHaveLength(2)
  },
)

test('quorum: two responses come from two nodes, even while the second stands in for the first', async () => {
  const liar = node(() => ({ result: word(99) }))
  const alone = chain('http://127.0.0.1:1/', liar.url)
  expect(await alone.balanceOf(zeroAddress, account(7), 5)).toBe(99n)
  expect(await codeOf(alone.second!.balanceOf(zeroAddress, account(7), 5))).toBe('RPC_UNREACHABLE')

  const twice = chain('http://127.0.0.1:1/', node(honest).url, node(honest).url)
  expect(await twice.second!.balanceOf(zeroAddress, account(7), 5)).toBe(7n)
  const disagreeing = chain(liar.url, node(honest).url)
  expect(await codeOf(disagreeing.second!.balanceOf(zeroAddress, account(7), 5))).toBe('RPC_FAILED')
  const outvoted = chain(liar.url, node(honest).url, node(honest).url)
  expect(await outvoted.second!.balanceOf(zeroAddress, account(7), 5)).toBe(7n)
  expect(chain(liar.url).second).toBeNull()
})
