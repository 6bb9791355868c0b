import { afterEach } from 'bun:test'
import { evmChain } from '../../../src/adapters/evm/chain-client'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { jsonRpcNode } from '../../support/json-rpc-node'

export const word = (value: number) => `0x${value.toString(16)}`
export const account = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
export const codeOf = (act: Promise<unknown>) =>
  act.then(() => 'no error').catch((error) => error.code ?? String(error))

type Node = Parameters<typeof jsonRpcNode>

/** Nodes of Base and clients of them. They stop after each test of the file that calls this at its top level. */
export function chainOfNodes() {
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })
  const addresses = { registry: zeroAddress, executor: zeroAddress, lens: zeroAddress }
  const chainWithin =
    (timeoutMs: number) =>
    (...rpcUrls: string[]) =>
      evmChain({ now: Date.now, chainId: 8453, rpcUrls, confirmations: 2, ...addresses, timeoutMs })
  return {
    stops,
    node: (answer: Node[0], options?: Node[1]) => {
      const made = jsonRpcNode(
        (call) => (call.method === 'eth_chainId' ? { result: word(8453) } : answer(call)),
        options,
      )
      stops.push(made.stop)
      return made
    },
    /** Its timeout exceeds the delays of any busy machine. */
    chain: chainWithin(30_000),
    impatientChain: chainWithin(150),
  }
}
