/** The highest protocol fee, in basis points (interface 8). */
const protocolFeeBpsMax = 1_000

type DepositToSplit = { totalReceivedRaw: bigint; protocolFeeBps: number; gasFeeRaw: bigint }
export type FeeSplit = {
  protocolFeeRaw: bigint
  protocolFeeEffective: bigint
  protocolFeeForgiven: bigint
  gasFeeRaw: bigint
  amountForSwapRaw: bigint
}

/** Why gas was not charged (decision 14). */
export const gasFeeSkipReasons = ['NONE', 'SPONSORED', 'ESTIMATION_FAILED'] as const

/** The fees of an execution, in atomic units of its deposit. */
export type Fees = {
  totalReceivedRaw: string
  protocolFeeRaw: string
  protocolFeeEffective: string
  protocolFeeForgiven: string
  gasFeeRaw: string
  amountForSwapRaw: string
  gasFeeSkipReason: (typeof gasFeeSkipReasons)[number]
}

/**
 * Splits a deposit into gas fee, protocol fee and the amount to swap (interface 7.4). Gas is taken first, and the part
 * of the protocol fee that no longer fits is forgiven. Amounts are atomic units of the deposit's token. The protocol
 * fee is rounded down, in favour of the depositor.
 *
 * @param totalReceivedRaw The confirmed balance on chain, never the amount in a webhook.
 * @returns The split. When `amountForSwapRaw` is 0 or less, the caller ends it as FAILED_INSUFFICIENT_AFTER_FEES.
 * @throws {RangeError} when `protocolFeeBps` is not an integer from 0 to 1000. It was checked where it came in.
 */
export function splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw }: DepositToSplit): FeeSplit {
  if (!Number.isInteger(protocolFeeBps) || protocolFeeBps < 0 || protocolFeeBps > protocolFeeBpsMax)
    throw new RangeError('A protocol fee is not within 0 to 1000 bps')
  const protocolFeeRaw = (totalReceivedRaw * BigInt(protocolFeeBps)) / 10_000n
  const leftAfterGas = totalReceivedRaw > gasFeeRaw ? totalReceivedRaw - gasFeeRaw : 0n
  const protocolFeeEffective = protocolFeeRaw < leftAfterGas ? protocolFeeRaw : leftAfterGas
  const protocolFeeForgiven = protocolFeeRaw - protocolFeeEffective
  const amountForSwapRaw = totalReceivedRaw - protocolFeeEffective - gasFeeRaw
  return { protocolFeeRaw, protocolFeeEffective, protocolFeeForgiven, gasFeeRaw, amountForSwapRaw }
}

type GasCost = {
  /** Everything that the relayer pays, in wei: gas, the L1 data fee and the bridge's native fee. */
  costWei: bigint
  /** The price of one whole native coin and of one whole token, in USD with 8 decimals. */
  nativeUsd: bigint
  tokenUsd: bigint
  tokenDecimals: number
}

/** The cost and a buffer of 20 %, in basis points of the cost (interface 8). */
const gasBufferBps = 12_000n

/** Returns the cost with the buffer, in wei, rounded up. */
export const bufferedWei = (costWei: bigint): bigint => (costWei * gasBufferBps + 9_999n) / 10_000n

/**
 * Returns what gas costs in atomic units of the deposit's token, with the buffer included (interface 7.4). It is
 * rounded up, because the platform advances it.
 *
 * @throws {RangeError} when a price is not positive. It was checked where it came in.
 */
export function gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals }: GasCost): bigint {
  if (nativeUsd <= 0n || tokenUsd <= 0n) throw new RangeError('A price is not positive')
  const numerator = costWei * nativeUsd * 10n ** BigInt(tokenDecimals) * gasBufferBps
  const denominator = 10n ** 18n * tokenUsd * 10_000n
  return (numerator + denominator - 1n) / denominator
}

/** Whether a fee pays for all that the measured one does but its buffer, so that the platform pays nothing. */
export const coversCost = (feeRaw: bigint, measuredRaw: bigint): boolean =>
  feeRaw * gasBufferBps >= measuredRaw * 10_000n

/** What a kind of route took when it was measured last: its gas, and what a rollup and a bridge charge besides. */
type KindGas = { kind: string; gas: string; extraWei: string; at: number }

/**
 * What gas costs on a chain and how much of it routes take, as all processes measured it. Amounts are decimal strings
 * in wei, times milliseconds since 1970.
 */
export type GasBook = {
  id: string
  version: number
  /** What a unit of gas cost lately, the newest last. */
  prices: { weiPerGas: string; at: number }[]
  /** The kinds of routes that were measured last, the newest last. */
  kinds: KindGas[]
}

/** A measured route: its kind where that is known, its gas, what that costs, and what is paid besides. */
export type MeasuredGas = { kind: string | null; gas: bigint; costWei: bigint; extraWei: bigint }

