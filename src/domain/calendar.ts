const dayMs = 86_400_000
const dayForm = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the beginning of a UTC day such as `2026-11-21`, in milliseconds since 1970; null if the calendar has no such
 * day. `Date.parse` alone reads 30 February as 2 March.
 */
export function dayOf(text: string): number | null {
  const at = dayForm.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return !Number.isNaN(at) && dateOf(at) === text ? at : null
}

/** Parses an ISO 8601 time with its offset to milliseconds since 1970. Returns null if the calendar has no such day. */
export function timeOf(text: string): number | null {
  if (text[10] !== 'T' || dayOf(text.slice(0, 10)) === null) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** Returns the UTC day of a time, such as `2026-11-21`. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Formats a time for a sentence, cut to the minute: `27 November 2026, 14:05 UTC`. */
export const sentenceTime = (at: number): string =>
  `${longDate.format(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`

/** Returns the number of days from one day to another, counting both. It is below 1 if they are in the wrong order. */
export const dayCount = (from: number, to: number): number => (to - from) / dayMs + 1

/** Returns the beginning of a time's UTC month, or of the month that is `later` months after it. */
export function monthOf(at: number, later = 0): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}
