/** Difference that is tolerated between the clocks of two processes, in milliseconds. */
export const clocksApartMs = 60_000

/**
 * Smallest drift that is corrected, and longest round trip of a usable reading, in milliseconds. A smaller drift might
 * be only the latency of the request.
 */
const apartMs = 2_000
/** Most readings at startup until one is fast enough. */
const attemptsMax = 5

/**
 * Milliseconds since 1970 by this machine's clock, for code that runs without a database: the signer, the doctor and
 * tools. All other code uses `databaseClock`.
 */
export const wallClock = (): number => Date.now()

/** How far a clock is ahead of ours, in milliseconds. The true difference is within `errorMs`, half the round trip. */
export type ClockDifference = { aheadMs: number; errorMs: number }

/** Compares a clock with ours, assuming that it was read halfway through the round trip. */
export async function clockDifference(
  theirs: () => Promise<number>,
  ours: () => number = wallClock,
): Promise<ClockDifference> {
  const [at, from] = [ours(), performance.now()]
  const time = await theirs()
  const errorMs = (performance.now() - from) / 2
  return { aheadMs: time - (at + errorMs), errorMs }
}

/**
 * Returns a clock of milliseconds since 1970: the database's time, advanced by monotonic time. No worker trusts its own
 * wall clock, so a jump of that clock changes nothing.
 *
 * @param databaseNow Reads the database's time, at startup and in every `keep`.
 */
export async function databaseClock(databaseNow: () => Promise<number>) {
  const isSharp = ({ errorMs }: ClockDifference) => 2 * errorMs <= apartMs
  let zero = 0
  const now = () => Math.floor(zero + performance.now())
  let first = await clockDifference(databaseNow, now)
  for (let n = 1; n < attemptsMax && !isSharp(first); n++) {
    const again = await clockDifference(databaseNow, now)
    if (again.errorMs < first.errorMs) first = again
  }
  zero += first.aheadMs
  return {
    now,
    /**
     * Corrects the clock if it has drifted from the database's.
     *
     * @returns The drift in milliseconds, or null if the response was too slow to measure it.
     */
    async keep(): Promise<number | null> {
      const drift = await clockDifference(databaseNow, now)
      if (!isSharp(drift)) return null
      if (Math.abs(drift.aheadMs) > apartMs) zero += drift.aheadMs
      return drift.aheadMs
    },
  }
}
