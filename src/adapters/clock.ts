/** The clocks of two processes may differ by this much. */
export const clocksApartMs = 60_000

/** A smaller difference may be the latency of the question. */
const apartMs = 2_000

/**
 * Milliseconds since 1970 by the database's clock, advanced by monotonic time. No worker trusts its own wall clock, so
 * a jump of it changes nothing.
 *
 * @param databaseNow asks the database for its time, once at the start and again in every `keep`.
 */
export async function databaseClock(databaseNow: () => Promise<number>) {
  const before = performance.now()
  const databaseMs = await databaseNow()
  const after = performance.now()
  let zero = databaseMs - (before + after) / 2
  const now = () => Math.floor(zero + performance.now())
  return {
    now,
    /**
     * Corrects the clock when it has drifted from the database's.
     *
     * @returns the drift in milliseconds.
     */
    async keep(): Promise<number> {
      const asked = now()
      const database = await databaseNow()
      const driftMs = database - (asked + now()) / 2
      if (Math.abs(driftMs) > apartMs) zero += driftMs
      return driftMs
    },
  }
}
