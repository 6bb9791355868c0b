import type { ChainKey } from '../domain/chain/chain'

/** The number of requests to the nodes of one chain on one day, by method. */
type NodeRequestsOfChain = { chain: ChainKey; methods: Record<string, number> }

/** Counts the requests of all processes to the nodes of each chain, by UTC day. */
export interface NodeRequests {
  add(date: string, chain: ChainKey, counts: Record<string, number>): Promise<void>
  on(date: string): Promise<NodeRequestsOfChain[]>
}
