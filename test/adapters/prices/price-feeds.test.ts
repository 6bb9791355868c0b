import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeFunctionResult, encodeFunctionData, encodeFunctionResult, type Hex, toHex } from 'viem'
import { devPriceFeedAbi } from '../../../contracts/artifacts/abi'
import { feedAbi } from '../../../src/adapters/evm/feeds/feed-abi'
import { feedPrices } from '../../../src/adapters/evm/feeds/feed-price'
import { noTelemetry } from '../../../src/adapters/no-telemetry'
import { priceFeeds } from '../../../src/adapters/prices/price-feeds'
import { accounts } from '../../../src/devnet/chains/accounts'
import { tokenOf } from '../../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../../src/devnet/devnet'
import { Rpc } from '../../../src/devnet/rpc/rpc'
import { chains } from '../../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../../src/domain/chain/hex'
import { priceFeeds as feeds, priceFeedOf } from '../../../src/domain/money/price-feeds'
import type { PriceSource } from '../../../src/ports/prices'
import { testAll } from '../../support/test-all'

const dir = mkdtempSync(join(tmpdir(), 'switchyard-feeds-'))
const base = chains.base.id
const soon = () => AbortSignal.timeout(60_000)
let devnet: Devnet
let source: PriceSource
beforeAll(async () => {
  devnet = await startDevnet({ dir })
  source = priceFeeds({ sharedMs: 0, rpcUrls: (id) => [devnet.chains[id].rpcUrl], telemetry: noTelemetry })
})
afterAll(async () => {
  await devnet?.stop()
  rmSync(dir, { recursive: true, force: true })
})

type Change = ['setAge' | 'setHeartbeat', bigint] | ['setAnswer', bigint] | ['initialize', string, bigint]
async function change(feed: Address, [functionName, ...args]: Change): Promise<void> {
  const rpc = new Rpc(devnet.chains[base].rpcUrl)
  const from = accounts.deployer.address
  await rpc.ask('anvil_impersonateAccount', from)
  const data = encodeFunctionData({ abi: devPriceFeedAbi, functionName, args } as never)
  await rpc.ask('eth_sendTransaction', { from, to: feed, data, gas: toHex(300_000) })
  await rpc.ask('evm_mine')
}
const native = (): Promise<bigint | null> => source.priceUsd(base, zeroAddress, soon())
const feed = priceFeedOf(base, zeroAddress)!

test('every pinned feed has prices for its tokens, on each chain', async () => {
  for (const { chainId, tokens } of feeds)
    for (const token of tokens) {
      const usd = Number(tokenOf(chainId, token)!.priceUsd) * 1e8
      expect(await source.priceUsd(chainId, token, soon())).toBe(BigInt(usd))
    }
})

test('two prices of a chain cost one request, which includes the chain id', async () => {
  const asked: string[] = []
  const counting = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text()
      asked.push(...[JSON.parse(body)].flat().map(({ method }: { method: string }) => method))
      return fetch(devnet.chains[base].rpcUrl, { method: 'POST', headers: request.headers, body })
    },
  })
  const { now } = performance
  try {
    const own = priceFeeds({ rpcUrls: () => [`http://127.0.0.1:${counting.port}`], telemetry: noTelemetry })
    const both = () =>
      Promise.all([tokenOf(base, 'USDC')!.address, zeroAddress].map((token) => own.priceUsd(base, token, soon())))
    for (const laterMs of [0, 10_000, 20_000]) {
      performance.now = () => now.call(performance) + laterMs
      expect(await both()).toEqual([100_000_000n, 300_000_000_000n])
      expect(asked.splice(0)).toEqual(['eth_call'])
    }
  } finally {
    performance.now = now
    counting.stop(true)
  }
})

