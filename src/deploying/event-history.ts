import { asBytes, asList, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import { meaningIn, refusalIn, rpcError } from '../adapters/evm/rpc/error'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import type { Address, Hash, Hex } from '../domain/chain/hex'

/**
 * Smallest range of blocks and largest number of requests. A node that takes fewer blocks per request would need too
 * many requests.
 */
const [rangeLeast, requestsMax] = [1_000, 2_000]

/** The node's range of blocks is too small to read the whole history. */
export class EventsUnread extends Error {
  override name = 'EventsUnread'
}

export type PastEvent = { address: Address; topics: Hash[]; data: Hex; block: number }

/** A rate limit, or a request that never reached a node, reveals nothing about the possible range of blocks. */
const isTooMuch = (error: unknown): boolean => refusalIn(error) !== null && meaningIn(error) !== 'RATE_LIMITED'
const isTooSlow = (error: unknown): boolean => rpcError(error).code === 'RPC_TIMEOUT'

/**
 * Reads every event of these kinds that the contracts emitted in these blocks, oldest first, in the longest ranges that
 * the node returns within its time. Any other failure is rethrown.
 *
 * @throws {EventsUnread} if the node does not return the history.
 */
export async function pastEvents(
  ask: Ask,
  address: readonly Address[],
  kinds: readonly Hash[],
  { first = 0, last }: { first?: number; last: number },
): Promise<PastEvent[]> {
  const filter = { address, topics: [kinds] }
  const events: PastEvent[] = []
  const whole = last - first + 1
  let range = whole
  let trouble: unknown = new EventsUnread()
  for (let from = first, requests = 0; from <= last; requests++) {
    if (range < Math.min(rangeLeast, whole) || requests >= requestsMax || (last - from) / range > requestsMax)
      throw trouble
    const bounds = { fromBlock: toQuantity(from), toBlock: toQuantity(Math.min(last, from + range - 1)) }
    const logs = await ask('eth_getLogs', [{ ...filter, ...bounds }]).then(asList, (error) => {
      if (!isTooMuch(error) && !isTooSlow(error)) throw error
      trouble = isTooSlow(error) ? error : new EventsUnread()
      return null
    })
    if (logs) {
      events.push(...logs.map(eventOf))
      from += range
    } else range = Math.floor(range / 4)
  }
  return events
}

/** The first block at or after a time in seconds, up to `last`; or `last`. */
export async function blockSince(ask: Ask, time: number, last: number): Promise<number> {
  let [low, high] = [0, last]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { timestamp } = asObject(await ask('eth_getBlockByNumber', [toQuantity(middle), false]))
    if (asNumber(timestamp) < time) low = middle + 1
    else high = middle
  }
  return low
}

function eventOf(log: unknown): PastEvent {
  const { address, topics, data, blockNumber } = asObject(log)
  return {
    address: address as Address,
    topics: asList(topics) as Hash[],
    data: asBytes(data),
    block: asNumber(blockNumber),
  }
}
