import type { ChainId } from '../chain/chain'
import { type Address, zeroAddress } from '../chain/hex'
import { amountOf } from './amount'
import { assetOf } from './token'

/** Price of one whole token according to one source, in USD with 8 decimals. */
export type PriceOpinion = { source: string; usd: bigint }

/**
 * Amount of one token given for an amount of another. The output's value must be at least `shareBps` of the input's.
 */
export type Exchange = {
  fromChainId: ChainId
  fromToken: Address
  amountIn: bigint
  toChainId: ChainId
  toToken: Address
  amountOut: bigint
  /** Required share in basis points. */
  shareBps: number
  /** Provider that made the offer. Its own price does not confirm the offer. Null without an offer. */
  quotedBy: string | null
}

/**
 * UNPRICED: one of the two tokens has fewer than two price sources. UNCLEAR: the prices contradict each other, or the
 * result is too close to decide.
 */
export type Verdict = 'ENOUGH' | 'POOR' | 'UNPRICED' | 'UNCLEAR'

export type Side = { decimals: number | null; said: readonly PriceOpinion[] }
export type Offer = { provider: string; amountOutMin: bigint; amountOutExpected: bigint }

const whole = 10_000n
/** Two prices that differ by less than this confirm each other, in basis points. */
const deviationBps = 500n

const isNear = (one: bigint, other: bigint): boolean => {
  const [low, high] = one < other ? [one, other] : [other, one]
  return (high - low) * whole <= low * deviationBps
}

/**
 * Returns the prices that another source confirms. A single source's price is never used, however well known the
 * source.
 */
export const confirmed = (priceOpinions: readonly PriceOpinion[]): readonly PriceOpinion[] =>
  priceOpinions.filter(
    (one) => one.usd > 0n && priceOpinions.some((other) => other.source !== one.source && isNear(one.usd, other.usd)),
  )

/**
 * Decides by amounts whether an exchange's output has the required share of its input's value. The guaranteed minimum
 * is compared with the amount that enters the route after fees; fees have their own limits. Tokens of the same asset
 * need no price. Returns null if the assets differ.
 *
 * Small deposits are no exception, although a bridge costs nearly the same for any amount. Recorded quotes guarantee
 * 99.2 % of 0.15 USDC from Base to Arbitrum and 99.4 % of 10 USDC to Ethereum. They guarantee only 88 % of 0.0002 ETH
 * to Ethereum and 19 % of half a dollar there. A provider could keep an allowance in USD from every deposit, and all of
 * a small one. A deposit that costs more than the policy's share therefore stays in the account until more arrives. An
 * organization that wants small deposits routed at any price lowers `minOutputBps` in its policy.
 */
export function verdictByAmount({ fromChainId, fromToken, toChainId, toToken, ...amounts }: Exchange): Verdict | null {
  const [paid, received] = [assetOf(fromChainId, fromToken), assetOf(toChainId, toToken)]
  if (!paid || !received || paid.name !== received.name) return null
  const atPar = { usdIn: 1n, usdOut: 1n, decimalsIn: paid.decimals, decimalsOut: received.decimals }
  return isEnough(amounts, atPar) ? 'ENOUGH' : 'POOR'
}

/**
 * Decides by prices if the two tokens are different assets.
 *
 * - ENOUGH: the offer passes at the least favourable confirmed prices, ignoring the offering provider's own prices.
 * - POOR: the offer fails even at the most favourable confirmed prices.
 * - UNCLEAR: it passes at some confirmed prices only, or the sources disagree. UNCLEAR is retried, because two sources
 *   are never read at one instant and that gap must not end a deposit.
 *
 * A wrong price counts only if two sources report it.
 */
export function verdictByPrices(amounts: Amounts, paid: Side, received: Side): Verdict {
  const [ins, outs] = [confirmed(paid.said), confirmed(received.said)]
  const hasDecimals = paid.decimals !== null && received.decimals !== null
  if (!hasDecimals || ins.length === 0 || outs.length === 0) {
    const contradicts = [paid, received].some(({ said }) => said.length > 1 && confirmed(said).length === 0)
    return contradicts ? 'UNCLEAR' : 'UNPRICED'
  }
  const decimals = { decimalsIn: paid.decimals!, decimalsOut: received.decimals! }
  const others = (priceOpinions: readonly PriceOpinion[]) =>
    priceOpinions.filter(({ source }) => source !== amounts.quotedBy)
  const strict = { usdIn: uncut(highest(others(ins))), usdOut: lowest(others(outs)), ...decimals }
  if (isEnough(amounts, strict)) return 'ENOUGH'
  const kind = { usdIn: lowest(ins), usdOut: uncut(highest(outs)), ...decimals }
  return isEnough(amounts, kind) ? 'UNCLEAR' : 'POOR'
}

type Amounts = Pick<Exchange, 'amountIn' | 'amountOut' | 'shareBps' | 'quotedBy'>
type Rates = { usdIn: bigint; usdOut: bigint; decimalsIn: number; decimalsOut: number }

const isEnough = ({ amountIn, amountOut, shareBps }: Amounts, rates: Rates): boolean => {
  const worthOut = amountOut * rates.usdOut * 10n ** BigInt(rates.decimalsIn)
  const worthIn = amountIn * rates.usdIn * 10n ** BigInt(rates.decimalsOut)
  return worthOut * whole >= worthIn * BigInt(shareBps)
}

