import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import type { DevChain } from '../chains/dev-chain'
import { type Activity, activityOf } from './activity'

type Parameters = {
  fromBlock?: string
  toBlock?: string
  toAddress?: string
  fromAddress?: string
  category?: string[]
  maxCount?: string
  pageKey?: string
}

const countMax = 1_000
const activitiesMax = 200_000

/** Answers `alchemy_getAssetTransfers` as Alchemy's nodes do. */
export class AssetTransfers {
  private readonly activities = new Map<ChainKey, Activity[]>()

  follow(chain: DevChain): void {
    const moved: Activity[] = []
    this.activities.set(chain.key, moved)
    chain.watch.onBlock((block) => {
      const number = BigInt(block.header.number)
      // If a block with this number exists already, the chain was reorganized.
      while (moved.length > 0 && BigInt(moved.at(-1)!.blockNum) >= number) moved.pop()
      moved.push(...activityOf(chain, block))
      if (moved.length > activitiesMax) moved.splice(0, moved.length - activitiesMax / 2)
    })
  }

  /** The response to a JSON-RPC request at the node of a host, or null if there is no such node. */
  answer(host: string, request: { id?: unknown; method?: unknown; params?: unknown }): object | null {
    const key = chainKeys.find((each) => chains[each].alchemyHost === host)
    const moved = key && this.activities.get(key)
    if (!moved) return null
    const head = { jsonrpc: '2.0', id: request.id ?? null }
    if (request.method === 'eth_chainId') return { ...head, result: `0x${chains[key].id.toString(16)}` }
    if (request.method !== 'alchemy_getAssetTransfers')
      return { ...head, error: { code: -32601, message: 'Method not found' } }
    const parameters = ((request.params as unknown[] | undefined)?.[0] ?? {}) as Parameters
    if (key === 'avalanche' && parameters.category?.includes('internal'))
      return { ...head, error: { code: -32602, message: "'internal' category is not supported for this network" } }
    return { ...head, result: transfersIn(moved, parameters) }
  }
}

function transfersIn(moved: readonly Activity[], query: Parameters) {
  const from = BigInt(query.fromBlock ?? '0x0')
  const to = query.toBlock && /^0x/.test(query.toBlock) ? BigInt(query.toBlock) : null
  const kinds = new Set(query.category ?? [])
  const all = moved.filter(
    ({ blockNum, category, toAddress, fromAddress, rawContract }) =>
      BigInt(blockNum) >= from &&
      (to === null || BigInt(blockNum) <= to) &&
      kinds.has(category === 'token' ? 'erc20' : category) &&
      (!query.toAddress || query.toAddress.toLowerCase() === toAddress) &&
      (!query.fromAddress || query.fromAddress.toLowerCase() === fromAddress) &&
      (category === 'erc721' || BigInt(rawContract.rawValue) > 0n),
  )
  const start = Number(query.pageKey ?? 0)
  const end = start + Math.min(Number(query.maxCount ?? countMax), countMax)
  return { transfers: all.slice(start, end).map(transfer), ...(end < all.length && { pageKey: `${end}` }) }
}

const transfer = ({ blockNum, hash, fromAddress, toAddress, value, asset, category, ...about }: Activity) => ({
  blockNum,
  uniqueId: about.log ? `${hash}:log:${Number(about.log.logIndex)}` : `${hash}:${category}`,
  hash,
  from: fromAddress,
  to: toAddress,
  value,
  erc721TokenId: about.erc721TokenId,
  erc1155Metadata: null,
  tokenId: about.erc721TokenId,
  asset,
  category: category === 'token' ? 'erc20' : category,
  rawContract: {
    value: about.rawContract.rawValue,
    address: about.rawContract.address,
    decimal: `0x${about.rawContract.decimals.toString(16)}`,
  },
})
