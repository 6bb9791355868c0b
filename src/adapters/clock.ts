/** Less than this is the way there and back. */
const apartMs = 2_000

/**
 * Milliseconds since 1970 by the database's clock, carried on by monotonic time: no worker trusts its own wall clock,
 * and a jump of it moves nothing.
 *
 * @param databaseNow what the database says, asked once at the start and again by `keep`.
 */
export async function databaseClock(databaseNow: () => Promise<number>) {
  const before = performance.now()
  const said = await databaseNow()
  const after = performance.now()
  let zero = said - (before + after) / 2
  const now = () => Math.floor(zero + performance.now())
  return {
    now,
    /** Follows the database where the two have come apart. @returns how far they had. */
    async keep(): Promise<number> {
      const asked = now()
      const database = await databaseNow()
      const driftMs = database - (asked + now()) / 2
      if (Math.abs(driftMs) > apartMs) zero += driftMs
      return driftMs
    },
  }
}
