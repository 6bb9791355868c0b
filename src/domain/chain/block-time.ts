/** No chain's block is further ahead of a clock that is as right as clocks are. */
const aheadSecondsMax = 60

/**
 * A block's own time, as far as it is believed: none is of the future. An order that is signed by one would live until
 * then, and nothing could be decided about it before.
 *
 * @param time in seconds. @param now in milliseconds, by our clock.
 */
export const believedTime = (time: number, now: number): number =>
  Math.min(time, Math.floor(now / 1_000) + aheadSecondsMax)
