import { deviceClock } from '../data/device-clock'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const minuteMs = 60_000

/** The periods that a list can be narrowed to. Days and months are in UTC, as in statements. */
export const periods = {
  hour: 'Last hour',
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'This month',
  'last-month': 'Last month',
  days: 'Chosen days',
} as const

/** The names in the URL: the period, and the first and last of chosen days. */
export const periodNames = ['time', 'since', 'until'] as const
type Period = { createdFrom?: string; createdTo?: string }

const lengths: Record<string, number> = { hour: hourMs, day: dayMs, week: 7 * dayMs }
const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(Date.parse(text))
const iso = (at: number): string => new Date(at).toISOString()

/** Returns the bounds of the period in a URL, the second one exclusive. Without bounds for any time. */
export function periodOf(parameters: URLSearchParams, now: number = deviceClock()): Period {
  const [time, since, until] = periodNames.map((name) => parameters.get(name)) as [string | null, ...(string | null)[]]
  const length = lengths[time ?? '']
  // To the minute, so the list is not read again each second.
  if (length) return { createdFrom: iso(Math.floor((now - length) / minuteMs) * minuteMs) }
  const today = new Date(now)
  const monthBegins = (n: number): string => iso(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + n))
  if (time === 'month') return { createdFrom: monthBegins(0) }
  if (time === 'last-month') return { createdFrom: monthBegins(-1), createdTo: monthBegins(0) }
  if (time !== 'days') return {}
  return {
    ...(isDay(since ?? null) && { createdFrom: iso(Date.parse(since!)) }),
    ...(isDay(until ?? null) && { createdTo: iso(Date.parse(until!) + dayMs) }),
  }
}

/** Whether a record of this time is in the period. */
export const isWithin = (at: string, { createdFrom, createdTo }: Period): boolean =>
  (createdFrom === undefined || Date.parse(at) >= Date.parse(createdFrom)) &&
  (createdTo === undefined || Date.parse(at) < Date.parse(createdTo))
