import { afterAll, expect, test } from 'bun:test'
import { numberToHex } from 'viem'
import { requireBalance, waitUntilMined } from '../../src/cli/demo/faucet'

let answers: Record<string, unknown> = {}
const node = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { id, method } = (await request.json()) as { id: number; method: string }
    const result = answers[method]
    if (result instanceof Error)
      return Response.json({ jsonrpc: '2.0', id, error: { code: 3, message: result.message } })
    return Response.json({ jsonrpc: '2.0', id, result })
  },
})
afterAll(() => node.stop(true))

const url = node.url.href
const faucetKey = `0x${'7'.repeat(64)}` as const
const hash = `0x${'a'.repeat(64)}` as const
const to = `0x${'1'.repeat(40)}` as const
const coin = { token: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18, amountRaw: 2n * 10n ** 18n, to } as const
const token = { token: `0x${'2'.repeat(40)}`, symbol: 'USDC', decimals: 6, amountRaw: 5_000_000n, to } as const
const resultOf = (promise: Promise<unknown>) => promise.then(String, (error) => (error as Error).message)

test('the faucet sends no more than it has', async () => {
  answers = { eth_getBalance: numberToHex(10n ** 18n) }
  expect(await resultOf(requireBalance(url, faucetKey, coin))).toBe(
    'The faucet has 1 ETH there, which is less than 2. Nothing was sent.',
  )
  expect(await resultOf(requireBalance(url, faucetKey, { ...coin, amountRaw: 1n }))).toBe('undefined')
})

test('the message about an unresponsive node does not contain its address', async () => {
  expect(await resultOf(requireBalance('http://127.0.0.1:1', faucetKey, coin))).toBe(
    'A node of the demo does not respond. If a fault stops it, DELETE that fault at the control URL.',
  )
})

test('a token without a meaningful balance is sent if the chain would carry out the transfer', async () => {
  const none = { eth_call: numberToHex(0n, { size: 32 }) }
  answers = none
  expect(await resultOf(requireBalance(url, faucetKey, token))).toBe('undefined')
})

test('a transfer that reverted counts as not sent, although the node accepted it', async () => {
  const receipt = { transactionHash: hash, status: '0x0', blockNumber: '0x1', gasUsed: '0x1', logs: [] }
  answers = { eth_getTransactionReceipt: receipt }
  expect(await resultOf(waitUntilMined(url, hash))).toBe(`The transfer ${hash} reverted, so nothing was sent.`)
  answers = { eth_getTransactionReceipt: { ...receipt, status: '0x1' } }
  expect(await resultOf(waitUntilMined(url, hash))).toBe('true')
})
