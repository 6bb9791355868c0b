/** The clocks of two processes may differ by this much. */
export const clocksApartMs = 60_000

/** A smaller difference may be the latency of the question. */
const apartMs = 2_000
/** At the start, so many questions may be asked until one is answered fast enough. */
const attemptsMax = 5

/**
 * Milliseconds since 1970 by this machine's clock, for what runs without a database: the signer, the doctor, tools.
 * Everything else goes by `databaseClock`.
 */
export const wallClock = (): number => Date.now()

/** By how much a clock is ahead of ours. The truth is at most `errorMs` away: half of what the question took. */
export type Measured = { aheadMs: number; errorMs: number }

/** Compares a clock with ours. It is read between question and answer, most likely in the middle. */
export async function measured(theirs: () => Promise<number>, ours: () => number = wallClock): Promise<Measured> {
  const [at, from] = [ours(), performance.now()]
  const time = await theirs()
  const errorMs = (performance.now() - from) / 2
  return { aheadMs: time - (at + errorMs), errorMs }
}

/**
 * Milliseconds since 1970 by the database's clock, advanced by monotonic time. No worker trusts its own wall clock, so
 * a jump of it changes nothing.
 *
 * @param databaseNow asks the database for its time, at the start and again in every `keep`.
 */
export async function databaseClock(databaseNow: () => Promise<number>) {
  const isSharp = ({ errorMs }: Measured) => 2 * errorMs <= apartMs
  let zero = 0
  const now = () => Math.floor(zero + performance.now())
  let first = await measured(databaseNow, now)
  for (let n = 1; n < attemptsMax && !isSharp(first); n++) {
    const again = await measured(databaseNow, now)
    if (again.errorMs < first.errorMs) first = again
  }
  zero += first.aheadMs
  return {
    now,
    /**
     * Corrects the clock when it has drifted from the database's.
     *
     * @returns the drift in milliseconds; null when the answer took too long to tell.
     */
    async keep(): Promise<number | null> {
      const drift = await measured(databaseNow, now)
      if (!isSharp(drift)) return null
      if (Math.abs(drift.aheadMs) > apartMs) zero += drift.aheadMs
      return drift.aheadMs
    },
  }
}
