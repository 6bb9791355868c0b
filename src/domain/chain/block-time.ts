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
