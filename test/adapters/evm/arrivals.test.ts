import { expect, test } from 'bun:test'
import { numberToHex, pad } from 'viem'
import { arrivals } from '../../../src/adapters/evm/arrivals'
import { heads } from '../../../src/adapters/evm/heads'
import { transferTopic } from '../../../src/adapters/evm/logs'
import type { Ask } from '../../../src/adapters/evm/rpc/json-rpc'
import { addressOf, hashOf } from '../../support/deposits'
import { word } from './chain-of-nodes'

const [token, sender, recipient] = [addressOf(1), addressOf(2), addressOf(3)]
const hash = hashOf(7)
const transfer = {
  address: token,
  topics: [transferTopic, pad(sender), pad(recipient)],
  data: pad(numberToHex(5)),
  logIndex: '0x0',
  transactionHash: hash,
  blockNumber: word(90),
  blockHash: hashOf(90),
  removed: false,
}

test('a receipt without its events is read again, and trusted no longer than the node returns it', async () => {
  let logs: unknown[] = []
  const ask = (async (method: string, [tag]: unknown[]) => {
    if (method === 'eth_getTransactionReceipt')
      return { status: '0x1', from: sender, to: token, ...transfer, logs, gasUsed: '0x1', effectiveGasPrice: '0x1' }
    const number = tag === 'latest' ? 100 : Number(tag)
    return { number: word(number), hash: hashOf(number), timestamp: word(number), baseFeePerGas: '0x7' }
  }) as Ask
  const { arrived } = arrivals(ask, heads(ask, 2, { now: Date.now }))
  expect((await arrived(hash, token, recipient))?.amountRaw).toBe(0n)
  logs = [transfer]
  expect((await arrived(hash, token, recipient))?.amountRaw).toBe(5n)
})

test('a receipt moved by a reorganization is dropped, and the transaction is found in its new block', async () => {
  const chain = { tip: 90, fork: 0, mined: 90 }
  const hashAt = (number: number) => hashOf(number + chain.fork)
  const ask = (async (method: string, [tag]: unknown[]) => {
    if (method === 'eth_getTransactionReceipt') {
      const where = { blockNumber: word(chain.mined), blockHash: hashAt(chain.mined) }
      return { type: '0x2', status: '0x1', from: sender, to: token, ...where, logs: [{ ...transfer, ...where }] }
    }
    const number = tag === 'latest' ? chain.tip : Number(tag)
    if (number > chain.tip) return null
    return { number: word(number), hash: hashAt(number), timestamp: word(number), baseFeePerGas: '0x7' }
  }) as Ask
  for (const mined of [90, 92]) {
    Object.assign(chain, { tip: 90, fork: 0, mined: 90 })
    const { arrived } = arrivals(ask, heads(ask, 11, { now: Date.now }))
    expect(await arrived(hash, token, recipient)).toBeNull() // seen, but not confirmed yet
    Object.assign(chain, { tip: 110, fork: 1_000, mined })
    expect(await arrived(hash, token, recipient)).toBeNull() // its block is no longer in the chain
    expect(await arrived(hash, token, recipient)).toMatchObject({ amountRaw: 5n, block: mined })
  }
})

test('an unconfirmed arrival is queried only when it should be confirmed, and is proved by its block and a later one', async () => {
  const asked: string[] = []
  const chain = { tip: 90, hash: hashOf(90) }
  const from = Math.floor(Date.now() / 1_000)
  const ask = (async (method: string, [tag]: unknown[]) => {
    asked.push(method === 'eth_getTransactionReceipt' ? 'receipt' : String(Number(tag)))
    if (method === 'eth_getTransactionReceipt')
      return { type: '0x2', status: '0x1', from: sender, to: token, ...transfer, logs: [transfer] }
    const number = Number(tag)
    if (number > chain.tip) return null
    return {
      number: word(number),
      hash: number === 90 ? chain.hash : hashOf(number),
      timestamp: word(from - 90 + number),
    }
  }) as Ask
  const reckoning = arrivals(ask, heads(ask, 11, { now: () => from * 1_000, sharedMs: 20, blockMs: 1_000 }))
  expect(await reckoning.arrived(hash, token, recipient)).toBeNull()
  expect(await reckoning.arrived(hash, token, recipient)).toBeNull()
  expect(reckoning.untilArrivedMs(hash)).toBe(10_250)
  expect(asked.splice(0)).toEqual(['receipt', '90', '100'])

  const asking = arrivals(ask, heads(ask, 11, { now: Date.now })) // it estimates nothing
  expect(await asking.arrived(hash, token, recipient)).toBeNull()
  expect(asked.splice(0)).toEqual(['receipt', '90', '100'])
  chain.tip = 100
  expect((await asking.arrived(hash, token, recipient))?.amountRaw).toBe(5n)
  expect(asked.splice(0)).toEqual(['90', '100'])
  chain.hash = hashOf(91) // the receipt’s block is not in the chain
  expect(await asking.arrived(hash, token, recipient)).toBeNull()
})
