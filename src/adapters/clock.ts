/**
 * Milliseconds since 1970 by the database's clock, carried on by monotonic time: no worker trusts its own wall clock,
 * and a jump of it moves nothing.
 *
 * @param databaseNow what the database says, asked once at the start and again by `drift`.
 */
export async function databaseClock(databaseNow: () => Promise<number>) {
  const before = performance.now()
  const said = await databaseNow()
  const after = performance.now()
  const zero = said - (before + after) / 2
  const now = () => Math.floor(zero + performance.now())
  return {
    now,
    /** How far the two have come apart. */
    async driftMs(): Promise<number> {
      const asked = now()
      const database = await databaseNow()
      return database - (asked + now()) / 2
    },
  }
}
