/** Last measurement of a kind of route: its gas, and the extra fees of a rollup and a bridge. */
type KindGas = { kind: string; gas: string; extraWei: string; at: number }

/**
 * Gas prices of a chain and the gas that routes use, as measured by all processes. Amounts are decimal strings in wei,
 * times milliseconds since 1970.
 */
export type GasRecord = {
  id: string
  version: number
  /** Recent prices of a unit of gas, the newest last. */
  prices: { weiPerGas: string; at: number }[]
  /** The kinds of routes that were measured last, the newest last. */
  kinds: KindGas[]
}

/** Measured route: its kind if known, its gas, the cost of that gas, and the extra fees. */
export type MeasuredGas = { kind: string | null; gas: bigint; costWei: bigint; extraWei: bigint }

const pricesMax = 9

const pricesLeast = 5

const unusualTimes = 3n

/** Prices within this period count once. Many routes at one moment therefore do not shift the median. */
const apartMs = 5_000

const kindsMax = 300

/** Older measurements are ignored. A forgotten measurement costs one quote, and so does an outdated one. */
const kindMs = 7 * 24 * 60 * 60_000

/** Interval at which a kind with unchanged figures is written again. */
const rewriteMs = 30_000

export const emptyGasRecord = (id: string): GasRecord => ({ id, version: 0, prices: [], kinds: [] })

const priceOf = ({ gas, costWei }: MeasuredGas): bigint => (gas > 0n ? costWei / gas : 0n)

/** Records a measured route. Returns null if the record already contains it. */
export function withMeasured(record: GasRecord, measured: MeasuredGas, now: number): GasRecord | null {
  const { kind } = measured
  const [gas, extraWei] = [String(measured.gas), String(measured.extraWei)]
  const isPriceNew = (record.prices.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + apartMs <= now
  const last = record.kinds.find((one) => one.kind === kind)
  const isKindNew = kind !== null && (!last || !isNear(last, measured) || last.at + rewriteMs <= now)
  if (!isPriceNew && !isKindNew) return null
  const price = { weiPerGas: String(priceOf(measured)), at: now }
  const others = record.kinds.filter((one) => one !== last)
  return {
    ...record,
    prices: isPriceNew ? [...record.prices, price].slice(-pricesMax) : record.prices,
    kinds: isKindNew ? [...others, { kind, gas, extraWei, at: now }].slice(-kindsMax) : record.kinds,
  }
}

/** Whether gas and extra fees are both within a hundredth of the previous measurement. */
function isNear({ gas, extraWei }: KindGas, measured: MeasuredGas): boolean {
  const isWithin = (before: bigint, after: bigint) =>
    (after > before ? after - before : before - after) * 100n <= before
  return isWithin(BigInt(gas), measured.gas) && isWithin(BigInt(extraWei), measured.extraWei)
}

/** Whether gas costs more than three times its recent median. The first few prices never count as unusual. */
export function isUnusual({ prices }: GasRecord, measured: MeasuredGas): boolean {
  if (prices.length < pricesLeast) return false
  const sorted = prices.map(({ weiPerGas }) => BigInt(weiPerGas)).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return priceOf(measured) > unusualTimes * sorted[sorted.length >> 1]!
}

/** Whether exactly this kind of route has a current measurement. */
export const isMeasured = ({ kinds }: GasRecord, kind: string, now: number): boolean =>
  kinds.some((one) => one.kind === kind && one.at + kindMs > now)

/** Returns the part that kinds share if they differ only in provider and target. */
export const likeOf = (kind: string): string => kind.split(' by ')[0]!

/** Extra gas of an account's first route, which deploys the account. */
const deploymentGas = 61_000n

/**
 * Estimates the cost of a kind of route at a gas price, in wei. Returns null without a current measurement of a similar
 * kind. If this kind was not measured, the most similar kind replaces it. It differs in its target, else in whether it
 * deploys the account, else in its provider.
 */
export function costOfKind({ kinds }: GasRecord, kind: string, weiPerGas: bigint, now: number): bigint | null {
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

/**
 * Returns the measurement with the most others within a twentieth of its gas. Of equals, the one with the least gas
 * wins.
 */
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
