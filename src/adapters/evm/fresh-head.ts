import { believedTime } from '../../domain/chain/block-time'
import { chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { TemporarilyUnavailable } from '../../domain/unavailable'
import type { Block, ChainClient } from '../../ports/chain-client'

const lookMs = 1_000

/**
 * Reads the head of a chain while the chain advances. A head is stale if it is old by its own timestamp, or has not
 * changed for as long. A stale head proves nothing. The returned time is never later than our clock allows.
 *
 * @throws {TemporarilyUnavailable} if the head is stale.
 */
export function freshHead(chain: Pick<ChainClient, 'chainId' | 'head'>, staleMs: number, now: () => number) {
  let last = { hash: '', at: 0 }
  return async (): Promise<Block> => {
    const head = await chain.head()
    const at = now()
    if (head.hash !== last.hash) last = { hash: head.hash, at }
    const age = at - Math.min(last.at, (head.time + 1) * 1_000) // its time is in whole seconds
    if (age <= staleMs) return { ...head, time: believedTime(head.time, at) }
    const cause = new Error(`No block after ${head.number} for ${age} ms`)
    throw new TemporarilyUnavailable(chainOf(chain.chainId).name, lookMs, 'NODE', { cause })
  }
}

/**
 * Whether an address has a contract. A node that shows one is trusted. A node that shows none is trusted only if its
 * head advances, because a lagging node may not have the block that created the contract.
 *
 * @throws {TemporarilyUnavailable} if the node shows none and its head is stale.
 */
export function codeAt(chain: Pick<ChainClient, 'isDeployed'>, freshHead: () => Promise<Block>) {
  return async (address: Address): Promise<boolean> => {
    if (await chain.isDeployed(address)) return true
    await freshHead()
    return false
  }
}
