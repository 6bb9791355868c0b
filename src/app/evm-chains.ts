import { type EvmChain, evmChain } from '../adapters/evm/chain-client'
import { codeAt, freshHead, headSharedMs } from '../adapters/evm/heads'
import { newHeads } from '../adapters/evm/rpc/new-heads'
import { halfBlock } from '../detection/pace'
import { type ChainId, type ChainKey, chainOf, perChain } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import { chainWithBreakers } from '../nodes/chain-breakers'
import { type NodeFailureRecord, nodeFailures } from '../nodes/node-failures'
import type { Block, Chains } from '../ports/chain-client'
import type { Telemetry } from '../ports/observing'
import type { Records } from '../ports/records'

type Config = Pick<EvmChain, 'registry' | 'executor' | 'recoveryExecutor' | 'formerExecutors' | 'lens'> & {
  confirmations: Record<ChainKey, number>
  headStaleMs: number
  chainPollMs: number | null
}
type ChainContext = {
  now: () => number
  onFailure: (what: string, error: unknown) => void
  /** Node failures seen by all processes. */
  store: { nodeTroubles: Records<NodeFailureRecord> }
  telemetry: Telemetry
}

type Heads = Pick<ChainContext, 'telemetry'> & {
  onTrouble: (key: ChainKey, error: unknown) => void
  onRecovered: (key: ChainKey) => void
}

/** Returns the new heads that each chain's nodes push; null for a chain without such a node. */
export function pushedHeads(urls: Record<ChainKey, readonly string[]>, { telemetry, onTrouble, onRecovered }: Heads) {
  const heads = perChain((chainId, key) =>
    urls[key].length === 0
      ? null
      : newHeads({
          chainId,
          urls: urls[key],
          telemetry,
          onTrouble: (error) => onTrouble(key, error),
          onRecovered: () => onRecovered(key),
        }),
  )
  return (id: ChainId): (typeof heads)[ChainId] => heads[id]
}

/**
 * Builds the chain clients: the plain ones for detection, those with circuit breakers for executions, and their heads
 * while they advance.
 */
export function evmChains(
  config: Config,
  rpcUrls: Record<ChainKey, readonly string[]>,
  { now, onFailure, store, telemetry }: ChainContext,
) {
  const sharedMs = (id: ChainId) => (config.chainPollMs === null ? halfBlock(id) : headSharedMs)
  const chains: Chains = perChain((chainId, key) =>
    evmChain({
      ...config,
      chainId,
      rpcUrls: rpcUrls[key],
      confirmations: config.confirmations[key],
      sharedMs: sharedMs(chainId),
      blockMs: config.chainPollMs === null ? chainOf(chainId).blockSeconds * 1_000 : 0,
      now,
      telemetry,
    }),
  )
  const failures = nodeFailures({ records: store.nodeTroubles, now })
  const withBreakers: Chains = perChain((id) => chainWithBreakers(chains[id], onFailure, failures))
  const heads = perChain((id) => freshHead(withBreakers[id], config.headStaleMs, now))
  const code = perChain((id) => codeAt(withBreakers[id], heads[id]))
  return {
    chains,
    withBreakers,
    /** Whether a call from this process to the chain's nodes failed recently. */
    hasFailed: (id: ChainId): boolean => failures.hasFailedHere(chainOf(id).name),
    freshHead: (id: ChainId): Promise<Block> => heads[id](),
    hasCode: (id: ChainId, address: Address): Promise<boolean> => code[id](address),
  }
}
