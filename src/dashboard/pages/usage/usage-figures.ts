import type { RoutesUsageView, RouteUsageView } from '../../../http/dashboard/usage'
import type { UsageDayView, UsageView } from '../../../http/routes/usage'
import { deviceClock } from '../../data/device-clock'
/** The response of `GET /api/usage`. */
export type UsageAnswer = typeof UsageView.infer
export type UsageDay = typeof UsageDayView.infer

/** The same executions by pair of chains, with their durations. */
export type RoutesAnswer = RoutesUsageView
type RouteRow = RouteUsageView

/** The totals of a group of days, or of a group of pairs of chains. */
export type Figures = { executions: number; succeeded: number; failed: number; volumeUsd: number; feesUsd: number }

export const figuresOfDay = ({ executions, succeeded, failed, volumeUsd, protocolFeeUsd }: UsageDay): Figures => ({
  executions,
  succeeded,
  failed,
  volumeUsd: Number(volumeUsd),
  feesUsd: Number(protocolFeeUsd),
})

/** Unrouted money earns no fee. */
export function figuresOfRoute({ status, isOver, count, volumeUsd, protocolFeeUsd }: RouteRow): Figures {
  const isSuccess = status === 'SUCCESS'
  return {
    executions: count,
    succeeded: isSuccess ? count : 0,
    failed: isOver && !isSuccess ? count : 0,
    volumeUsd: isSuccess ? Number(volumeUsd) : 0,
    feesUsd: isSuccess ? Number(protocolFeeUsd) : 0,
  }
}

export const sumOf = <Row>(rows: readonly Row[], what: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + what(row), 0)

export const sumOfFigures = (figures: readonly Figures[]): Figures => ({
  executions: sumOf(figures, ({ executions }) => executions),
  succeeded: sumOf(figures, ({ succeeded }) => succeeded),
  failed: sumOf(figures, ({ failed }) => failed),
  volumeUsd: sumOf(figures, ({ volumeUsd }) => volumeUsd),
  feesUsd: sumOf(figures, ({ feesUsd }) => feesUsd),
})

/** Mean seconds to SUCCESS; null without a success. */
export function meanSeconds(rows: readonly RouteRow[]): number | null {
  const succeeded = rows.filter(({ status }) => status === 'SUCCESS')
  const count = sumOf(succeeded, (row) => row.count)
  return count === 0 ? null : sumOf(succeeded, (row) => row.secondsToSuccess) / count
}

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
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

export const dayName = (date: string): string =>
  new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
