import type { ChainId } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import type { Chains, SecondNode } from '../../ports/chain-client'
import type { Prices } from '../../ports/prices'

/**
 * Returns a second node of a chain (by default the deposit's), if there is one and the value of the moved money
 * requires it; null otherwise.
 */
export type QuorumCheck = (execution: Pick<Execution, 'deposit' | 'facts'>, of?: ChainId) => Promise<SecondNode | null>

/**
 * A large amount needs two nodes that agree. An amount without a price counts as large. A leftover that the deposit
 * includes counts with it.
 */
export const quorumCheck =
  (chains: Chains, prices: Pick<Prices, 'usd'>, quorumUsd: bigint): QuorumCheck =>
  async ({ deposit: { chainId, token, amountRaw, decimals }, facts: { balance } }, of = chainId) => {
    const { second } = chains[of]
    if (!second) return null
    const usd = await prices.usd(chainId, token).catch(() => null)
    const [ownRaw, movedRaw] = [amountOf(amountRaw), amountOf(balance?.totalReceivedRaw ?? '0')]
    const mostRaw = ownRaw > movedRaw ? ownRaw : movedRaw
    const isLarge = usd === null || decimals === null || mostRaw * usd >= quorumUsd * 10n ** BigInt(decimals)
    return isLarge ? second : null
  }
