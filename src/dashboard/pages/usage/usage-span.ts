import { deviceClock } from '../../data/device-clock'
import { periodOf } from '../../lists/period'
import { dateBefore } from './usage-figures'

const dayMs = 86_400_000

/**
 * The days of a span in the page's URL: a number of days until today, `month` or `last-month` in UTC, or chosen `days`.
 * Null until both chosen days are given.
 */
export function daysOf(parameters: URLSearchParams, now: number = deviceClock()): { from: string; to?: string } | null {
  const span = parameters.get('days') ?? '30'
  if (span === 'days') {
    const [since, until] = ['since', 'until'].map((name) => parameters.get(name))
    return since && until ? { from: since, to: until } : null
  }
  const { createdFrom, createdTo } = periodOf(new URLSearchParams({ time: span }), now)
  if (createdFrom === undefined) return { from: dateBefore(Number(span)) }
  const last = createdTo === undefined ? {} : { to: dayAt(Date.parse(createdTo) - dayMs) }
  return { from: createdFrom.slice(0, 10), ...last }
}

const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)
