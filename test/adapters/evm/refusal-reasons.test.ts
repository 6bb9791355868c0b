import { expect, test } from 'bun:test'
import { encodeErrorResult } from 'viem/utils'
import { routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { estimate } from '../../../src/adapters/evm/estimate'
import { nodes } from '../../../src/adapters/evm/rpc/nodes'
import { noTelemetry } from '../../../src/adapters/no-telemetry'
import { chains } from '../../../src/domain/chain/chain'
import type { Hex } from '../../../src/domain/chain/hex'
import { RouteStopped } from '../../../src/domain/unavailable'
import { addressOf, hashOf } from '../../support/deposits'
import { samplesIn } from '../../support/real-answers'
import { order } from '../../support/world'
import { chainOfNodes, word } from './chain-of-nodes'

type Refusal = { code: number; message: string; data?: unknown }
type Sample = { asked: string; httpStatus: number; body: { error?: Refusal }; reads: string }

const { node, chain } = chainOfNodes()
const executor = addressOf(0xee)
const target = addressOf(0xb1)
const errorBytes = (errorName: 'NoRule' | 'Expired'): Hex =>
  errorName === 'NoRule'
    ? encodeErrorResult({ abi: routeExecutorAbi, errorName, args: [target, '0x01020304', target] })
    : encodeErrorResult({ abi: routeExecutorAbi, errorName, args: [1n] })

/** The recorded refusals of a call, as a node gives them for an error with these bytes. */
const recorded = (await samplesIn<Sample>('rpc')).flatMap(([name, { asked, httpStatus, body, reads }]) => {
  if (asked !== 'eth_call' || !body.error) return []
  const { data, ...error } = body.error
  const withBytes = (bytes: Hex): Refusal =>
    typeof data === 'string' ? { ...error, data: data.replace(/0x[0-9a-f]*/, bytes) } : { ...error, data }
  const hasBytes = typeof data === 'string' && data.includes('0x')
  return [{ name, reads, httpStatus, hasBytes, withBytes }]
})

const hash = hashOf(7)
type Reply = { result: unknown } | { error: Refusal }
/** A node with a transaction that reverted in block 90. `replies` are its answers to a run on that block, and now. */
const running = (replies: { inBlock: Reply; later?: Reply; transaction?: unknown }, status = 200) => {
  const { inBlock, later = { result: '0x' } } = replies
  const transaction =
    'transaction' in replies ? replies.transaction : { from: executor, to: executor, blockNumber: '0x5a' }
  const { url } = node(
    ({ method, params }) => {
      if (method === 'eth_getTransactionByHash') return { result: transaction }
      return method === 'eth_call' ? (params[1] === '0x5a' ? inBlock : later) : { result: word(8453) }
    },
    { status },
  )
  return chain(url)
    .revertReason(hash)
    .catch(({ code }) => code)
}

test('a reason is read from every recorded form of a refusal, and none is made up from a failure of the node', async () => {
  const misread: object[] = []
  for (const { name, reads, httpStatus, hasBytes, withBytes } of recorded) {
    const found = await running({ inBlock: { error: withBytes(errorBytes('NoRule')) } }, httpStatus)
    const isRight = reads === 'REVERTED' ? found === (hasBytes ? 'NoRule' : null) : found?.startsWith('RPC_')
    if (!isRight) misread.push({ name, reads, found })
  }
  expect(misread).toEqual([])
  expect(recorded.filter(({ hasBytes }) => hasBytes).length).toBeGreaterThan(1)
})

test('a stop is read from an estimate in every recorded form, so the deposit waits', async () => {
  for (const { name, httpStatus, reads, hasBytes, withBytes } of recorded) {
    if (httpStatus !== 200 || reads !== 'REVERTED' || !hasBytes) continue
    const { url } = node(({ method }) =>
      method === 'eth_estimateGas' ? { error: withBytes(errorBytes('NoRule')) } : { result: word(8453) },
    )
    const ask = nodes({
      chainId: chains.base.id,
      rpcUrls: [url],
      timeoutMs: 300_000,
      isAnswer: () => false,
      telemetry: noTelemetry,
    })
    const never = () => Promise.reject(new Error('A refused estimate reads no price'))
    const parts = { chainId: chains.base.id, executor, recoveryExecutor: null, head: never, tip: never }
    const failure = await estimate(ask, parts)(order, order.account).catch((error) => error)
    expect({ name, isStop: failure instanceof RouteStopped }).toEqual({ name, isStop: true })
  }
})

test('a run of the transaction that a node cannot make says nothing, and a run without a revert says that there is no reason', async () => {
  const reverts = (name: 'NoRule' | 'Expired'): Reply => ({
    error: { code: 3, message: 'execution reverted', data: errorBytes(name) },
  })
  const gone: Reply = { error: { code: -32000, message: 'missing trie node 3d2f (path ) state is not available' } }
  const runs: Reply = { result: '0x' }
  expect(await running({ inBlock: runs, later: runs })).toBeNull()
  expect(await running({ inBlock: runs, later: reverts('Expired') })).toBe('Expired')
  expect(await running({ inBlock: reverts('NoRule'), later: gone })).toBe('NoRule')
  expect(await running({ inBlock: gone, later: reverts('NoRule') })).toBe('NoRule')
  // Every order has expired by now, and another refusal may have another reason by now.
  expect(await running({ inBlock: gone, later: reverts('Expired') })).toBe('RPC_FAILED')
  expect(await running({ inBlock: gone, later: runs })).toBe('RPC_FAILED')
  expect(await running({ inBlock: gone, later: gone })).toBe('RPC_FAILED')
  expect(await running({ inBlock: runs, transaction: null })).toBe('RPC_FAILED')
  expect(await running({ inBlock: runs, transaction: { from: executor, to: executor, blockNumber: null } })).toBe(
    'RPC_FAILED',
  )
})
