import { zeroAddress } from '../../domain/chain/hex'
import type { Fee } from '../../domain/chain/relayer'
import type { Execution } from '../../domain/execution/execution'
import { mintGasOf } from '../../domain/execution/provider'
import type { Chains } from '../../ports/chain-client'
import type { Prices } from '../../ports/prices'

type Ports = { chains: Chains; quoting: { prices: Pick<Prices, 'usd'> } }

/** What the next block asks for a unit of gas: a fee's cap is twice its base fee, and the tip. */
export const weiPerGasOf = ({ feeCap, tip }: Fee): bigint => (feeCap + tip) / 2n

/**
 * Returns what it costs to mint on the destination chain what a route burns, in wei of the source chain, rounded up; 0
 * where the provider delivers.
 */
export async function mintCostWei({ deposit, facts }: Execution, { chains, quoting }: Ports): Promise<bigint> {
  const gas = mintGasOf(facts.route!.provider)
  if (gas === 0n) return 0n
  const { targetChainId } = facts.intent!
  const [fee, usdThere, usdHere] = await Promise.all([
    chains[targetChainId].fee(),
    quoting.prices.usd(targetChainId, zeroAddress),
    quoting.prices.usd(deposit.chainId, zeroAddress),
  ])
  return (gas * weiPerGasOf(fee) * usdThere + usdHere - 1n) / usdHere
}
