import { concatHex, decodeEventLog, getAbiItem, toEventSelector, toFunctionSelector } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { accountAddressOf, implementationAddressOf } from '../../domain/chain/account'
import type { ChainId } from '../../domain/chain/chain'
import { chainOf } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { RouteUse } from '../../ports/chain-client'
import type { LogFilter, LogReader } from './log-reader'
import type { Log } from './logs'
import { asBytes, asHash, asNumber, asWord, toQuantity, toTopic } from './rpc/answers'
import type { Ask, Proof } from './rpc/json-rpc'

type Contracts = { chainId: ChainId; registry: Address; executors: readonly Address[] }

const lookBackDays = 30

/** What viem would look up and hash again for each call is done once. */
const routeUsedSelector = toFunctionSelector(getAbiItem({ abi: accountRegistryAbi, name: 'routeUsed' }))
const routeExecuted = getAbiItem({ abi: routeExecutorAbi, name: 'RouteExecuted' })
const routeExecutedTopic: Hash = toEventSelector(routeExecuted)

/**
 * Whether a route is used as of a block, and by which transaction. The registry's flag decides; the event, which may be
 * many blocks back, only tells the transaction. The account's address follows from its salt.
 */
export function routeUse(ask: Ask, logs: LogReader, { chainId, registry, executors }: Contracts) {
  const implementation = implementationAddressOf(registry)

  function eventOf(accountSalt: Hash, routeId: Hash): LogFilter {
    const account = accountAddressOf({ registry, implementation, accountSalt })
    return { address: executors, topics: [routeExecutedTopic, routeId, toTopic(account)] }
  }

  return {
    async routeUsed(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> {
      const data = concatHex([routeUsedSelector, accountSalt, routeId])
      if (asWord(await ask('eth_call', [{ to: registry, data }, toQuantity(block)])) === 0n) return null

      const oldest = Math.max(0, block - Math.ceil((lookBackDays * 86_400) / chainOf(chainId).blockSeconds))
      const log = await logs.newest(eventOf(accountSalt, routeId), oldest, block)
      if (log) return foundIn(log)
      throw new RoutingError('RPC_FAILED', { cause: new Error('A used route has no event') })
    },

    /**
     * The same by the event of one block alone. That it is not there says nothing. A route is carried out on one chain
     * only, so whoever shows its event is a node of that chain.
     */
    async routeUsedIn(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> {
      const proof: Proof = (found) => (Array.isArray(found) && found.some((one) => isOf(one, routeId)) ? 'NODE' : null)
      const [log] = await logs.all(eventOf(accountSalt, routeId), block, block, proof)
      const used = log && foundIn(log)
      return used?.block === block ? used : null
    },
  }
}

function isOf(found: unknown, routeId: Hash): boolean {
  const { topics } = found as { topics?: unknown }
  return Array.isArray(topics) && topics[0] === routeExecutedTopic && topics[1] === routeId
}

function foundIn(log: Log): RouteUse {
  const { args } = decodeEventLog({
    abi: [routeExecuted],
    data: asBytes(log['data']),
    topics: log.topics.map(asHash) as [Hash, ...Hash[]],
  })
  return { hash: asHash(log['transactionHash']), block: asNumber(log['blockNumber']), spentRaw: args.spent }
}
