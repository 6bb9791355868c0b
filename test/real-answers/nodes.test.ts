import { afterEach, expect } from 'bun:test'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { chains } from '../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { answering, samplesIn } from '../support/real-answers'
import { testAll } from '../support/test-all'

/**
 * Expected result of a sample. `HALVED`: all logs are read in shorter ranges. `TAKEN`: the bytes are accepted.
 * `REVERTED`: the EVM refused. Otherwise the recipients of native coin in a block, or the failure's code.
 */
type Recorded = {
  asked: 'eth_getLogs' | 'eth_sendRawTransaction' | 'eth_call' | 'eth_getBlockByNumber'
  httpStatus: number
  headers?: Record<string, string>
  body: { result?: unknown; error?: object }
  reads: string | Address[]
}
type Call = { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] }

const { id: chainId } = chains.base
const token: Address = `0x${'7'.repeat(40)}`
const blocks = 40
/** A node that refuses longer ranges. */
const rangeMax = 7
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

function chainOf({ asked, ...sample }: Recorded) {
  const read = new Set<number>()
  let refusals = 0
  const node = answering(
    { ...sample, body: { jsonrpc: '2.0', id: 0, ...sample.body } },
    ({ id, method, params: [range] }: Call) => {
      if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: `0x${chainId.toString(16)}` }
      if (method === 'eth_getBlockByNumber' && asked === 'eth_getLogs')
        return { jsonrpc: '2.0', id, result: { number: `0x${blocks.toString(16)}` } }
      if (method !== 'eth_getLogs') return null
      const [from, to] = [Number(range.fromBlock), Number(range.toBlock)]
      if (to - from >= rangeMax || sample.reads !== 'HALVED') {
        refusals++
        return null
      }
      for (let block = from; block <= to; block++) read.add(block)
      return { jsonrpc: '2.0', id, result: [] }
    },
  )
  stops.push(node.stop)
  const addresses = { registry: zeroAddress, executor: zeroAddress, lens: zeroAddress }
  const chain = evmChain({
    now: Date.now,
    chainId,
    rpcUrls: [node.url],
    confirmations: 1,
    ...addresses,
    timeoutMs: 60_000,
  })
  return { chain, read, refusals: () => refusals }
}

const codeOf = (act: Promise<unknown>) => act.then(() => 'no failure').catch((error) => error.code ?? String(error))

const readings: Record<Recorded['asked'], (sample: Recorded) => Promise<unknown>> = {
  async eth_getLogs(sample) {
    const { chain, read, refusals } = chainOf(sample)
    const code = await codeOf(chain.transfers([token], 1, blocks))
    if (code !== 'no failure') {
      expect(refusals()).toBe(1) // a failure that no shorter range can fix causes one query
      return code
    }
    expect([...read].sort((one, other) => one - other)).toEqual(Array.from({ length: blocks }, (_, n) => n + 1))
    return 'HALVED'
  },
  async eth_sendRawTransaction(sample) {
    const code = await codeOf(chainOf(sample).chain.send('0x02'))
    return code === 'no failure' ? 'TAKEN' : code
  },
  async eth_call(sample) {
    const code = await codeOf(chainOf(sample).chain.balanceOf(token, zeroAddress, 5))
    return code === 'TOKEN_NOT_SUPPORTED' ? 'REVERTED' : code
  },
  eth_getBlockByNumber: (sample) => chainOf(sample).chain.nativeRecipients(1, 1),
}

const samples = await samplesIn<Recorded>('rpc')

testAll(samples)('every recorded response of a node gets its recorded judgement', async (_name, sample) => {
  expect(await readings[sample.asked](sample)).toEqual(sample.reads)
})
