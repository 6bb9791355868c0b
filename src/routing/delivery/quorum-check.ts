import type { ChainId } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import type { Chains, SecondNode } from '../../ports/chain-client'
import type { Prices } from '../../ports/prices'

/**
 * Returns a second node of a chain (by default the deposit's own) when the value of the deposit asks for one and there
 * is one; null otherwise.
 */
export type QuorumCheck = (execution: Pick<Execution, 'deposit'>, of?: ChainId) => Promise<SecondNode | null>

/** Large deposits are believed when two nodes say the same. A deposit that cannot be priced counts as large. */
export const quorumCheck =
  (chains: Chains, prices: Pick<Prices, 'usd'>, quorumUsd: bigint): QuorumCheck =>
  async ({ deposit: { chainId, token, amountRaw, decimals } }, of = chainId) => {
    const { second } = chains[of]
    if (!second) return null
    const usd = await prices.usd(chainId, token).catch(() => null)
    const isLarge =
      usd === null || decimals === null || amountOf(amountRaw) * usd >= quorumUsd * 10n ** BigInt(decimals)
    return isLarge ? second : null
  }
