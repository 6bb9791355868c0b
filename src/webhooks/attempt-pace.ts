import { quickMs } from '../domain/webhook/delivery'

/** If no attempt has ended for this long, the endpoint does not keep up. */
const stuckMs = 2_000
/** Limit of attempts under way and attempts that have ended but are not stored. */
export const unstoredMax = 500
/**
 * The store counts as unreachable after this many consecutive attempts that could not be stored. It is retried after
 * `ms`.
 */
const away = { attempts: 16, ms: 1_000 } as const

/** The attempts at an endpoint that have no response yet, and how quickly it responds. */
export function attemptPace(now: () => number) {
  /** When each attempt began. */
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
    /** Records whether the outcome of an attempt was stored. */
    noteStored(isStored: boolean): void {
      unstoredCount = isStored ? 0 : unstoredCount + 1
      if (!isStored) unstoredAt = now()
    },
    /**
     * Whether one more attempt may begin. While the store is unreachable, a single attempt at a time probes it, because
     * every event posted in that period will be posted again.
     *
     * @param unstored Number of attempts under way or not stored.
     */
    mayBegin: (unstored: number): boolean =>
      unstoredCount < away.attempts ? unstored < unstoredMax : unstored === 0 && now() - unstoredAt >= away.ms,
    noteAnswer(durationMs: number): void {
      lastMs = durationMs
    },
    /** Whether the last attempt was answered quickly, and no current one has waited long. */
    isQuick: (): boolean => lastMs !== null && lastMs <= quickMs && now() - oldest() <= quickMs,
    isStuck: (): boolean => now() - Math.max(oldest(), endedAt) > stuckMs,
  }
}
