import { expect, test } from 'bun:test'
import { evmChain } from '../../../src/adapters/evm/chain-client'
import { perChain } from '../../../src/domain/chain/chain'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { base, detectionWorld } from '../../support/detection'
import { DetectionChain } from '../../support/detection-chain'
import { chainOfNodes, word } from './chain-of-nodes'

const { node } = chainOfNodes()
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

test('a poll of a chain reads the last scanned block and the head in one request to the node', async () => {
  let head = 100
  const sizes: number[] = []
  const shape = (body: unknown) => {
    sizes.push(Array.isArray(body) ? body.length : 1)
    return body
  }
  const { url, seen } = node(
    ({ method, params }) => {
      if (method === 'eth_getLogs') return { result: [] }
      const number = params[0] === 'latest' ? head : Number(params[0])
      return { result: { number: word(number), hash: hashOf(number), timestamp: word(1_700_000_000 + number * 2) } }
    },
    { shape },
  )
  const addresses = { registry: zeroAddress, executor: zeroAddress, lens: zeroAddress }
  const client = evmChain({ now: Date.now, chainId: base, rpcUrls: [url], confirmations: 2, ...addresses, sharedMs: 0 })
  const { scan } = detectionWorld({ chains: perChain(() => client) }, new DetectionChain(base))
  await scan()
  head += 2
  seen.length = sizes.length = 0
  await scan()
  const blocks = Array.from({ length: 4 }, () => 'eth_getBlockByNumber')
  expect(sizes).toEqual([2, 1, 1, 1])
  expect(seen.toSorted()).toEqual([...blocks, 'eth_getLogs'].toSorted())
})
