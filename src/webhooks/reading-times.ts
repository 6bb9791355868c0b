/** Interval of reading the feed and the due deliveries if no event was announced. */
export const lookMs = 15_000
/**
 * Events that exceeded an endpoint's room are read at these times. All endpoints of an organization share them, so one
 * result serves all.
 */
const soonMs = 2_000

/** When to read the feed of an endpoint. */
export function readingTimes(now: () => number, organizationId: string) {
  let isAsked = true
  let askedAt = Number.NEGATIVE_INFINITY
  let lookAt = Number.NEGATIVE_INFINITY
  return {
    isDue: (): boolean => (isAsked && now() >= askedAt) || now() >= lookAt,
    atOnce(): void {
      isAsked = true
      askedAt = Number.NEGATIVE_INFINITY
    },
    soon(): void {
      if (isAsked) return
      isAsked = true
      const at = now()
      askedAt = at - (at % soonMs) + soonMs
    },
    noteBegin(): void {
      isAsked = false
    },
    noteEnd(): void {
      const at = now()
      // The endpoints of an organization read the feed together, and at a different time from other organizations.
      lookAt = at + lookMs - ((at + Number(Bun.hash(organizationId) % BigInt(lookMs))) % lookMs)
    },
  }
}
