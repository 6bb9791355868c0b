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

test('a receipt that a node told without its events is read anew, and is believed no longer than it is told', async () => {
  let logs: unknown[] = []
  const ask = (async (method: string, [tag]: unknown[]) => {
    if (method === 'eth_getTransactionReceipt')
      return { status: '0x1', from: sender, to: token, ...transfer, logs, gasUsed: '0x1', effectiveGasPrice: '0x1' }
    const number = tag === 'latest' ? 100 : Number(tag)
    return { number: word(number), hash: hashOf(number), timestamp: word(number), baseFeePerGas: '0x7' }
  }) as Ask
  const arrived = arrivals(ask, heads(ask, 2))
  expect((await arrived(hash, token, recipient))?.amountRaw).toBe(0n)
  logs = [transfer]
  expect((await arrived(hash, token, recipient))?.amountRaw).toBe(5n)
})
