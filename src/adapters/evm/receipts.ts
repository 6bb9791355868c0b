import { decodeEventLog, getAbiItem, toEventSelector } from 'viem/utils'
import { routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { isOurRefusal, laterReason } from '../../domain/chain/contract-refusals'
import { type Address, type Hash, type Hex, sameAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { MinedTransaction } from '../../ports/chain-client'
import type { heads } from './heads'
import { type Log, logsIn, transfersIn } from './logs'
import { asAddress, asAmount, asBytes, asHash, asNumber, asObject } from './rpc/answers'
import { isRevert, nameOfError, reasonOf } from './rpc/error'
import type { Ask, Proof } from './rpc/json-rpc'

/** The contract's event for an order that failed while the transaction with the other orders succeeded. */
const orderFailed = getAbiItem({ abi: routeExecutorAbi, name: 'OrderFailed' })
const orderFailedTopic: Hash = toEventSelector(orderFailed)

export type Receipt = {
  block: number
  blockHash: Hash
  succeeded: boolean
  to: Address | null
  logs: Log[]
  isBound: boolean
}

/** Types of transactions whose hash covers a chain id. They exist on that chain only. */
const boundTypes: readonly unknown[] = ['0x1', '0x2', '0x3', '0x4']

/**
 * The receipt of a transaction that is bound to its chain proves the node's chain. A missing receipt proves nothing.
 */
export const isBound: Proof = (answer) => {
  const receipt = answer as { type?: unknown; blockHash?: unknown } | null
  return receipt?.blockHash && boundTypes.includes(receipt.type) ? 'ANSWER' : null
}

/** Like `isBound`, for callers that conclude nothing from a missing receipt. */
const isBoundOrNone: Proof = (answer) => (answer === null ? 'ANSWER' : isBound(answer))

export async function receiptOf(ask: Ask, hash: Hash, proof?: Proof): Promise<Receipt | null> {
  const answer = await ask('eth_getTransactionReceipt', [hash], proof)
  if (answer === null) return null
  const receipt = asObject(answer)
  if (receipt['blockNumber'] === null) return null
  return {
    block: asNumber(receipt['blockNumber']),
    blockHash: asHash(receipt['blockHash']),
    succeeded: receipt['status'] === '0x1',
    to: receipt['to'] ? asAddress(receipt['to']) : null,
    logs: logsIn(receipt),
    isBound: isBound(receipt) !== null,
  }
}

/**
 * Reads transactions in blocks that are part of the chain, because a node may show a receipt of a block that was only
 * announced. The receipt of a successful order may come from such a block: it only shows where the order's event should
 * be.
 *
 * @param noteEvent Receives the logs of a successful order's receipt.
 */
export function receipts(
  ask: Ask,
  { blockAt }: ReturnType<typeof heads>,
  executors: readonly Address[],
  noteEvent: (routeId: Hash, logs: readonly Log[]) => void = () => {},
) {
  /** Returns why a route's order failed in a transaction that carried others, or null if its failure is not logged. */
  const failedIn = ({ logs }: Receipt, routeId: Hash | undefined): Hex | null => {
    const isIts = (log: Log) =>
      log.topics[0] === orderFailedTopic &&
      log.topics[1] === routeId &&
      executors.some((executor) => sameAddress(executor, asAddress(log['address'])))
    const log = routeId && logs.find(isIts)
    if (!log) return null
    const topics = log.topics.map(asHash) as [Hash, ...Hash[]]
    return decodeEventLog({ abi: [orderFailed], data: asBytes(log['data']), topics }).args.reason
  }

  /** Reads a transaction whose receipt was read before. */
  async function minedTransaction(hash: Hash) {
    const answer = await ask('eth_getTransactionByHash', [hash])
    const transaction = answer === null ? null : asObject(answer)
    if (transaction?.['blockNumber']) return transaction
    throw new RoutingError('RPC_FAILED', { cause: new Error('The node does not have a mined transaction') })
  }

  return {
    async receipt(hash: Hash, routeId?: Hash) {
      const receipt = await receiptOf(ask, hash, isBoundOrNone)
      if (!receipt) return null
      const succeeded = receipt.succeeded && failedIn(receipt, routeId) === null
      if (succeeded && routeId !== undefined) {
        noteEvent(routeId, receipt.logs)
        return { block: receipt.block, succeeded, time: null }
      }
      const block = await blockAt(receipt.block, { isOf: receipt.blockHash, proves: 'ANSWER' })
      return block?.hash === receipt.blockHash ? { block: receipt.block, succeeded, time: block.time } : null
    },

    /**
     * Re-runs the transaction on the state after its block. If that gives no reason, re-runs it on the latest state. If
     * no node has the state of its block, only a stop that is still in force counts from the latest state.
     */
    async revertReason(hash: Hash, routeId?: Hash): Promise<string | null> {
      const receipt = routeId === undefined ? null : await receiptOf(ask, hash)
      const failed = receipt && failedIn(receipt, routeId)
      if (failed) return nameOfError(failed)
      const { from, to, input, value, gas, blockNumber } = await minedTransaction(hash)
      const call = { from, to, data: input, value, gas }
      const again = (block: unknown) =>
        ask('eth_call', [call, block]).then(
          () => null,
          (error) => {
            if (isRevert(error)) return reasonOf(error)
            throw error
          },
        )
      const [inBlock] = await Promise.allSettled([again(blockNumber)])
      if (inBlock.status === 'fulfilled') return inBlock.value ?? again('latest')
      const later = await again('latest')
      if (isOurRefusal(later) && later !== laterReason) return later
      throw inBlock.reason
    },

    async transaction(hash: Hash): Promise<MinedTransaction | null> {
      const receipt = await receiptOf(ask, hash, isBound)
      if (!receipt) return null
      const { block, blockHash, succeeded, to, logs } = receipt
      return { block, blockHash, succeeded, to, transfers: transfersIn(logs) }
    },

    nativeValueOf: async (hash: Hash): Promise<bigint> => asAmount((await minedTransaction(hash))['value']),
  }
}
