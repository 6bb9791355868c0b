import { type ChainId, chainOf, chains } from '../../domain/chain/chain'
import type { RouteRequest } from '../../ports/gate'
import type { CctpFees } from '../../protocols/cctp/answers'
import { type finality, leavesFast } from '../../protocols/cctp/burn'

/** When Circle attests a burn: `fast` before the burn is final, for a fee, or `standard` once it is final. */
export type Speed = keyof typeof finality

const minute = 60
/**
 * Returns the seconds within which Circle attests a burn on a usual day. Source: developers.circle.com, "Finality and
 * block confirmations". Fast transfers take 8 seconds, and 20 on Ethereum. Standard transfers take 8 seconds on chains
 * with instant finality, and 13 to 19 minutes on Ethereum. A rollup's batch reaches Ethereum up to 15 minutes later.
 */
function attestedAfter(chainId: ChainId, speed: Speed): number {
  const isEthereum = chainId === chains.ethereum.id
  if (speed === 'fast' || !leavesFast(chainId)) return isEthereum ? 20 : 8
  return isEthereum ? 19 * minute : (19 + 15) * minute
}

const confirmedAfter = (chainId: ChainId): number => {
  const { confirmations, blockSeconds } = chainOf(chainId)
  return confirmations * blockSeconds
}

type Between = Pick<RouteRequest, 'fromChainId' | 'toChainId'>

/**
 * Returns the seconds from the burn to the confirmed mint. Our own confirmation of the burn runs during Circle's wait.
 */
export function secondsOf({ fromChainId, toChainId }: Between, speed: Speed): number {
  const attested = Math.max(attestedAfter(fromChainId, speed), confirmedAfter(fromChainId))
  return Math.ceil(attested + chainOf(toChainId).blockSeconds + confirmedAfter(toChainId))
}

/**
 * Returns `standard`, which is cheaper, unless it takes longer than the policy allows and a fast transfer is possible.
 */
export const speedOf = (request: RouteRequest): Speed =>
  leavesFast(request.fromChainId) && secondsOf(request, 'standard') > request.policy.maxDurationSeconds
    ? 'fast'
    : 'standard'

const bps = 10_000n
const perBps = 1_000_000n
/** Circle advises 10 to 20 percent above the current fee ("CCTP Fees", "Maximum fee parameter"). */
const marginPercent = 20n

/**
 * Returns the current fee and the most that Circle may keep. The margin covers a fee that rises before the burn, and
 * Circle keeps it only in that case. If the maximum is below the fee, Circle treats a fast burn as a standard burn, and
 * a standard burn reverts. `maxFee` never exceeds the policy's slippage or its minimum output. Returns null if the
 * current fee exceeds them or is missing.
 */
export function termsOf(
  { amountIn, policy }: Pick<RouteRequest, 'amountIn' | 'policy'>,
  said: CctpFees[number] | undefined,
): { fee: bigint; maxFee: bigint; slippageBps: number } | null {
  if (!said) return null
  const fee = upOf(amountIn * BigInt(Math.round(said.minimumFee * Number(perBps))), bps * perBps)
  const expected = amountIn - fee
  const leastOut = upOf(amountIn * BigInt(policy.minOutputBps), bps)
  const mostBySlippage = fee + (expected * BigInt(policy.slippageBps)) / bps
  const most = [amountIn - leastOut, mostBySlippage, amountIn - 1n].reduce((one, other) => (one < other ? one : other))
  if (fee > most) return null
  const wanted = fee + upOf(fee * marginPercent, 100n)
  const maxFee = wanted < most ? wanted : most
  return { fee, maxFee, slippageBps: Number(((maxFee - fee) * bps) / expected) }
}

/** Divides, rounding up. */
const upOf = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by
