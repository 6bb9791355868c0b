import { encodeFunctionResult } from 'viem'
import { balanceLensAbi } from '../contracts/artifacts/abi'
import { type ChainKey, chains } from '../src/domain/chain/chain'

/**
 * A node of an idle chain in a separate process, which keeps its cost out of the measurement. `POST /head` with a
 * number sets its newest block.
 */
const chain = chains[process.argv[2] as ChainKey]
const nothing = encodeFunctionResult({ abi: balanceLensAbi, functionName: 'nonZero', result: ['0x', '0x'] })
const quantity = (n: number): string => `0x${n.toString(16)}`
let head = 1_000
/** Long enough ago that no block is in the future, however much time the benchmark simulates. */
const firstTime = Date.now() / 1_000 - 10_000_000

type Call = { id: number; method: string; params: [tag?: string] }

function resultOf({ method, params }: Call): unknown {
  if (method === 'eth_chainId') return quantity(chain.id)
  if (method === 'eth_getLogs') return []
  if (method === 'eth_call') return nothing
  if (method !== 'eth_getBlockByNumber') throw new Error(`Unexpected request: ${method}`)
  const number = params[0] === 'latest' ? head : Number(params[0])
  if (number > head) return null
  const hash = `0x${number.toString(16).padStart(64, '0')}`
  const timestamp = quantity(Math.floor(firstTime + number * chain.blockSeconds))
  return { number: quantity(number), hash, parentHash: hash, timestamp, baseFeePerGas: '0x7' }
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    if (new URL(request.url).pathname === '/head') {
      head = Number(await request.text())
      return new Response()
    }
    const body = (await request.json()) as Call | Call[]
    const replies = [body].flat().map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(call) }))
    return Response.json(Array.isArray(body) ? replies : replies[0])
  },
})
console.log(server.port)
