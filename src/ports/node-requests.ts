import type { ChainKey } from '../domain/chain/chain'

/** How often the nodes of one chain were asked on one day, by method. */
type NodeRequestsOfChain = { chain: ChainKey; methods: Record<string, number> }

/** Counts the requests of all processes to the nodes of each chain, by the days of UTC. */
export interface NodeRequests {
  add(date: string, chain: ChainKey, counts: Record<string, number>): Promise<void>
  on(date: string): Promise<NodeRequestsOfChain[]>
}
