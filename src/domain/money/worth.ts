import type { ChainId } from '../chain/chain'
import { type Address, zeroAddress } from '../chain/hex'
import { assetOf } from './assets'

/** What one source says that a whole token costs: USD with 8 decimals. */
export type Said = { source: string; usd: bigint }

/** So much of one token is given for so much of another; what comes must be worth a share of what goes. */
export type Exchange = {
  fromChainId: ChainId
  fromToken: Address
  amountIn: bigint
  toChainId: ChainId
  toToken: Address
  amountOut: bigint
  /** Basis points. */
  shareBps: number
  /** Whose offer it is: its own price does not confirm it. Null where nobody offers. */
  quotedBy: string | null
}

/** UNPRICED: on one side fewer than two say a price. UNCLEAR: what they say contradicts itself, or is too close. */
export type Verdict = 'ENOUGH' | 'POOR' | 'UNPRICED' | 'UNCLEAR'

export type Side = { decimals: number | null; said: readonly Said[] }
export type Offer = { provider: string; amountOutMin: bigint; amountOutExpected: bigint }

const whole = 10_000n
/** Two who say the same within this bound confirm each other. */
const deviationBps = 500n

export const isNear = (one: bigint, other: bigint): boolean => {
  const [low, high] = one < other ? [one, other] : [other, one]
  return (high - low) * whole <= low * deviationBps
}

/** Those whom another source confirms. Who is alone says nothing here, however well known. */
export const confirmed = (said: readonly Said[]): readonly Said[] =>
  said.filter((one) => one.usd > 0n && said.some((other) => other.source !== one.source && isNear(one.usd, other.usd)))

/**
 * Whether what comes is worth the share of what goes: the guaranteed minimum against exactly what enters the route,
 * after the fees, which have bounds of their own. One asset is compared by amount, and nobody's price is asked.
 *
 * There is no exception for small deposits, though a bridge's cost is nearly the same for any amount. Recorded answers
 * guarantee 99.2 % of 0.15 USDC from Base to Arbitrum and 99.4 % of 10 USDC to Ethereum, but 88 % of 0.0002 ETH to
 * Ethereum and 19 % of half a dollar there. An allowance in USD would be what a provider may keep of every deposit, and
 * all of a small one, so what costs more than the policy's share stays in the account until more of it is there. An
 * organization that wants small deposits at any price lowers `minOutputBps` in its policy.
 */
export function verdictByAmount({ fromChainId, fromToken, toChainId, toToken, ...amounts }: Exchange): Verdict | null {
  const [paid, received] = [assetOf(fromChainId, fromToken), assetOf(toChainId, toToken)]
  if (!paid || !received || paid.name !== received.name) return null
  const atPar = { usdIn: 1n, usdOut: 1n, decimalsIn: paid.decimals, decimalsOut: received.decimals }
  return isEnough(amounts, atPar) ? 'ENOUGH' : 'POOR'
}

/**
 * The same of two assets. Enough is what suffices by the least favourable of the confirmed prices of those who did not
 * quote it; poor is what does not by the most favourable of all. What lies between is looked at again: prices of two
 * sources are not of the same second, and that ends no deposit. To be taken, a lie needs two liars.
 */
export function verdictByPrices(amounts: Amounts, paid: Side, received: Side): Verdict {
  const [ins, outs] = [confirmed(paid.said), confirmed(received.said)]
  const isKnown = paid.decimals !== null && received.decimals !== null
  if (!isKnown || ins.length === 0 || outs.length === 0) {
    const contradicts = [paid, received].some(({ said }) => said.length > 1 && confirmed(said).length === 0)
    return contradicts ? 'UNCLEAR' : 'UNPRICED'
  }
  const decimals = { decimalsIn: paid.decimals!, decimalsOut: received.decimals! }
  const others = (said: readonly Said[]) => said.filter(({ source }) => source !== amounts.quotedBy)
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

/** Of none there is no price, least of all 0. */
const highest = (said: readonly Said[]) =>
  said.map(({ usd }) => usd).reduce((one, other) => (one > other ? one : other))
const lowest = (said: readonly Said[]) => said.map(({ usd }) => usd).reduce((one, other) => (one < other ? one : other))

/** A price of fewer digits has lost more than a basis point where it was cut off at the eighth decimal. */
const coarseUsd = 10_000n
/** The most that it may have been before. */
const uncut = (usd: bigint): bigint => (usd < coarseUsd ? usd + 1n : usd)

/** The most that an amount is worth by confirmed prices, USD with 8 decimals, rounded down; null where none is. */
export function mostUsdOf(amountRaw: bigint, { decimals, said }: Side): bigint | null {
  const believed = confirmed(said)
  return believed.length === 0 || decimals === null
    ? null
    : (amountRaw * uncut(highest(believed))) / 10n ** BigInt(decimals)
}

/**
 * What is said in place of prices that are missing: an operator's word for this execution, or an offer of another
 * provider that promises the same within the share. It overrules no price.
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

/** Each guarantees the share of what the other expects. */
const agree = (one: Offer, other: Offer, shareBps: number): boolean =>
  one.amountOutMin * whole >= other.amountOutExpected * BigInt(shareBps) &&
  other.amountOutMin * whole >= one.amountOutExpected * BigInt(shareBps)

/** The most that a bridge may ask in native coin on top, as a part of what it carries. */
const nativeFeeMaxBps = 1_000n

/** Coin that is paid on top of an amount, as an exchange: it must not be worth more than a tenth of that. */
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

/** A gas fee as an exchange: what is taken of the deposit, less a unit of rounding, for the most that gas may cost. */
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
