import { asBytes, asList, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import type { Address, Hash, Hex } from '../domain/chain/hex'

/** A node that takes fewer blocks at once would be asked too often, and more requests than this are not made. */
const [rangeLeast, requestsMax] = [1_000, 2_000]

/** The node reads too few blocks at once for the whole history to be read. */
export class EventsUnread extends Error {
  override name = 'EventsUnread'
}

export type PastEvent = { address: Address; topics: Hash[]; data: Hex; block: number }

/**
 * Reads every event of these kinds that the contracts ever told, oldest first, in the longest ranges that the node
 * takes.
 *
 * @throws {EventsUnread} when the node does not let the history be read.
 */
export async function pastEvents(
  ask: Ask,
  address: readonly Address[],
  kinds: readonly Hash[],
  last: number,
): Promise<PastEvent[]> {
  const filter = { address, topics: [kinds] }
  const found: PastEvent[] = []
  let range = last + 1
  for (let from = 0, requests = 0; from <= last; requests++) {
    if (range < Math.min(rangeLeast, last + 1) || requests >= requestsMax || (last - from) / range > requestsMax)
      throw new EventsUnread()
    const bounds = { fromBlock: toQuantity(from), toBlock: toQuantity(Math.min(last, from + range - 1)) }
    const logs = await ask('eth_getLogs', [{ ...filter, ...bounds }]).then(asList, () => null)
    if (logs) {
      found.push(...logs.map(eventOf))
      from += range
    } else range = Math.floor(range / 4)
  }
  return found
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
