/** Most seconds that a block's time may be ahead of our clock. */
const aheadSecondsMax = 60

/**
 * Returns a block's own time, capped at what our clock makes plausible. An order signed against a time far in the
 * future would live until then, and its outcome could not be decided earlier.
 *
 * @param time The block's time, in seconds since 1970.
 * @param now The time by our clock, in milliseconds since 1970.
 * @returns Seconds since 1970.
 */
export const believedTime = (time: number, now: number): number =>
  Math.min(time, Math.floor(now / 1_000) + aheadSecondsMax)

type Timed = { number: number; time: number }

/** Fewest blocks that show the block interval, because their times are whole seconds. */
const paceBlocksMin = 8
/** Longest span of blocks from which the interval is measured. */
const paceSecondsMax = 600
/** A span of this length gives the interval to about a sixtieth, because times are whole seconds. */
const paceSecondsEnough = 60
/** Bounds of a credible block interval, relative to the usual one. */
const paceFactors = { least: 1 / 8, most: 2 }
/** Longest age of a reading that still predicts later blocks. */
const reckonedMsMax = 120_000
/** Allowance for irregular block times. */
const jitterMs = 250
/** How long the shortest observed delay of a block is remembered. */
const seenForMs = 10 * 60_000

/**
 * Predicts when blocks should exist, from the times of blocks that were read. The prediction only decides when to poll.
 * If two blocks cannot belong to one chain, either could be wrong, so both are discarded.
 *
 * @param usualMs Usual block interval; 0 if unknown.
 */
export function blockClock(usualMs: number) {
  let first: Timed | null = null
  let newest: (Timed & { readAt: number }) | null = null
  let blockMs = usualMs
  /** The span of blocks from which the interval was measured. */
  let paceSeconds = 0
  /** Shortest observed delay between a block's time, in whole seconds, and its reading. */
  let late = { ms: Number.POSITIVE_INFINITY, at: 0 }

  function forget(): void {
    first = newest = null
    blockMs = usualMs
    paceSeconds = 0
    late = { ms: Number.POSITIVE_INFINITY, at: 0 }
  }

  /** Whether the time between two blocks is long enough for the number of blocks between them. */
  function fits(one: Timed, other: Timed): boolean {
    const [lower, higher] = one.number <= other.number ? [one, other] : [other, one]
    const ms = (higher.time - lower.time + 1) * 1_000
    const isReplaced = one.number === other.number
    return (
      isReplaced || (higher.time >= lower.time && (higher.number - lower.number) * usualMs * paceFactors.least <= ms)
    )
  }

  /** Measures the interval from `first`, and restarts at `to` if `first` is too old or gives no credible interval. */
  function pace(block: Timed, to: Timed): void {
    if (!first || to.time - first.time > paceSecondsMax) first = to
    if (block.number < first.number && to.time - block.time <= paceSecondsMax) first = block
    const blocks = to.number - first.number
    if (blocks < paceBlocksMin) return
    const seconds = to.time - first.time
    const ms = (seconds * 1_000) / blocks
    if (ms < usualMs * paceFactors.least || ms > usualMs * paceFactors.most) first = to
    // The first seconds of a new span are worse than the whole span before.
    else if (seconds >= Math.min(paceSeconds, paceSecondsEnough)) [blockMs, paceSeconds] = [ms, seconds]
  }

  return {
    /** @param now Milliseconds since 1970. */
    note({ number, time }: Timed, now: number): void {
      const block = { number, time }
      if (newest && !fits(newest, block)) {
        forget()
        return
      }
      if (!newest || time >= newest.time) newest = { ...block, readAt: now }
      const lateMs = now - time * 1_000
      if (lateMs < late.ms || now - late.at > seenForMs) late = { ms: lateMs, at: now }
      pace(block, newest)
    },
    /** Returns the milliseconds until a block should exist: 0 if it might exist now, null if unknown. */
    untilMs(number: number, now: number): number | null {
      if (!newest || usualMs === 0 || now - newest.readAt > reckonedMsMax) return null
      const missingMs = (number - newest.number) * blockMs + jitterMs
      const lateMs = Math.max(0, Math.min(late.ms, blockMs / 2))
      // Our clock might be slow, but the block existed when it was read.
      const at = Math.min(newest.time * 1_000 + lateMs, newest.readAt) + missingMs
      return number <= newest.number ? 0 : Math.max(0, Math.ceil(at - now))
    },
  }
}