test('a price from a different chain is rejected, also from a node trusted a moment ago', async () => {
  const rpc = new Rpc(devnet.chains[base].rpcUrl)
  const ofChain = (chainId: number) =>
    feedPrices(async (method, params) => {
      const abi = feedAbi
      const answer = await rpc.ask<Hex>(method, ...params)
      const [first, ...rest] = decodeFunctionResult({ abi, functionName: 'aggregate3', data: answer })
      const said = { ...first!, returnData: toHex(chainId, { size: 32 }) }
      return encodeFunctionResult({ abi, functionName: 'aggregate3', result: [said, ...rest] }) as never
    }, base)
  expect(await ofChain(base)([feed])).toEqual([300_000_000_000n])
  expect(await ofChain(chains.polygon.id)([feed])).toEqual([null])
})

test('the native coin, its wrapped form and the dollars of every chain have a feed', () => {
  for (const { id, native: coin } of Object.values(chains))
    for (const name of ['native', 'USDC', id === base || id === chains.ethereum.id ? 'WETH' : `W${coin.symbol}`])
      expect(priceFeedOf(id, tokenOf(id, name)!.address)).not.toBeNull()
  expect(new Set(feeds.map(({ chainId, address }) => `${chainId}:${address}`)).size).toBe(feeds.length)
})

test('a token without a feed has no price here, and costs no call', async () => {
  expect(await source.priceUsd(base, tokenOf(base, 'SY-TINY')!.address, soon())).toBeNull()
})

test('a response older than the heartbeat is not a price', async () => {
  await change(feed.address, ['setAge', BigInt(feed.heartbeatSeconds)])
  expect(await native()).toBe(300_000_000_000n)
  await change(feed.address, ['setAge', BigInt(feed.heartbeatSeconds + 960)])
  expect(await native()).toBeNull()
  await change(feed.address, ['setAge', 0n])
})

const withHeartbeat = async (seconds: bigint): Promise<PriceSource> => {
  await change(feed.address, ['setHeartbeat', seconds])
  return priceFeeds({ sharedMs: 0, rpcUrls: (id) => [devnet.chains[id].rpcUrl], telemetry: noTelemetry })
}
const ofNative = (from: PriceSource) => from.priceUsd(base, zeroAddress, soon())

test('a feed with a heartbeat of a minute is stale long before the table’s limit', async () => {
  const often = await withHeartbeat(60n)
  await change(feed.address, ['setAge', 3n * 60n + 840n])
  expect(await ofNative(often)).toBe(300_000_000_000n)
  await change(feed.address, ['setAge', 3n * 60n + 960n])
  expect(await ofNative(often)).toBeNull()
})

test('a feed with a heartbeat above the table’s is trusted only for the table’s', async () => {
  const slow = await withHeartbeat(86_400n)
  await change(feed.address, ['setAge', BigInt(feed.heartbeatSeconds + 960)])
  expect(await ofNative(slow)).toBeNull()
  await change(feed.address, ['setAge', BigInt(feed.heartbeatSeconds)])
  expect(await ofNative(slow)).toBe(300_000_000_000n)
  await change(feed.address, ['setHeartbeat', 0n])
  await change(feed.address, ['setAge', 0n])
})

testAll([
  ['zero', 0n],
  ['below zero', -1n],
])('a price of zero or below is rejected', async (_what, answer) => {
  await change(feed.address, ['setAnswer', answer])
  expect(await native()).toBeNull()
  await change(feed.address, ['setAnswer', 300_000_000_000n])
  expect(await native()).toBe(300_000_000_000n)
})

test('a feed of another pair at that address is rejected', async () => {
  await change(feed.address, ['initialize', 'BTC / USD', 300_000_000_000n])
  expect(await native()).toBeNull()
  await change(feed.address, ['initialize', 'ETH / USD', 300_000_000_000n])
})

test('a missing contract is no price, and an unreachable node is an error', async () => {
  const rpc = new Rpc(devnet.chains[base].rpcUrl)
  const code = await rpc.ask('eth_getCode', feed.address, 'latest')
  await rpc.ask('anvil_setCode', feed.address, '0x')
  expect(await native()).toBeNull()
  await rpc.ask('anvil_setCode', feed.address, code)
  const away = priceFeeds({ sharedMs: 0, rpcUrls: () => ['http://127.0.0.1:1'], telemetry: noTelemetry })
  expect(away.priceUsd(base, zeroAddress, soon())).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
})
