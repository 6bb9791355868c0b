import { expect, test } from 'bun:test'
import { pad, toEventSelector, toHex, zeroAddress } from 'viem'
import { activityOf } from '../../src/devnet/alchemy/activity'
import { ChainWatch } from '../../src/devnet/chains/chain-watch'
import type { Log, Receipt, Rpc } from '../../src/devnet/rpc/rpc'
import type { Hex } from '../../src/domain/chain/hex'
import { until } from '../support/until'

const transfer = toEventSelector('Transfer(address,address,uint256)')
const [sender, user] = [toHex(1, { size: 20 }), toHex(2, { size: 20 })]
const collectible = toHex(3, { size: 20 })
const hash = toHex(9, { size: 32 })
const numbered = { blockNumber: '0x5', blockHash: hash, transactionHash: hash, transactionIndex: '0x0' } as const

const log = (topics: readonly Hex[], data: Hex, logIndex: Hex = '0x0'): Log => ({
  ...numbered,
  address: collectible,
  topics: topics as unknown as Log['topics'],
  data,
  logIndex,
  removed: false,
})
const receiptWith = (logs: Log[]): Receipt => ({
  ...numbered,
  status: '0x1',
  from: sender,
  to: collectible,
  contractAddress: null,
  gasUsed: '0x0',
  effectiveGasPrice: '0x0',
  logs,
})
const header = {
  number: '0x5',
  hash,
  parentHash: hash,
  timestamp: '0x0',
  transactionsRoot: hash,
  baseFeePerGas: '0x0',
} as const
const activity = (...logs: Log[]) =>
  activityOf({ id: 8453, key: 'base' }, { header, receipts: [receiptWith(logs)], plain: new Map() })
const parties = [pad(zeroAddress), pad(user)] as const

test('a collectible is reported with its id and without an amount, as by Alchemy', () => {
  const [item] = activity(log([transfer, ...parties, toHex(2n ** 256n - 1n)], '0x'))
  expect(item).toMatchObject({ category: 'erc721', toAddress: user, erc721TokenId: toHex(2n ** 256n - 1n) })
  expect(item!.rawContract.rawValue).toBe('0x')
})

test('a log with a transfer’s topic and other contents is ignored, and the others are reported', () => {
  const strange = [
    log([transfer], toHex(1, { size: 32 })),
    log([transfer, pad(user)], toHex(1, { size: 32 })),
    log([transfer, ...parties], '0x'),
    log([transfer, ...parties], `0x${'ff'.repeat(33)}`),
    log([transfer, ...parties], `0x${'ff'.repeat(200_000)}`),
    log([], '0x'),
  ]
  const honest = log([transfer, ...parties], toHex(2n ** 256n - 1n), '0x7')
  const items = activity(...strange, honest)
  expect(items.map(({ category, log: own }) => [category, own?.logIndex])).toEqual([['token', '0x7']])
})

test('a stand-in that fails at a block is reported, and the others receive that block and the next', async () => {
  const troubles: string[] = []
  const rpc = {
    ask: async (method: string) => {
      if (method !== 'eth_getBlockReceipts') throw new Error('Not asked here')
      return [receiptWith([log([transfer, ...parties], '0x')])]
    },
    askAll: async () => [],
  }
  const watch = new ChainWatch(rpc as unknown as Rpc, (reason) => troubles.push(reason))
  const seen: string[] = []
  watch.onBlock(() => {
    throw new SyntaxError('Failed to parse String to BigInt')
  })
  watch.onBlock(async () => {
    throw new Error('refused')
  })
  const unsubscribe = watch.onBlock((block) => void seen.push(block.header.number))
  const announce = (number: Hex) => watch['head']({ ...header, number })
  announce('0x5')
  announce('0x6')
  await until('both failures at both blocks', (note) => note(troubles).length >= 4)
  expect(seen).toEqual(['0x5', '0x6'])
  expect(new Set(troubles)).toEqual(
    new Set([
      `block ${hash} could not be read by a stand-in: Failed to parse String to BigInt`,
      `block ${hash} could not be read by a stand-in: refused`,
    ]),
  )
  unsubscribe()
  announce('0x7')
  await until('both failures at the third block', (note) => note(troubles).length >= 6)
  expect(seen).toEqual(['0x5', '0x6'])
})
