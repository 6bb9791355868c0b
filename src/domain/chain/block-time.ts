/** How far a block's time may be ahead of our clock before it is no longer believed. */
const aheadSecondsMax = 60

/**
 * Returns a block's own time, limited to what our clock makes plausible. An order signed against a time far in the
 * future would live until then, and nothing could be decided about it before.
 *
 * @param time The block's time, in seconds since 1970.
 * @param now The time by our clock, in milliseconds since 1970.
 * @returns Seconds since 1970.
 */
export const believedTime = (time: number, now: number): number =>
  Math.min(time, Math.floor(now / 1_000) + aheadSecondsMax)

type Timed = { number: number; time: number }

/** So many blocks tell how long one takes, because their times are in whole seconds. */
const paceBlocksMin = 8
/** The pace is taken from blocks whose times are no further apart. */
const paceSecondsMax = 600
/** By how much a block may take less or more time than usual to be believed. */
const paceFactors = { least: 1 / 8, most: 2 }
/** What was read longer ago than this says nothing of the time at which later blocks come. */
const reckonedMsMax = 120_000
/** Blocks do not come to the moment. */
const jitterMs = 250
/** For how long it is remembered how soon after its time a block was seen at the earliest. */
const seenForMs = 10 * 60_000

/**
 * Reckons when blocks should be there, by the times of those that were read. Nothing is concluded from it but when to
 * ask. When two blocks cannot be of one chain, nobody knows which of them is wrong, so both are forgotten.
 *
 * @param usualMs How long a block takes as a rule; 0 where nobody can tell.
 */
export function blockClock(usualMs: number) {
  let first: Timed | null = null
  let newest: (Timed & { readAt: number }) | null = null
  let blockMs = usualMs
  /** How long after its time, which is in whole seconds, a block is seen. */
  let late = { ms: Number.POSITIVE_INFINITY, at: 0 }

  function forget(): void {
    first = newest = null
    blockMs = usualMs
    late = { ms: Number.POSITIVE_INFINITY, at: 0 }
  }

  /** Whether the time between two blocks explains how many there are between them. */
  function fits(one: Timed, other: Timed): boolean {
    const [lower, higher] = one.number <= other.number ? [one, other] : [other, one]
    const ms = (higher.time - lower.time + 1) * 1_000
    const isReplaced = one.number === other.number
    return (
      isReplaced || (higher.time >= lower.time && (higher.number - lower.number) * usualMs * paceFactors.least <= ms)
    )
  }

  /** Takes the pace of the blocks from `first`, which is forgotten where it is too old or explains no pace. */
  function pace(block: Timed, to: Timed): void {
    if (!first || to.time - first.time > paceSecondsMax) first = to
    if (block.number < first.number && to.time - block.time <= paceSecondsMax) first = block
    const blocks = to.number - first.number
    if (blocks < paceBlocksMin) return
    const ms = ((to.time - first.time) * 1_000) / blocks
    if (ms >= usualMs * paceFactors.least && ms <= usualMs * paceFactors.most) blockMs = ms
    else first = to
  }

  return {
    /** @param now milliseconds since 1970. */
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
    /** Returns in how many milliseconds a block should be there; 0 when it may be there, null when that is unknown. */
    untilMs(number: number, now: number): number | null {
      if (!newest || usualMs === 0 || now - newest.readAt > reckonedMsMax) return null
      const missingMs = (number - newest.number) * blockMs + jitterMs
      const lateMs = Math.max(0, Math.min(late.ms, blockMs / 2))
      // Our clock may be slow, but the block was there when it was read.
      const at = Math.min(newest.time * 1_000 + lateMs, newest.readAt) + missingMs
      return number <= newest.number ? 0 : Math.max(0, Math.ceil(at - now))
    },
  }
}
