import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import { type } from '../../domain/schema'
import type { Pointer } from '../../domain/wake-messages'

const activitiesMax = 10_000
/**
 * The sender retries for a day. An older webhook was replayed by somebody, and the scanner has found everything in it.
 */
const replayMaxMs = 25 * 3_600_000

// Only what points to a transaction is described here. Amounts and tokens are never read from a webhook.
const hash = type(/^0x[0-9a-fA-F]{64}$/)
const activity = type({
  'hash?': hash.or('null'),
  'category?': 'string <= 32 | null',
  'log?': type({ 'transactionHash?': hash.or('null') }).or('null'),
})
type Activity = typeof activity.infer
const delivery = type({
  type: 'string <= 64',
  'createdAt?': 'string <= 64',
  event: { 'network?': 'string <= 64', 'error?': 'string <= 1000' },
})
export const addressActivity = type({
  type: "'ADDRESS_ACTIVITY'",
  'createdAt?': 'string <= 64',
  event: { network: 'string <= 64', activity: type('unknown[]').atMostLength(activitiesMax) },
})

/** `NOTICE`: the sender reports something about itself. `UNKNOWN`: well-formed, but too old or with nothing for us. */
export type WebhookRead =
  | { kind: 'POINTERS'; chainId: ChainId; pointers: Pointer[] }
  | { kind: 'NOTICE'; message: string }
  | { kind: 'UNKNOWN' }
  | { kind: 'MALFORMED' }

/** Both spellings are in use: `MATIC_MAINNET` and `MATICMAINNET`. */
const spelled = (network: string): string => network.toUpperCase().replaceAll('_', '')
const networks = new Map<string, ChainId>(chainIds.map((id) => [spelled(chainOf(id).alchemyNetwork), id]))
export const chainOfNetwork = (network: string): ChainId | undefined => networks.get(spelled(network))
const isNft = (category: string | null | undefined): boolean => category === 'erc721' || category === 'erc1155'

/**
 * Reads the pointers in a webhook's body: on which chain and in which transactions something happened, and nothing
 * more.
 */
export function readWebhook(body: unknown, seenAt: number): WebhookRead {
  const said = delivery(body)
  if (said instanceof type.errors) return { kind: 'MALFORMED' }
  if (said.event.error !== undefined) return { kind: 'NOTICE', message: said.event.error }
  const sentAt = Date.parse(said.createdAt ?? '')
  if (said.type !== 'ADDRESS_ACTIVITY' || seenAt - sentAt > replayMaxMs) return { kind: 'UNKNOWN' }
  const read = addressActivity(body)
  if (read instanceof type.errors) return { kind: 'MALFORMED' }
  const chainId = chainOfNetwork(read.event.network)
  if (chainId === undefined) return { kind: 'UNKNOWN' }
  // An item that cannot be read does not affect the others. If none can be read, it is another format.
  const items = read.event.activity.map((item) => activity(item))
  const readable = items.filter((item): item is Activity => !(item instanceof type.errors))
  if (items.length > 0 && readable.length === 0) return { kind: 'MALFORMED' }
  const named = readable
    .filter(({ category }) => !isNft(category))
    .map((item) => item.hash ?? item.log?.transactionHash)
  const hashes = new Set(named.flatMap((found) => (found ? [found.toLowerCase() as Hash] : [])))
  return { kind: 'POINTERS', chainId, pointers: [...hashes].map((txHash) => ({ chainId, txHash, seenAt })) }
}
