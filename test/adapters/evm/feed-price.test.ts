import { expect, test } from 'bun:test'
import { feedPrices } from '../../../src/adapters/evm/feeds/feed-price'
import { nodes } from '../../../src/adapters/evm/rpc/nodes'
import { noTelemetry } from '../../../src/adapters/no-telemetry'
import { zeroAddress } from '../../../src/domain/chain/hex'
import { priceFeedOf } from '../../../src/domain/money/price-feeds'
import { jsonRpcNode } from '../../support/json-rpc-node'
import { chainOfNodes, codeOf, word } from './chain-of-nodes'

const { stops } = chainOfNodes()
const feed = priceFeedOf(8453, zeroAddress)!

test('a revert from a node of a different chain does not mean that a feed has no price', async () => {
  let chainId = word(8453)
  const { url, stop } = jsonRpcNode(({ method }) =>
    method === 'eth_chainId' ? { result: chainId } : { error: { code: 3, message: 'execution reverted', data: '0x' } },
  )
  const { now } = performance
  stops.push(stop, () => {
    performance.now = now
  })
  const settings = { chainId: 8453, rpcUrls: [url], timeoutMs: 30_000, telemetry: noTelemetry } as const
  const prices = feedPrices(nodes({ ...settings, isAnswer: () => false }), 8453)
  expect(await prices([feed])).toEqual([null])
  performance.now = () => now.call(performance) + 6_000
  chainId = '0x1'
  expect(await codeOf(prices([feed]))).toBe('RPC_FAILED')
  chainId = word(8453)
  expect(await prices([feed])).toEqual([null])
})
