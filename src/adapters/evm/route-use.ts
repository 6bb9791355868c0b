import { concatHex, decodeEventLog, getAbiItem, toEventSelector, toFunctionSelector } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { BoundedMap } from '../../domain/bounded-map'
import { accountAddressOf, implementationAddressOf } from '../../domain/chain/account'
import type { ChainId } from '../../domain/chain/chain'
import { chainOf } from '../../domain/chain/chain'
import { type Address, type Hash, sameAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { RouteUse } from '../../ports/chain-client'
import type { heads } from './heads'
import type { LogFilter, LogReader } from './log-reader'
import type { Log } from './logs'
import { asAddress, asBytes, asHash, asNumber, asWord, toQuantity, toTopic } from './rpc/answers'
import type { Ask, Proof } from './rpc/json-rpc'

type Contracts = { chainId: ChainId; registry: Address; executors: readonly Address[] }

const lookBackDays = 30
const toldMax = 1_000

/** What viem would look up and hash again for each call is done once. */
const routeUsedSelector = toFunctionSelector(getAbiItem({ abi: accountRegistryAbi, name: 'routeUsed' }))
const routeExecuted = getAbiItem({ abi: routeExecutorAbi, name: 'RouteExecuted' })
const routeExecutedTopic: Hash = toEventSelector(routeExecuted)

/**
 * Whether a route is used as of a block, and by which transaction. The registry's flag decides; the event, which may be
 * many blocks back, only tells the transaction, and counts where its block is the one at that depth. The account's
 * address follows from its salt.
 */
export function routeUse(
  ask: Ask,
  logs: LogReader,
  { chainId, registry, executors }: Contracts,
  { confirmedAt }: Pick<ReturnType<typeof heads>, 'confirmedAt'>,
) {
  const implementation = implementationAddressOf(registry)
  /** The events of routes that receipts told. Each counts only once its block is read at its depth. */
  const told = new BoundedMap<Hash, Log>(toldMax)

  function eventOf(accountSalt: Hash, routeId: Hash): LogFilter {
    const account = accountAddressOf({ registry, implementation, accountSalt })
    return { address: executors, topics: [routeExecutedTopic, routeId, toTopic(account)] }
  }

  /** A route is carried out on one chain only, so whoever knows the block of its event is a node of that chain. */
  const standing = (log: Log) => confirmedAt(asNumber(log['blockNumber']), asHash(log['blockHash']), true)

  /** The event that a receipt told of a route, where it is of that account and block. */
  function toldOf(accountSalt: Hash, routeId: Hash, block: number): Log | null {
    const log = told.get(routeId)
    const { topics } = eventOf(accountSalt, routeId)
    return log && asNumber(log['blockNumber']) === block && log.topics[2] === topics[2] ? log : null
  }

  async function readIn(accountSalt: Hash, routeId: Hash, block: number): Promise<Log | null> {
    const proof: Proof = (found) => (Array.isArray(found) && found.some((one) => isOf(one, routeId)) ? 'NODE' : null)
    const found = await logs.all(eventOf(accountSalt, routeId), block, block, proof)
    return found.find((one) => isOf(one, routeId) && asNumber(one['blockNumber']) === block) ?? null
  }

  return {
    async routeUsed(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> {
      const data = concatHex([routeUsedSelector, accountSalt, routeId])
      if (asWord(await ask('eth_call', [{ to: registry, data }, toQuantity(block)])) === 0n) return null

      const oldest = Math.max(0, block - Math.ceil((lookBackDays * 86_400) / chainOf(chainId).blockSeconds))
      const log = await logs.newest(eventOf(accountSalt, routeId), oldest, block)
      if (log && (await standing(log)).isConfirmed) return foundIn(log)
      throw new RoutingError('RPC_FAILED', { cause: new Error('A used route has no event in a confirmed block') })
    },

    /**
     * The same by the event of one block alone, once that block is confirmed. That it is not there says nothing. An
     * event that a receipt told is not read again while the chain has its block: the hash of the block at that depth,
     * read with the block that confirms it, tells whether it holds.
     */
    async routeUsedIn(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> {
      const log = toldOf(accountSalt, routeId, block) ?? (await readIn(accountSalt, routeId, block))
      if (!log) return null
      const { block: stands, isConfirmed } = await standing(log)
      if (isConfirmed || stands?.hash !== asHash(log['blockHash'])) told.delete(routeId)
      return isConfirmed ? foundIn(log) : null
    },

    /** Remembers the event of a route among the logs of a receipt. */
    noteEvent(routeId: Hash, receiptLogs: readonly Log[]): void {
      const log = receiptLogs.find(
        (one) => isOf(one, routeId) && executors.some((executor) => sameAddress(executor, asAddress(one['address']))),
      )
      if (log) told.set(routeId, log)
    },
  }
}

function isOf(found: unknown, routeId: Hash): boolean {
  const topics = (found as { topics?: unknown } | null)?.topics
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
