/** Without having heard of an event, the feed and what is due are looked at this often. */
export const lookMs = 15_000
/**
 * What an endpoint has no room for is read at these times, which are the same for all endpoints of an organization, so
 * that one answer serves them.
 */
const soonMs = 2_000

/** When the feed of an endpoint is to be read. */
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
      // The endpoints of an organization look at the feed at the same time, and those of another at another one.
      lookAt = at + lookMs - ((at + Number(Bun.hash(organizationId) % BigInt(lookMs))) % lookMs)
    },
  }
}
