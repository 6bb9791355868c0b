import { deviceClock } from '../../data/device-clock'
import { periodOf } from '../../lists/period'
import { dateBefore } from './usage-figures'

const dayMs = 86_400_000

/** The days of a span in the page's URL: a number of days until today, or `month` or `last-month` in UTC. */
export function daysOf(span: string, now: number = deviceClock()): { from: string; to?: string } {
  const { createdFrom, createdTo } = periodOf(new URLSearchParams({ time: span }), now)
  if (createdFrom === undefined) return { from: dateBefore(Number(span)) }
  const last = createdTo === undefined ? {} : { to: dayAt(Date.parse(createdTo) - dayMs) }
  return { from: createdFrom.slice(0, 10), ...last }
}

const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)
