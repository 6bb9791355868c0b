import type { ChainId, ChainKey } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { NodeRequests } from '../../ports/chain-client'

/** Balances of the keys that pay gas; null for a chain that cannot be read. */
export type RelayerBalance = { chainId: ChainId; address: Address; balanceWei: bigint | null }

export type RelayerBalances = () => Promise<RelayerBalance[]>

/** The counted requests to the chains' nodes, and the daily budget of each chain. */
export type NodesBill = {
  requests: Pick<NodeRequests, 'on'>
  budgets: Readonly<Record<ChainKey, number | null>>
}
