import { concatHex, decodeEventLog, getAbiItem, toEventSelector, toFunctionSelector } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { BoundedMap } from '../../domain/bounded-map'
import { accountAddressOf, implementationAddressOf } from '../../domain/chain/account'
import { type ChainId, chainOf } from '../../domain/chain/chain'
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
const logsMax = 1_000

/** Computed once, because viem would look up and hash them again for each call. */
const routeUsedSelector = toFunctionSelector(getAbiItem({ abi: accountRegistryAbi, name: 'routeUsed' }))
export const routeExecuted = getAbiItem({ abi: routeExecutorAbi, name: 'RouteExecuted' })
const routeExecutedTopic: Hash = toEventSelector(routeExecuted)

/**
 * Reads whether a route was used as of a block, and in which transaction. The registry's flag decides. The event, which
 * may be many blocks back, only identifies the transaction, and counts only if its block is the block at that depth.
 * The account's address follows from its salt.
 */
export function routeUse(
  ask: Ask,
  logs: LogReader,
  { chainId, registry, executors }: Contracts,
  { confirmedAt }: Pick<ReturnType<typeof heads>, 'confirmedAt'>,
) {
  const implementation = implementationAddressOf(registry)
  /** Events of routes, from receipts. Each counts only after its block was read at its depth. */
  const logCache = new BoundedMap<Hash, Log>(logsMax)

  function eventOf(accountSalt: Hash, routeId: Hash): LogFilter {
    const account = accountAddressOf({ registry, implementation, accountSalt })
    return { address: executors, topics: [routeExecutedTopic, routeId, toTopic(account)] }
  }

  /** A route executes on one chain only, so a node that has the block of its event is a node of that chain. */
  const confirmationOf = (log: Log) => confirmedAt(asNumber(log['blockNumber']), asHash(log['blockHash']), true)

  /** Returns a route's event from a receipt, if it belongs to that account and block. */
  function fromReceipt(accountSalt: Hash, routeId: Hash, block: number): Log | null {
    const log = logCache.get(routeId)
    const { topics } = eventOf(accountSalt, routeId)
    return log && asNumber(log['blockNumber']) === block && log.topics[2] === topics[2] ? log : null
  }

  async function readIn(accountSalt: Hash, routeId: Hash, block: number): Promise<Log | null> {
    const proof: Proof = (response) =>
      Array.isArray(response) && response.some((one) => isOf(one, routeId)) ? 'NODE' : null
    const matches = await logs.all(eventOf(accountSalt, routeId), block, block, proof)
    return matches.find((one) => isOf(one, routeId) && asNumber(one['blockNumber']) === block) ?? null
  }

  return {
    async routeUsed(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> {
      const data = concatHex([routeUsedSelector, accountSalt, routeId])
      if (asWord(await ask('eth_call', [{ to: registry, data }, toQuantity(block)])) === 0n) return null

      const oldest = Math.max(0, block - Math.ceil((lookBackDays * 86_400) / chainOf(chainId).blockSeconds))
      const log = await logs.newest(eventOf(accountSalt, routeId), oldest, block)
      if (log && (await confirmationOf(log)).isConfirmed) return routeUseIn(log)
      throw new RoutingError('RPC_FAILED', { cause: new Error('A used route has no event in a confirmed block') })
    },

    /**
     * Like `routeUsed`, from the event of one block alone, once that block is confirmed. A missing event proves
     * nothing. An event from a receipt is not read again while the chain has its block. The hash of the block at that
     * depth, read with the block that confirms it, shows whether the event holds.
     */
    async routeUsedIn(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null> {
      const log = fromReceipt(accountSalt, routeId, block) ?? (await readIn(accountSalt, routeId, block))
      if (!log) return null
      const { block: stands, isConfirmed } = await confirmationOf(log)
      if (isConfirmed || stands?.hash !== asHash(log['blockHash'])) logCache.delete(routeId)
      return isConfirmed ? routeUseIn(log) : null
    },

    /** Remembers a route's event from the logs of a receipt. */
    noteEvent(routeId: Hash, receiptLogs: readonly Log[]): void {
      const log = receiptLogs.find(
        (one) => isOf(one, routeId) && executors.some((executor) => sameAddress(executor, asAddress(one['address']))),
      )
      if (log) logCache.set(routeId, log)
    },
  }
}

function isOf(log: unknown, routeId: Hash): boolean {
  const topics = (log as { topics?: unknown } | null)?.topics
  return Array.isArray(topics) && topics[0] === routeExecutedTopic && topics[1] === routeId
}

function routeUseIn(log: Log): RouteUse {
  const { args } = decodeEventLog({
    abi: [routeExecuted],
    data: asBytes(log['data']),
    topics: log.topics.map(asHash) as [Hash, ...Hash[]],
  })
  return { hash: asHash(log['transactionHash']), block: asNumber(log['blockNumber']), spentRaw: args.spent }
}