const pricesMax = 9
const pricesLeast = 5
const unusualTimes = 3n
/** Prices noted within this time count once, so that many routes at one moment do not shift the median. */
const apartMs = 5_000
const kindsMax = 300
/** Older measurements are not used. One that no longer holds costs a quote, and so would one that was forgotten. */
const kindMs = 7 * 24 * 60 * 60_000
/** A kind whose figures have not changed is written again after this long. */
const rewriteMs = 30_000

export const emptyGasBook = (id: string): GasBook => ({ id, version: 0, prices: [], kinds: [] })

const priceOf = ({ gas, costWei }: MeasuredGas): bigint => (gas > 0n ? costWei / gas : 0n)

/** Notes a measured route. Returns null when the book says so already. */
export function withMeasured(book: GasBook, measured: MeasuredGas, now: number): GasBook | null {
  const { kind } = measured
  const [gas, extraWei] = [String(measured.gas), String(measured.extraWei)]
  const isPriceNew = (book.prices.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + apartMs <= now
  const last = book.kinds.find((one) => one.kind === kind)
  const isKindNew = kind !== null && (!last || !isNear(last, measured) || last.at + rewriteMs <= now)
  if (!isPriceNew && !isKindNew) return null
  const price = { weiPerGas: String(priceOf(measured)), at: now }
  const others = book.kinds.filter((one) => one !== last)
  return {
    ...book,
    prices: isPriceNew ? [...book.prices, price].slice(-pricesMax) : book.prices,
    kinds: isKindNew ? [...others, { kind, gas, extraWei, at: now }].slice(-kindsMax) : book.kinds,
  }
}

/** Whether both are within a hundredth of what was measured before. */
function isNear({ gas, extraWei }: KindGas, measured: MeasuredGas): boolean {
  const isWithin = (before: bigint, after: bigint) =>
    (after > before ? after - before : before - after) * 100n <= before
  return isWithin(BigInt(gas), measured.gas) && isWithin(BigInt(extraWei), measured.extraWei)
}

/** Whether gas costs more than three times its recent median. The first few prices are never called unusual. */
export function isUnusual({ prices }: GasBook, measured: MeasuredGas): boolean {
  if (prices.length < pricesLeast) return false
  const sorted = prices.map(({ weiPerGas }) => BigInt(weiPerGas)).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return priceOf(measured) > unusualTimes * sorted[sorted.length >> 1]!
}

/** Whether this very kind of route was measured lately. */
export const isMeasured = ({ kinds }: GasBook, kind: string, now: number): boolean =>
  kinds.some((one) => one.kind === kind && one.at + kindMs > now)

/** What kinds of routes have in common that differ in their provider and in where they lead to. */
export const likeOf = (kind: string): string => kind.split(' by ')[0]!

/** The gas by which an account's first route, which deploys the account, exceeds its later ones. */
const deploymentGas = 61_000n

/**
 * What a kind of route would cost at a price of gas, in wei; null when none like it was measured lately. If this kind
 * was not measured, one stands for it that differs in as little as possible: in where it leads to, then in whether it
 * deploys the account, then in its provider.
 */
export function costOfKind({ kinds }: GasBook, kind: string, weiPerGas: bigint, now: number): bigint | null {
  const recent = kinds.filter(({ at }) => at + kindMs > now)
  const other = kind.includes(' first ') ? kind.replace(' first ', ' later ') : kind.replace(' later ', ' first ')
  const leadingAnywhere = (like: string) => usual(recent.filter((one) => anywhere(one.kind) === anywhere(like)))
  const exact = recent.find((one) => one.kind === kind) ?? leadingAnywhere(kind)
  const deployed = exact ? null : leadingAnywhere(other)
  const last = exact ?? deployed ?? usual(recent.filter((one) => likeOf(one.kind) === likeOf(kind)))
  if (!last) return null
  const moreGas = !deployed ? 0n : kind.includes(' first ') ? deploymentGas : -deploymentGas
  const gas = BigInt(last.gas) + moreGas
  return (gas > 0n ? gas : 0n) * weiPerGas + BigInt(last.extraWei)
}

const anywhere = (kind: string): string => kind.split(' to ')[0]!

/** That which most others are within a twentieth of, and of equals the one that takes least. */
function usual(all: readonly KindGas[]): KindGas | null {
  const sorted = all
    .map((one) => ({ one, gas: BigInt(one.gas) }))
    .toSorted((a, b) => (a.gas < b.gas ? -1 : a.gas > b.gas ? 1 : 0))
  let best: { one: KindGas; near: number } | null = null
  let [from, to] = [0, 0]
  for (const { one, gas } of sorted) {
    while (sorted[from]!.gas < gas - gas / 20n) from++
    while (to < sorted.length && sorted[to]!.gas <= gas + gas / 20n) to++
    if (!best || to - from > best.near) best = { one, near: to - from }
  }
  return best?.one ?? null
}
