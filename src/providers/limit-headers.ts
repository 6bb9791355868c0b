import type { LimitUpdate } from '../domain/limits/provider-budget'

/** Providers limit quotes separately from all other requests. */
export type RequestKind = 'quote' | 'other'

/** Returns the function that receives the headers of each response to a kind of request. */
export type NoteHeaders = (kind: RequestKind) => (status: number, headers: Headers, tookMs: number) => void

const longestMs = 2 * 60 * 60_000
const limitMax = 10_000_000

/**
 * Reads the provider's rate limit from a response: `ratelimit-limit`, `ratelimit-remaining` and `ratelimit-reset`, each
 * also with the prefix `x-`, and `retry-after`. Ignores a value that cannot be a limit.
 *
 * @param at When the request was made, in milliseconds since 1970.
 */
export function limitUpdateOf(status: number, headers: Headers, at: number): LimitUpdate {
  const said = (name: string) => headers.get(`ratelimit-${name}`) ?? headers.get(`x-ratelimit-${name}`)
  const limit = wholeOf(said('limit'))
  return {
    at,
    isRefusal: status === 429,
    most: limit !== null && limit > 0 && limit <= limitMax ? limit : null,
    left: wholeOf(said('remaining')),
    resetMs: delayOf(said('reset'), at),
    retryMs: delayOf(headers.get('retry-after'), at),
  }
}

/** Returns the first number of a header. Some headers repeat the limit with its window, as in `100, 100;w=60`. */
function wholeOf(text: string | null): number | null {
  const [, digits] = /^\s*(\d{1,15})\s*(?:[,;].*)?$/.exec(text ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/**
 * Returns a delay in milliseconds, up to two hours. The text is a delay in seconds, a time in seconds since 1970, or a
 * date.
 */
function delayOf(text: string | null, at: number): number | null {
  const seconds = wholeOf(text)
  const time = seconds === null ? Date.parse(text ?? '') : seconds > 1e9 ? seconds * 1_000 : at + seconds * 1_000
  return Number.isNaN(time) ? null : Math.min(Math.max(time - at, 0), longestMs)
}
