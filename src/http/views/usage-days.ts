import { dateOf, monthOf } from '../../domain/calendar'
import { isTerminal } from '../../domain/execution/status'
import { usdText } from '../../domain/money/amount'
import { view } from '../../domain/schema'
import type { DepositCount, RequestCount, UsageRow, WorthOf } from '../../ports/limits'
import { Count, CountOrNull, isoTime, Text, Time } from './scalar'

type Price = Awaited<ReturnType<WorthOf>>
/** Converts an amount to USD with 8 decimals; 0 for a token without a price. */
export type InUsd = (row: UsageRow, raw: bigint) => bigint

/** Returns the price of each token, looked up once. */
export async function pricedBy(worth: WorthOf, rows: readonly UsageRow[]): Promise<Map<string, Price>> {
  const tokens = new Map(rows.map((row) => [nameOf(row), row]))
  return new Map(
    await Promise.all(
      [...tokens].map(async ([name, { fromChainId, token }]) => [name, await worth(fromChainId, token)] as const),
    ),
  )
}

const nameOf = ({ fromChainId, token }: UsageRow): string => `${fromChainId}:${token}`

export const inUsd =
  (prices: ReadonlyMap<string, Price>): InUsd =>
  (row, raw) => {
    const price = prices.get(nameOf(row))
    return price ? (raw * price.usd) / 10n ** BigInt(price.decimals) : 0n
  }

/** Returns USD as text with two decimals, rounded down. For display only. */
const centsText = (usd: bigint): string => usdText(usd / 1_000_000n, 2)

/** Returns USD as text with all 8 decimals, for a reader that adds rows up before it rounds. */
export const exactUsdText = (usd: bigint): string => usdText(usd, 8)

const counts = { requests: 0, requestErrors: 0, deposits: 0, executions: 0, succeeded: 0, failed: 0, active: 0 }
const sums = { volume: 0n, protocolFee: 0n, forgiven: 0n, gasFee: 0n, sponsoredGas: 0n }
type Day = { date: string; apiKeyId: string | null } & typeof counts & typeof sums

type UsageCounts = { rows: readonly UsageRow[]; deposits: readonly DepositCount[]; requests: readonly RequestCount[] }

/**
 * Returns one row for each day and key with any traffic, oldest first. An execution counts on the day it began. Its
 * volume and fees count once it has succeeded, because money that was not routed paid no fee.
 */
export function usageDays({ rows, deposits, requests }: UsageCounts, usd: InUsd) {
  const days = new Map<string, Day>()
  const dayOf = (date: string, apiKeyId: string | null): Day => {
    const name = JSON.stringify([date, apiKeyId])
    const day = days.get(name) ?? { date, apiKeyId, ...counts, ...sums }
    days.set(name, day)
    return day
  }
  for (const { keyId, date, requests: count, errors } of requests) {
    const day = dayOf(date, keyId)
    day.requests += count
    day.requestErrors += errors
  }
  for (const { date, apiKeyId, count } of deposits) dayOf(date, apiKeyId).deposits += count
  for (const row of rows) {
    const day = dayOf(row.date, row.apiKeyId)
    day.executions += row.count
    day.sponsoredGas += row.sponsoredMicroUsd * 100n
    if (!isTerminal(row.status)) day.active += row.count
    else if (row.status !== 'SUCCESS') day.failed += row.count
    else {
      day.succeeded += row.count
      day.volume += usd(row, row.amountInRaw)
      day.protocolFee += usd(row, row.protocolFeeRaw)
      day.forgiven += usd(row, row.protocolFeeForgivenRaw)
      day.gasFee += usd(row, row.gasFeeRaw)
    }
  }
  const oldestFirst = (a: Day, b: Day) => compare(a.date, b.date) || compare(a.apiKeyId ?? '', b.apiKeyId ?? '')
  return [...days.values()]
    .toSorted(oldestFirst)
    .map(({ volume, protocolFee, forgiven, gasFee, sponsoredGas, ...day }) => ({
      ...day,
      volumeUsd: centsText(volume),
      protocolFeeUsd: centsText(protocolFee),
      protocolFeeForgivenUsd: centsText(forgiven),
      gasFeeUsd: centsText(gasFee),
      sponsoredGasUsd: centsText(sponsoredGas),
    }))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const quotaFields = {
  month: Text('The month, in UTC', '2026-11'),
  limit: CountOrNull('Executions in the plan; null means no limit', 10_000),
  used: Count('Executions of the month that reached PENDING', 412),
  resetsAt: Time('When the next month starts', '2026-12-01T00:00:00.000Z'),
} as const
export const QuotaView = view(quotaFields)

/** @param at A time in the month. */
export const quotaView = (at: number, limit: number | null, used: number): typeof QuotaView.infer => ({
  month: dateOf(at).slice(0, 7),
  limit,
  used,
  resetsAt: isoTime(monthOf(at, 1)),
})
