import type { ChainId } from '../chain/chain'
import { type Address, zeroAddress } from '../chain/hex'
import { amountOf } from './amount'
import { assetOf } from './token'

/** The price of one whole token according to one source, in USD with 8 decimals. */
export type PriceOpinion = { source: string; usd: bigint }

/**
 * An amount of one token that is given for an amount of another. What comes out must be worth a share of what goes in.
 */
export type Exchange = {
  fromChainId: ChainId
  fromToken: Address
  amountIn: bigint
  toChainId: ChainId
  toToken: Address
  amountOut: bigint
  /** The share in basis points. */
  shareBps: number
  /** The provider that made the offer; its own price does not confirm it. Null when nobody offers. */
  quotedBy: string | null
}

/**
 * UNPRICED: one of the two tokens has fewer than two sources of a price. UNCLEAR: the prices contradict each other, or
 * the result is too close to decide.
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
 * Returns the prices that another source confirms. The price of a single source is not used, however well known it is.
 */
export const confirmed = (said: readonly PriceOpinion[]): readonly PriceOpinion[] =>
  said.filter((one) => one.usd > 0n && said.some((other) => other.source !== one.source && isNear(one.usd, other.usd)))

/**
 * Decides by amounts whether the output of an exchange is worth the required share of its input. The guaranteed minimum
 * is compared with what enters the route after fees, which have bounds of their own. When both tokens are the same
 * asset, no price is needed. Returns null when they are not.
 *
 * There is no exception for small deposits, although a bridge costs nearly the same for any amount. Recorded answers
 * guarantee 99.2 % of 0.15 USDC from Base to Arbitrum and 99.4 % of 10 USDC to Ethereum, but 88 % of 0.0002 ETH to
 * Ethereum and 19 % of half a dollar there. An allowance in USD would be what a provider may keep of every deposit, and
 * all of a small one. What costs more than the policy's share therefore stays in the account until more arrives. An
 * organization that wants small deposits routed at any price lowers `minOutputBps` in its policy.
 */
export function verdictByAmount({ fromChainId, fromToken, toChainId, toToken, ...amounts }: Exchange): Verdict | null {
  const [paid, received] = [assetOf(fromChainId, fromToken), assetOf(toChainId, toToken)]
  if (!paid || !received || paid.name !== received.name) return null
  const atPar = { usdIn: 1n, usdOut: 1n, decimalsIn: paid.decimals, decimalsOut: received.decimals }
  return isEnough(amounts, atPar) ? 'ENOUGH' : 'POOR'
}

/**
 * Decides by prices when the two tokens are different assets. ENOUGH: it suffices by the least favourable of the
 * confirmed prices, without those of the provider that made the offer. POOR: it does not suffice even by the most
 * favourable prices. What lies between is UNCLEAR and looked at again: two sources are never read in the same second,
 * and that must end no deposit. A false price is believed only when two sources tell it.
 */
export function verdictByPrices(amounts: Amounts, paid: Side, received: Side): Verdict {
  const [ins, outs] = [confirmed(paid.said), confirmed(received.said)]
  const isKnown = paid.decimals !== null && received.decimals !== null
  if (!isKnown || ins.length === 0 || outs.length === 0) {
    const contradicts = [paid, received].some(({ said }) => said.length > 1 && confirmed(said).length === 0)
    return contradicts ? 'UNCLEAR' : 'UNPRICED'
  }
  const decimals = { decimalsIn: paid.decimals!, decimalsOut: received.decimals! }
  const others = (said: readonly PriceOpinion[]) => said.filter(({ source }) => source !== amounts.quotedBy)
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

/** The list is never empty: having no price must not count as a price of 0. */
const highest = (said: readonly PriceOpinion[]) =>
  said.map(({ usd }) => usd).reduce((one, other) => (one > other ? one : other))
const lowest = (said: readonly PriceOpinion[]) =>
  said.map(({ usd }) => usd).reduce((one, other) => (one < other ? one : other))

/** Below this, cutting the price off at the eighth decimal may have removed more than a basis point. */
const coarseUsd = 10_000n
/** Returns the highest price that may have been cut off to this one. */
const uncut = (usd: bigint): bigint => (usd < coarseUsd ? usd + 1n : usd)

/**
 * Returns the most that an amount is worth by confirmed prices, in USD with 8 decimals, rounded down; null when no
 * price is confirmed.
 */
export function mostUsdOf(amountRaw: bigint, { decimals, said }: Side): bigint | null {
  const believed = confirmed(said)
  return believed.length === 0 || decimals === null
    ? null
    : (amountRaw * uncut(highest(believed))) / 10n ** BigInt(decimals)
}

/**
 * Replaces missing prices by an operator's approval for this execution, or by another provider's offer that agrees
 * within the share. It overrules no price that exists.
 */
export function settled(
  verdict: Verdict,
  offer: Offer,
  { others, shareBps, approvedOutMin }: { others: readonly Offer[]; shareBps: number; approvedOutMin: bigint | null },
): Verdict {
  if (verdict === 'ENOUGH' || verdict === 'POOR') return verdict
  if (approvedOutMin !== null && offer.amountOutMin >= approvedOutMin) return 'ENOUGH'
  const isAgreed = others.some((other) => other.provider !== offer.provider && agree(offer, other, shareBps))
  return verdict === 'UNPRICED' && isAgreed ? 'ENOUGH' : verdict
}

/** Whether each offer guarantees the share of what the other expects. */
const agree = (one: Offer, other: Offer, shareBps: number): boolean =>
  one.amountOutMin * whole >= other.amountOutExpected * BigInt(shareBps) &&
  other.amountOutMin * whole >= one.amountOutExpected * BigInt(shareBps)

/** The most that a bridge may ask for in native coin, as basis points of the amount that it carries. */
const nativeFeeMaxBps = 1_000n

/**
 * Describes the native coin that is paid on top of an amount as an exchange. It must not be worth more than a tenth of
 * that amount.
 */
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
 * Describes a gas fee as an exchange: what is taken from the deposit, less one unit of rounding, for the most that the
 * gas may cost.
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
 * The least output that an operator accepts for a given balance, sealed by the process that authenticated the operator.
 */
export type WorthApproval = { amountOutMin: string; totalReceivedRaw: string; at: number; seal?: string }

type Approved = { worthApproval?: WorthApproval; balance?: { totalReceivedRaw: string } }

/**
 * Returns the least output that is approved for what is routed now; null when there is none. A retry may take along
 * what other deposits left in the account, and an approval does not cover more money than the operator saw.
 */
export const approvedOutMinOf = ({ worthApproval, balance }: Approved): bigint | null =>
  worthApproval && worthApproval.totalReceivedRaw === balance?.totalReceivedRaw
    ? amountOf(worthApproval.amountOutMin)
    : null

/** A whole token for more than this is a mistake: USD with 8 decimals. */
const usdMax = 10_000_000n * 10n ** 8n

/** Whether an answer can be the price of a whole token at all, in USD with 8 decimals. */
export const isPlausiblePrice = (usd: bigint): boolean => usd > 0n && usd <= usdMax

/** The first price, by the order of the sources, that a second source confirms; null when no two agree. */
export function confirmedPrice(said: readonly PriceOpinion[]): bigint | null {
  for (const [n, one] of said.entries())
    for (const other of said.slice(n + 1)) if (isNear(one.usd, other.usd)) return one.usd
  return null
}

/** The price to go by: the confirmed one, or that of a single source when there is no other to contradict it. */
export const agreedPrice = (said: readonly PriceOpinion[]): bigint | null =>
  said.length === 1 ? said[0]!.usd : confirmedPrice(said)
