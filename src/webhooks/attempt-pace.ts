import { quickMs } from '../domain/webhook/delivery'

/** Where no attempt has ended for this long, the endpoint does not keep up. */
const stuckMs = 2_000

/** The attempts at an endpoint that have no answer yet, and how quickly it answers. */
export function attemptPace(now: () => number) {
  /** When each began. */
  const underWay = new Map<string, number>()
  let lastMs: number | null = null
  let endedAt = Number.NEGATIVE_INFINITY
  const oldest = (): number => underWay.values().next().value ?? now()
  return {
    count: (): number => underWay.size,
    begin: (id: string, at: number): unknown => underWay.set(id, at),
    end(id: string): void {
      underWay.delete(id)
      endedAt = now()
    },
    noteAnswer(durationMs: number): void {
      lastMs = durationMs
    },
    /** Whether the last attempt was answered at once, and none has waited for long since. */
    isQuick: (): boolean => lastMs !== null && lastMs <= quickMs && now() - oldest() <= quickMs,
    isStuck: (): boolean => now() - Math.max(oldest(), endedAt) > stuckMs,
  }
}
