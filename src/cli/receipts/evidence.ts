import {
  type Hash,
  type PublicClient,
  parseAbiItem,
  parseEventLogs,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { routeExecuted } from '../../adapters/evm/route-use'
import type { Address } from '../../domain/chain/hex'
import type { ReceiptMessage } from '../../domain/execution/receipt'
import { roundingOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'

const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
/** What one node shows of one transaction. */
export type Node = Pick<PublicClient, 'getTransactionReceipt' | 'getTransaction' | 'getBalance' | 'request'>
type Part = { txHash: Hash; blockNumber: number; token: Address; amount: string }

const isAbout = (one: string | null, other: string): boolean => one?.toLowerCase() === other.toLowerCase()

/** Returns a sentence if a node does not show that a transaction succeeded in the block that a receipt names. */
async function mined(node: Node, { txHash, blockNumber }: Part): Promise<TransactionReceipt | string> {
  const seen = await node.getTransactionReceipt({ hash: txHash }).catch((error) => {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  })
  if (!seen) return `The chain has no transaction ${txHash}.`
  if (seen.status !== 'success') return `The transaction ${txHash} failed.`
  if (seen.blockNumber !== BigInt(blockNumber))
    return `The transaction ${txHash} is in block ${seen.blockNumber}, not in ${blockNumber}.`
  return seen
}

const transfersOf = ({ logs }: TransactionReceipt, token: Address) =>
  parseEventLogs({ abi: [transferEvent], logs, strict: true }).filter(({ address }) => isAbout(address, token))

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

/** Returns the amounts of a token, or of native coin, that a transaction brought to an address. */
async function broughtTo(node: Node, seen: TransactionReceipt, token: Address, to: Address): Promise<bigint[]> {
  if (isNative(token)) return coinTo(node, seen, to)
  const transfers = transfersOf(seen, token).filter(({ args }) => isAbout(args.to, to) && !isAbout(args.from, to))
  return transfers.map(({ args }) => args.value)
}

/** Native coin leaves no log: it is in the call itself, in a trace, or in the change of the balance. */
async function coinTo(
  node: Node,
  { transactionHash, blockNumber }: TransactionReceipt,
  to: Address,
): Promise<bigint[]> {
  const call = await node.getTransaction({ hash: transactionHash })
  if (isAbout(call.to, to) && call.value > 0n) return [call.value]
  const tracing = { method: 'debug_traceTransaction', params: [transactionHash, { tracer: 'callTracer' }] }
  const frame = await node.request(tracing as never).catch(() => null)
  if (frame) return [paidIn(frame, to)]
  const balances = [blockNumber - 1n, blockNumber].map((at) => node.getBalance({ address: to, blockNumber: at }))
  const [before = 0n, after = 0n] = await Promise.all(balances)
  return [after - before]
}

type Frame = { type: string; to?: string; from?: string; value?: string; error?: string; calls?: Frame[] }
function paidIn({ type, to, from, value, error, calls = [] }: Frame, payee: Address): bigint {
  if (error) return 0n
  const isPaid = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(type) && isAbout(to ?? null, payee)
  const own = isPaid && !isAbout(from ?? null, payee) ? BigInt(value ?? 0) : 0n
  return own + sumOf(calls.map((inner) => paidIn(inner, payee)))
}

/** Returns how the source chain contradicts the deposit of a receipt; null if it does not. */
export async function depositFault({ deposit }: ReceiptMessage, node: Node): Promise<string | null> {
  const [txHash] = deposit.txHash
  if (!txHash) return null
  const seen = await mined(node, { ...deposit, txHash })
  if (typeof seen === 'string') return seen
  const [logIndex] = deposit.logIndex
  const amount = BigInt(deposit.amount)
  const logged = transfersOf(seen, deposit.token).filter((log) => log.logIndex === logIndex)
  const brought = isNative(deposit.token)
    ? await coinTo(node, seen, deposit.account)
    : logged.filter(({ args }) => isAbout(args.to, deposit.account)).map(({ args }) => args.value)
  const isIt = brought.some((value) => value >= amount && value - amount <= roundingOf(value))
  return isIt ? null : `The transaction ${txHash} did not bring ${amount} of ${deposit.token} to ${deposit.account}.`
}

/** Returns how the source chain contradicts the departure of the money; null if it does not. */
export async function departureFault({ spent, deposit, route }: ReceiptMessage, node: Node): Promise<string | null> {
  const [left] = spent
  if (!left) return null
  const seen = await mined(node, left)
  if (typeof seen === 'string') return seen
  const routeId = route[0]?.routeId ?? ''
  const executed = parseEventLogs({ abi: [routeExecuted], logs: seen.logs, strict: true }).find(
    ({ args }) => isAbout(args.routeId, routeId) && isAbout(args.account, deposit.account),
  )
  if (!executed) return `The transaction ${left.txHash} did not execute the route ${routeId} of ${deposit.account}.`
  if (executed.args.spent !== BigInt(left.amount) || !isAbout(executed.args.token, left.token))
    return `The route ${routeId} spent ${executed.args.spent} of ${executed.args.token}, not ${left.amount}.`
  if (isNative(left.token)) return null
  // Any contract can emit the event of a route. Only the token's own transfers prove that money moved.
  const gone = transfersOf(seen, left.token).filter(
    ({ args }) => isAbout(args.from, deposit.account) && !isAbout(args.to, deposit.account),
  )
  const sum = sumOf(gone.map(({ args }) => args.value))
  const amount = BigInt(left.amount)
  const isMoved = (sum > amount ? sum - amount : amount - sum) <= roundingOf(amount)
  return isMoved ? null : `${sum} of ${left.token} left ${deposit.account} in ${left.txHash}, not ${amount}.`
}

/** Returns how the destination chain contradicts the delivery; null if it does not. */
export async function deliveryFault({ delivered }: ReceiptMessage, node: Node): Promise<string | null> {
  const [arrived] = delivered
  if (!arrived) return null
  const seen = await mined(node, arrived)
  if (typeof seen === 'string') return seen
  const brought = await broughtTo(node, seen, arrived.token, arrived.recipient)
  const amount = BigInt(arrived.amount)
  const { txHash, token, recipient } = arrived
  return brought.includes(amount) || sumOf(brought) === amount
    ? null
    : `The transaction ${txHash} did not deliver ${amount} of ${token} to ${recipient}.`
}
