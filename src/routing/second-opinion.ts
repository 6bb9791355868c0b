import { amountOf } from '../domain/amount'
import type { Execution } from '../domain/execution'
import type { Chains, SecondNode } from '../ports/chain-client'
import type { Prices } from '../ports/prices'

/** Another node, where the value of a deposit asks for one and there is one. */
export type SecondOpinion = (execution: Pick<Execution, 'deposit'>) => Promise<SecondNode | null>

/** What is worth more than this is believed when two nodes say the same. What cannot be priced is worth more. */
export const secondOpinion =
  (chains: Chains, prices: Prices, quorumUsd: bigint): SecondOpinion =>
  async ({ deposit: { chainId, token, amountRaw, decimals } }) => {
    const { second } = chains[chainId]
    if (!second) return null
    const usd = await prices.usd(chainId, token).catch(() => null)
    const isLarge =
      usd === null || decimals === null || amountOf(amountRaw) * usd >= quorumUsd * 10n ** BigInt(decimals)
    return isLarge ? second : null
  }
