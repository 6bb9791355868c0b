import type { LimitUpdate } from '../../domain/execution/limit-updates'

/** Providers have one limit for quotes and another for all other requests. */
export type RequestKind = 'quote' | 'other'

/** Returns the function that receives the headers of each answer to a kind of request. */
export type HearHeaders = (kind: RequestKind) => (status: number, headers: Headers, tookMs: number) => void

const longestMs = 2 * 60 * 60_000
const limitMax = 10_000_000

/**
 * Reads what an answer says of the provider's limit: `ratelimit-limit`, `ratelimit-remaining` and `ratelimit-reset`,
 * also with `x-` before them, and `retry-after`. A value that cannot be a limit is ignored.
 *
 * @param at When the request was made.
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

/** The first number of a header. Some headers repeat the limit with its window, as in `100, 100;w=60`. */
function wholeOf(text: string | null): number | null {
  const [, digits] = /^\s*(\d{1,15})\s*(?:[,;].*)?$/.exec(text ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** A delay in seconds, a time in seconds since 1970, or a date. */
function delayOf(text: string | null, at: number): number | null {
  const seconds = wholeOf(text)
  const time = seconds === null ? Date.parse(text ?? '') : seconds > 1e9 ? seconds * 1_000 : at + seconds * 1_000
  return Number.isNaN(time) ? null : Math.min(Math.max(time - at, 0), longestMs)
}
