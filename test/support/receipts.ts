import { encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex, toHex } from 'viem'
import { routeExecutorAbi } from '../../contracts/artifacts/abi'
import { memoryKey } from '../../src/adapters/keys/open-key'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { type ReceiptMessage, receiptDigest, type SignedReceipt } from '../../src/domain/execution/receipt'
import { receiptView } from '../../src/http/receipts/views'
import { addressOf, hashOf } from './deposits'
import { jsonRpcNode } from './json-rpc-node'

/** The key that signs the receipts of tests. */
export const receiptKey = memoryKey(`0x${'7'.repeat(64)}`)

export async function signedReceipt(message: ReceiptMessage): Promise<SignedReceipt> {
  const signature = await receiptKey.sign(receiptDigest(message))
  return receiptView(message, { signer: receiptKey.address, signature }) as SignedReceipt
}

type LogShown = { address: Address; topics: unknown[]; data: Hex; logIndex?: number }
export type TransactionShown = { block: number; logs?: LogShown[]; to?: Address; value?: bigint; failed?: boolean }

export const transferLog = (token: Address, from: Address, to: Address, value: bigint, logIndex = 0): LogShown => ({
  address: token,
  topics: encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } }),
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  logIndex,
})

/** The event of a route. Only its indexed fields and the spent amount matter here. */
export function routeLog(routeId: Hash, account: Address, token: Address, spent: bigint): LogShown {
  const event = routeExecutorAbi.find((item) => item.type === 'event' && item.name === 'RouteExecuted')!
  const unindexed = (event.inputs as readonly { indexed: boolean; type: string }[]).filter(({ indexed }) => !indexed)
  const [zero, of] = [addressOf(1), { toChainId: 1n, tokenOut: addressOf(1), recipient: addressOf(1), minOut: 0n }]
  const rest = unindexed.slice(1).map(({ type }) => (type === 'address' ? zero : type === 'tuple' ? of : 0n))
  return {
    address: addressOf(0xe8),
    topics: encodeEventTopics({ abi: routeExecutorAbi, eventName: 'RouteExecuted', args: { routeId, account, token } }),
    data: encodeAbiParameters(unindexed, [spent, ...rest]),
  }
}

/** A node of one chain that shows these transactions and no others. It traces nothing. */
export function nodeShowing(chainId: number, transactions: Record<Hash, TransactionShown>) {
  return jsonRpcNode(({ method, params: [hash] = [] }) => {
    if (method === 'eth_chainId') return { result: toHex(chainId) }
    const shown = transactions[hash as Hash]
    if (method === 'eth_getTransactionReceipt') return { result: shown ? receiptShown(hash as Hash, shown) : null }
    if (method === 'eth_getTransactionByHash' && shown) return { result: transactionShown(hash as Hash, shown) }
    return { error: { code: -32_601, message: `${method} is not supported` } }
  })
}

const place = (hash: Hash, block: number) => ({
  transactionHash: hash,
  blockNumber: toHex(block),
  blockHash: hashOf(block),
  transactionIndex: '0x0',
})

const receiptShown = (hash: Hash, { block, logs = [], to, failed }: TransactionShown) => ({
  ...place(hash, block),
  from: addressOf(0x5e),
  to: to ?? null,
  status: failed ? '0x0' : '0x1',
  type: '0x2',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  contractAddress: null,
  logsBloom: `0x${'0'.repeat(512)}`,
  logs: logs.map(({ logIndex = 0, ...log }) => ({
    ...place(hash, block),
    ...log,
    logIndex: toHex(logIndex),
    removed: false,
  })),
})

const transactionShown = (hash: Hash, { block, to, value = 0n }: TransactionShown) => {
  const { transactionHash: _, ...rest } = place(hash, block)
  const fee = { gas: '0x5208', gasPrice: '0x1', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' }
  const signature = { v: '0x0', r: hashOf(1), s: hashOf(1) }
  const call = { from: addressOf(0x5e), to: to ?? null, value: toHex(value), input: '0x', nonce: '0x0', type: '0x2' }
  return { hash, ...rest, ...fee, ...signature, ...call, chainId: '0x1' }
}