/** The list is never empty: a missing price must not count as 0. */
const highest = (priceOpinions: readonly PriceOpinion[]) =>
  priceOpinions.map(({ usd }) => usd).reduce((one, other) => (one > other ? one : other))
const lowest = (priceOpinions: readonly PriceOpinion[]) =>
  priceOpinions.map(({ usd }) => usd).reduce((one, other) => (one < other ? one : other))

/** Below this price, cutting at the eighth decimal can remove more than a basis point. */
const coarseUsd = 10_000n
/** Returns the highest price that cutting could have reduced to this one. */
const uncut = (usd: bigint): bigint => (usd < coarseUsd ? usd + 1n : usd)

/**
 * Returns the highest value of an amount at confirmed prices, in USD with 8 decimals, rounded down. Returns null if no
 * price is confirmed.
 */
export function mostUsdOf(amountRaw: bigint, { decimals, said }: Side): bigint | null {
  const believed = confirmed(said)
  return believed.length === 0 || decimals === null
    ? null
    : (amountRaw * uncut(highest(believed))) / 10n ** BigInt(decimals)
}

/**
 * Replaces missing prices by an operator's approval of this execution, or by another provider's offer that agrees
 * within the share. It overrules no existing price.
 */
export function withApproval(
  verdict: Verdict,
  offer: Offer,
  { others, shareBps, approvedOutMin }: { others: readonly Offer[]; shareBps: number; approvedOutMin: bigint | null },
): Verdict {
  if (verdict === 'ENOUGH' || verdict === 'POOR') return verdict
  if (approvedOutMin !== null && offer.amountOutMin >= approvedOutMin) return 'ENOUGH'
  const isAgreed = others.some((other) => other.provider !== offer.provider && agree(offer, other, shareBps))
  return verdict === 'UNPRICED' && isAgreed ? 'ENOUGH' : verdict
}

/** Whether each offer guarantees the share of the output that the other expects. */
const agree = (one: Offer, other: Offer, shareBps: number): boolean =>
  one.amountOutMin * whole >= other.amountOutExpected * BigInt(shareBps) &&
  other.amountOutMin * whole >= one.amountOutExpected * BigInt(shareBps)

/** Highest native fee of a bridge, as basis points of the amount that it carries. */
const nativeFeeMaxBps = 1_000n

/** Describes a native fee as an exchange: the fee's value may be at most a tenth of the amount's. */
export const nativeFeeExchange = (
  { chainId, token }: { chainId: ChainId; token: Address },
  amount: bigint,
  nativeFee: bigint,
  quotedBy: string | null,
): Exchange => ({
  fromChainId: chainId,
  fromToken: zeroAddress,
  amountIn: nativeFee,
  toChainId: chainId,
  toToken: token,
  amountOut: (amount * nativeFeeMaxBps) / whole,
  shareBps: 10_000,
  quotedBy,
})

/**
 * Describes a gas fee as an exchange: the amount taken from the deposit, less one unit of rounding, for the highest
 * cost of the gas.
 */
export const gasFeeExchange = (
  { chainId, token }: { chainId: ChainId; token: Address },
  gasFee: bigint,
  costMaxWei: bigint,
): Exchange => ({
  fromChainId: chainId,
  fromToken: token,
  amountIn: gasFee > 0n ? gasFee - 1n : 0n,
  toChainId: chainId,
  toToken: zeroAddress,
  amountOut: costMaxWei,
  shareBps: 10_000,
  quotedBy: null,
})

/**
 * Minimum output that an operator accepts for a given balance. The process that authenticated the operator seals it.
 */
export type WorthApproval = { amountOutMin: string; totalReceivedRaw: string; at: number; seal?: string }

type Approved = { worthApproval?: WorthApproval; balance?: { totalReceivedRaw: string } }

/**
 * Returns the approved minimum output for the current balance; null without an approval. A retry can include the
 * leftovers of other deposits, and an approval does not cover more money than the operator saw.
 */
export const approvedOutMinOf = ({ worthApproval, balance }: Approved): bigint | null =>
  worthApproval && worthApproval.totalReceivedRaw === balance?.totalReceivedRaw
    ? amountOf(worthApproval.amountOutMin)
    : null

/** Highest plausible price of a whole token, in USD with 8 decimals. A higher one is a mistake. */
const usdMax = 10_000_000n * 10n ** 8n

/** Whether a value is plausible as the price of a whole token, in USD with 8 decimals. */
export const isPlausiblePrice = (usd: bigint): boolean => usd > 0n && usd <= usdMax

/** Returns the first price, in the order of the sources, that a second source confirms; null if no two agree. */
export function confirmedPrice(priceOpinions: readonly PriceOpinion[]): bigint | null {
  for (const [n, one] of priceOpinions.entries())
    for (const other of priceOpinions.slice(n + 1)) if (isNear(one.usd, other.usd)) return one.usd
  return null
}

/** Returns the price to use: the confirmed one, or a single source's price if no other source has one. */
export const agreedPrice = (priceOpinions: readonly PriceOpinion[]): bigint | null =>
  priceOpinions.length === 1 ? priceOpinions[0]!.usd : confirmedPrice(priceOpinions)
