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

/**
 * What a kind of route would cost at a price of gas, in wei; null when none like it was measured lately. If this kind
 * was not measured, the same provider's route to another chain stands for it, or else another provider's, because
 * they take nearly as much gas.
 */
export function costOfKind({ kinds }: GasBook, kind: string, weiPerGas: bigint, now: number): bigint | null {
  const recent = kinds.filter(({ at }) => at + kindMs > now)
  const [alike, likeAny] = [kind.split(' to ')[0]!, kind.split(' by ')[0]!]
  const last =
    recent.find((one) => one.kind === kind) ??
    recent.findLast((one) => one.kind.startsWith(`${alike} to `)) ??
    recent.findLast((one) => one.kind.startsWith(`${likeAny} by `))
  return last ? BigInt(last.gas) * weiPerGas + BigInt(last.extraWei) : null
}
