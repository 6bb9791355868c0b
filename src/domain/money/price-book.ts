import { amountOf } from './amount'
import type { PriceOpinion } from './worth'

/** A price of one token in USD with 8 decimals, and when it was heard, in milliseconds since 1970. */
type HeardPrice = { usd: string; at: number }

/** What the sources said of one token, which all processes share: they believe, and go on without, the same price. */
export type PriceBook = {
  id: string
  version: number
  /** When the sources were asked last, what they said, and which of them failed. */
  at: number
  said: { source: string; usd: string }[]
  failed: string[]
  /** What each source said last, whenever that was. */
  spoken: (HeardPrice & { source: string })[]
  /** The last price that was agreed on. */
  believed: HeardPrice | null
}

export type Heard = { said: readonly PriceOpinion[]; failed: readonly string[] }

const freshMs = 30_000
/** How long an answer is kept that lacks a source because it failed. */
const partialMs = 5_000
/** While no source answers, an older price is better than none: gas has a buffer of 20 %. */
const usableMs = 5 * 60_000

export const unheard = (id: string): PriceBook => ({
  id,
  version: 0,
  at: Number.MIN_SAFE_INTEGER,
  said: [],
  failed: [],
  spoken: [],
  believed: null,
})

/** Whether the sources need not be asked again yet. A time ahead of this clock counts as one behind it. */
export const isFresh = ({ at, failed }: PriceBook, now: number): boolean =>
  Math.abs(now - at) < (failed.length > 0 ? partialMs : freshMs)

/** Notes what the sources said, and the price that they agree on, if they do. */
export function withHeard(book: PriceBook, { said, failed }: Heard, agreed: bigint | null, now: number): PriceBook {
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

export const heardIn = ({ said, failed }: PriceBook): Heard => ({
  said: said.map(({ source, usd }) => ({ source, usd: amountOf(usd) })),
  failed,
})

const isUsable = ({ at }: HeardPrice, now: number): boolean => Math.abs(now - at) < usableMs

/** The price that was last agreed on, while it is usable. */
export const usableUsd = ({ believed }: PriceBook, now: number): bigint | null =>
  believed && isUsable(believed, now) ? amountOf(believed.usd) : null

/** What the sources that fail now said before, as far as it is usable. */
export const earlierOf = ({ spoken, failed }: PriceBook, now: number): PriceOpinion[] =>
  spoken
    .filter((one) => failed.includes(one.source) && isUsable(one, now))
    .map(({ source, usd }) => ({ source, usd: amountOf(usd) }))
