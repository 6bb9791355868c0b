import type { Hex } from 'viem'
import { decodeEventLog, encodeEventTopics, encodeFunctionData } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../../contracts/artifacts/abi'
import type { ChainId } from '../../domain/chain/chain'
import { chainOf } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { RouteUse } from '../../ports/chain-client'
import type { LogReader } from './log-reader'
import type { Log } from './logs'
import { asBytes, asHash, asNumber, asWord, fromTopic, toQuantity, toTopic } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

type Contracts = { chainId: ChainId; registry: Address; executors: readonly Address[] }

const lookBackDays = 30

/**
 * Whether a route is used as of a block, and by which transaction. The registry's flag decides; the event, which may be
 * many blocks back, only tells the transaction.
 */
export const routeUse =
  (ask: Ask, logs: LogReader, { chainId, registry, executors }: Contracts) =>
  async (accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> => {
    const view = (functionName: 'routeUsed' | 'accountAddress') =>
      ask('eth_call', [{ to: registry, data: callOf(functionName, accountSalt, routeId) }, toQuantity(block)])
    if (asWord(await view('routeUsed')) === 0n) return null
    const account = fromTopic(await view('accountAddress'))
    const [signature] = encodeEventTopics({ abi: routeExecutorAbi, eventName: 'RouteExecuted' })
    const filter = { address: executors, topics: [signature as Hash, routeId, toTopic(account)] }

    const oldest = Math.max(0, block - Math.ceil((lookBackDays * 86_400) / chainOf(chainId).blockSeconds))
    const log = await logs.newest(filter, oldest, block)
    if (log) return foundIn(log)
    throw new RoutingError('RPC_FAILED', { cause: new Error('A used route has no event') })
  }

function callOf(functionName: 'routeUsed' | 'accountAddress', salt: Hash, routeId: Hash): Hex {
  const abi = accountRegistryAbi
  return functionName === 'routeUsed'
    ? encodeFunctionData({ abi, functionName, args: [salt, routeId] })
    : encodeFunctionData({ abi, functionName, args: [salt] })
}

function foundIn(log: Log): RouteUse {
  const { args } = decodeEventLog({
    abi: routeExecutorAbi,
    eventName: 'RouteExecuted',
    data: asBytes(log['data']),
    topics: log.topics.map(asHash) as [Hash, ...Hash[]],
  })
  return { hash: asHash(log['transactionHash']), block: asNumber(log['blockNumber']), spentRaw: args.spent }
}
