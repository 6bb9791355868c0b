import type { RoutesUsageView, RouteUsageView } from '../../../http/dashboard/usage'
import type { UsageDayView, UsageView } from '../../../http/routes/usage'
import { deviceClock } from '../../data/device-clock'
/** The response of `GET /api/usage`. */
export type UsageAnswer = typeof UsageView.infer
export type UsageDay = typeof UsageDayView.infer

/** The same executions by pair of chains, with their durations. */
export type RoutesAnswer = RoutesUsageView
type RouteRow = RouteUsageView

/** The totals of a group of pairs of chains. USD has 8 decimals, so nothing is rounded before it is added up. */
type Figures = { executions: number; succeeded: number; failed: number; volume: bigint; fees: bigint }

const decimals = 8
const cent = 10n ** BigInt(decimals - 2)
const exactOf = (usd: string): bigint => BigInt(usd.replace('.', ''))

/** Unrouted money earns no fee. */
export function figuresOf({ status, isOver, count, volumeUsd, protocolFeeUsd }: RouteRow): Figures {
  const isSuccess = status === 'SUCCESS'
  return {
    executions: count,
    succeeded: isSuccess ? count : 0,
    failed: isOver && !isSuccess ? count : 0,
    volume: isSuccess ? exactOf(volumeUsd) : 0n,
    fees: isSuccess ? exactOf(protocolFeeUsd) : 0n,
  }
}

/**
 * Rounds the parts of a total to cents. They add up to the rounded total: the parts that lose most by rounding down get
 * a cent more.
 */
export function inCents(parts: readonly bigint[]): bigint[] {
  const total = parts.reduce((sum, part) => sum + part, 0n)
  const cents = parts.map((part) => part / cent)
  const left = Number((total + cent / 2n) / cent - cents.reduce((sum, part) => sum + part, 0n))
  const rest = (n: number): bigint => parts[n]! % cent
  const most = parts.map((_, n) => n).toSorted((a, b) => (rest(a) < rest(b) ? 1 : rest(a) > rest(b) ? -1 : a - b))
  for (const n of most.slice(0, left)) cents[n]! += 1n
  return cents
}

export const sumOf = <Row>(rows: readonly Row[], what: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + what(row), 0)

export const sumOfFigures = (figures: readonly Figures[]): Figures => ({
  executions: sumOf(figures, ({ executions }) => executions),
  succeeded: sumOf(figures, ({ succeeded }) => succeeded),
  failed: sumOf(figures, ({ failed }) => failed),
  volume: figures.reduce((sum, { volume }) => sum + volume, 0n),
  fees: figures.reduce((sum, { fees }) => sum + fees, 0n),
})

/** Mean seconds to SUCCESS; null without a success. */
export function meanSeconds(rows: readonly RouteRow[]): number | null {
  const succeeded = rows.filter(({ status }) => status === 'SUCCESS')
  const count = sumOf(succeeded, (row) => row.count)
  return count === 0 ? null : sumOf(succeeded, (row) => row.secondsToSuccess) / count
}

/** Adds up the rows of each day. A day without rows is 0, because the answer covers the whole period. */
export const perDay = <Row extends { date: string }>(
  days: readonly string[],
  rows: readonly Row[],
  what: (row: Row) => number,
): number[] =>
  days.map((day) =>
    sumOf(
      rows.filter(({ date }) => date === day),
      what,
    ),
  )

const dayMs = 86_400_000
/** Returns the first of the given number of days, counting today as the last. */
export const dateBefore = (days: number): string =>
  new Date(deviceClock() - (days - 1) * dayMs).toISOString().slice(0, 10)

export function datesBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

export function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
