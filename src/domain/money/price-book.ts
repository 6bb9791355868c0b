import { amountOf } from './amount'
import type { PriceOpinion } from './worth'

/** Price of one token in USD with 8 decimals, and when it was received, in milliseconds since 1970. */
type StoredPrice = { usd: string; at: number }

/**
 * Prices that the sources reported for one token. All processes share them and therefore use, or lack, the same price.
 */
export type PriceBook = {
  id: string
  version: number
  /** Time of the last query, the prices it returned, and the sources that failed. */
  at: number
  said: { source: string; usd: string }[]
  failed: string[]
  /** Last price of each source, whatever its age. */
  spoken: (StoredPrice & { source: string })[]
  /** Last price that the sources agreed on. */
  believed: StoredPrice | null
}

export type ReportedPrices = { said: readonly PriceOpinion[]; failed: readonly string[] }

const freshMs = 30_000
/** How long a result that lacks a failed source is used. */
const partialMs = 5_000
/**
 * Longest use of an old price while no source responds. An older price is better than none: gas has a buffer of 20 %.
 */
const usableMs = 5 * 60_000

export const emptyPriceBook = (id: string): PriceBook => ({
  id,
  version: 0,
  at: Number.MIN_SAFE_INTEGER,
  said: [],
  failed: [],
  spoken: [],
  believed: null,
})

/** Whether the prices are recent enough to skip a new query. A time ahead of this clock counts like one behind it. */
export const isFresh = ({ at, failed }: PriceBook, now: number): boolean =>
  Math.abs(now - at) < (failed.length > 0 ? partialMs : freshMs)

/** Records the reported prices, and the price that the sources agree on, if any. */
export function withReported(
  book: PriceBook,
  { said, failed }: ReportedPrices,
  agreed: bigint | null,
  now: number,
): PriceBook {
  const opinions = said.map(({ source, usd }) => ({ source, usd: String(usd) }))
  const silent = book.spoken.filter(({ source }) => !said.some((one) => one.source === source))
  return {
    ...book,
    at: now,
    said: opinions,
    failed: [...failed],
    spoken: [...silent, ...opinions.map((one) => ({ ...one, at: now }))],
    believed: agreed === null ? book.believed : { usd: String(agreed), at: now },
  }
}

export const reportedIn = ({ said, failed }: PriceBook): ReportedPrices => ({
  said: said.map(({ source, usd }) => ({ source, usd: amountOf(usd) })),
  failed,
})

const isUsable = ({ at }: StoredPrice, now: number): boolean => Math.abs(now - at) < usableMs

/** Returns the last agreed price while it is usable; null otherwise. */
export const usableUsd = ({ believed }: PriceBook, now: number): bigint | null =>
  believed && isUsable(believed, now) ? amountOf(believed.usd) : null

/** Returns the earlier prices of the sources that fail now, if they are still usable. */
export const earlierOf = ({ spoken, failed }: PriceBook, now: number): PriceOpinion[] =>
  spoken
    .filter((one) => failed.includes(one.source) && isUsable(one, now))
    .map(({ source, usd }) => ({ source, usd: amountOf(usd) }))
