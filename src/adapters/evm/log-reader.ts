import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { type Log, logOf } from './logs'
import { asList, asNumber, toQuantity } from './rpc/answers'
import { meaningIn } from './rpc/error'
import type { Ask, Proof } from './rpc/json-rpc'

/** A filter without addresses matches any contract. A topic can be a list of alternatives. */
export type LogFilter = { address?: readonly Address[]; topics: readonly (Hash | readonly Hash[] | null)[] }

/** Reads logs in ranges that the nodes accept. */
export type LogReader = ReturnType<typeof logReader>

/** geth and coreth refuse a filter with more addresses. */
const addressesMax = 1_000

/**
 * Reads logs over any number of blocks. It learns how many blocks fit into one request and remembers the number. A
 * range that a node refuses as too long is halved. Every other failure is thrown.
 *
 * @throws {RoutingError} An RPC_ code.
 */
export function logReader(ask: Ask) {
  const range = learnedRange(() => performance.now())

  /** A failure that a long range may have caused shrinks the next request of every caller. */
  function learn(error: unknown, length: number): void {
    const meaning = meaningIn(error)
    const code = error instanceof RoutingError ? error.code : null
    if (meaning === 'RANGE_TOO_LONG' || code === 'RPC_TIMEOUT') range.refused(length)
    else if (code === 'RPC_FAILED' && meaning !== 'RANGE_AHEAD') range.failed(length)
  }

  /** Returns null if the range is too long. */
  async function tried(filter: LogFilter, from: number, to: number, proof?: Proof): Promise<Log[] | null> {
    const length = to - from + 1
    try {
      const logs = await inBlocks(ask, filter, from, to, proof)
      range.worked(length)
      return logs
    } catch (error) {
      learn(error, length)
      if (meaningIn(error) === 'RANGE_TOO_LONG' && length > 1) return null
      throw error
    }
  }

  return {
    /** Returns all logs of a range, both ends included, oldest first. */
    async all(filter: LogFilter, fromBlock: number, toBlock: number, proof?: Proof): Promise<Log[]> {
      const pages: Log[][] = []
      for (let from = fromBlock; from <= toBlock; ) {
        const to = Math.min(toBlock, from + range.blocks - 1)
        const logs = await tried(filter, from, to, proof)
        if (!logs) continue
        pages.push(logs)
        from = to + 1
      }
      return pages.flat()
    },

    /** Returns the newest log of a range, searched from its end, or null if there is none. */
    async newest(filter: LogFilter, fromBlock: number, toBlock: number): Promise<Log | null> {
      for (let to = toBlock; to >= fromBlock; ) {
        const from = Math.max(fromBlock, to - range.blocks + 1)
        const logs = await tried(filter, from, to)
        if (!logs) continue
        if (logs.length > 0) return logs.at(-1)!
        to = from - 1
      }
      return null
    },
  }
}

/** Returns the logs of a range, both ends included, oldest first. */
async function inBlocks(ask: Ask, filter: LogFilter, from: number, to: number, proof?: Proof): Promise<Log[]> {
  const bounds = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
  const parts: Log[][] = []
  if (!filter.address) return asList(await ask('eth_getLogs', [{ ...filter, ...bounds }], proof)).map(logOf)
  for (let n = 0; n < filter.address.length; n += addressesMax) {
    const address = filter.address.slice(n, n + addressesMax)
    parts.push(asList(await ask('eth_getLogs', [{ ...filter, address, ...bounds }], proof)).map(logOf))
  }
  return parts.length === 1 ? parts[0]! : parts.flat().sort(byPlace)
}

const byPlace = (one: Log, other: Log): number =>
  asNumber(one['blockNumber']) - asNumber(other['blockNumber']) ||
  asNumber(one['logIndex']) - asNumber(other['logIndex'])

const blocksFirst = 2_000
const blocksMax = 64_000
/**
 * Time after which a refusal is forgotten, in milliseconds. Other blocks may hold fewer logs, and the plan may have
 * changed.
 */
const forgottenAfterMs = 10 * 60_000

/**
 * Learns how many blocks one request may cover. A refused length is halved, and a length that works grows. The search
 * runs between the longest that worked and the shortest that was refused, so a fixed limit costs only a few refusals.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export function learnedRange(now: () => number) {
  const none = { length: Number.POSITIVE_INFINITY, at: 0 }
  let blocks = blocksFirst
  let works = 0
  let refused = none

  const between = (): number =>
    Math.max(1, Math.min(blocksMax, Math.floor(refused === none ? 2 * works : (works + refused.length) / 2)))

  return {
    get blocks() {
      return blocks
    },
    worked(length: number): void {
      if (length < blocks) return // it proves nothing about longer ranges
      if (now() - refused.at > forgottenAfterMs || refused.length <= length) refused = none
      works = length
      blocks = between()
    },
    refused(length: number): void {
      refused = { length, at: now() }
      if (works >= length) works = 0
      blocks = between()
    },
    /** The cause is unknown, and the range may have been too long. */
    failed(length: number): void {
      blocks = Math.min(blocks, Math.max(1, Math.floor(length / 2)))
    },
  }
}
