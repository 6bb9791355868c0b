import { type ChainId, chainOf, chains } from '../../domain/chain/chain'
import type { RouteRequest } from '../../ports/aggregator'
import type { CctpFees } from '../../protocols/cctp/answers'
import { type finality, leavesFast } from '../../protocols/cctp/burn'

/** How soon Circle attests a burn: before it is final, for a fee, or once it is final. */
export type Speed = keyof typeof finality

const minute = 60
/**
 * When an attestation is there at the latest on a usual day. Source: developers.circle.com, "Finality and block
 * confirmations": fast in 8 seconds, on Ethereum in 20; otherwise in 8 where blocks are final at once, and in 13 to 19
 * minutes on Ethereum. A rollup's batch reaches Ethereum up to 15 minutes later.
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

/** From the burn to the confirmed mint. Our own confirmation of the burn passes while Circle waits for its own. */
export function secondsOf({ fromChainId, toChainId }: Between, speed: Speed): number {
  const attested = Math.max(attestedAfter(fromChainId, speed), confirmedAfter(fromChainId))
  return Math.ceil(attested + chainOf(toChainId).blockSeconds + confirmedAfter(toChainId))
}

/** The cheaper speed that is soon enough for the policy, which is the standard one unless it takes too long. */
export const speedOf = (request: RouteRequest): Speed =>
  leavesFast(request.fromChainId) && secondsOf(request, 'standard') > request.policy.maxDurationSeconds
    ? 'fast'
    : 'standard'

const bps = 10_000n
const perBps = 1_000_000n
/** Circle advises 10 to 20 percent above the fee of now ("CCTP Fees", "Maximum fee parameter"). */
const marginPercent = 20n

/**
 * Returns the fee of now and the most that Circle may keep. The margin covers a fee that rises before the burn, and is
 * kept only if it does: with less than the fee a fast burn would become a standard one, and a standard one revert. It
 * never exceeds the slippage and the share that the policy allows. Null when the fee of now does, or is unknown.
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

/** A quotient that is rounded up. */
const upOf = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by
