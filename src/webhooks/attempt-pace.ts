import { quickMs } from '../domain/webhook/delivery'

/** Where no attempt has ended for this long, the endpoint does not keep up. */
const stuckMs = 2_000
/** Attempts that have ended and are not stored yet, and those under way. */
export const unstoredMax = 500
/** So many attempts in a row that could not be stored say that the store is away. It is tried again after this time. */
const away = { attempts: 16, ms: 1_000 } as const

/** The attempts at an endpoint that have no answer yet, and how quickly it answers. */
export function attemptPace(now: () => number) {
  /** When each began. */
  const underWay = new Map<string, number>()
  let lastMs: number | null = null
  let endedAt = Number.NEGATIVE_INFINITY
  let [unstoredCount, unstoredAt] = [0, Number.NEGATIVE_INFINITY]
  const oldest = (): number => underWay.values().next().value ?? now()
  return {
    count: (): number => underWay.size,
    begin: (id: string, at: number): unknown => underWay.set(id, at),
    end(id: string): void {
      underWay.delete(id)
      endedAt = now()
    },
    /** Whether what came of an attempt could be stored. */
    noteStored(isStored: boolean): void {
      unstoredCount = isStored ? 0 : unstoredCount + 1
      if (!isStored) unstoredAt = now()
    },
    /**
     * Whether one more may begin. Of a store that is away one attempt at a time finds out whether it is back, because
     * whatever is posted meanwhile will be posted again.
     *
     * @param unstored how many there are whose outcome is not stored, with those under way.
     */
    mayBegin: (unstored: number): boolean =>
      unstoredCount < away.attempts ? unstored < unstoredMax : unstored === 0 && now() - unstoredAt >= away.ms,
    noteAnswer(durationMs: number): void {
      lastMs = durationMs
    },
    /** Whether the last attempt was answered at once, and none has waited for long since. */
    isQuick: (): boolean => lastMs !== null && lastMs <= quickMs && now() - oldest() <= quickMs,
    isStuck: (): boolean => now() - Math.max(oldest(), endedAt) > stuckMs,
  }
}
