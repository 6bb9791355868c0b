import { BoundedMap } from '../domain/bounded-map'
import type { EventsBetween } from '../ports/webhooks/webhooks'

/** The answers that are kept, for the endpoints that are about to ask for the same. */
const keptMax = 50

/**
 * Reads the feed once for all endpoints of an organization that ask for the same. An answer is given again until
 * something happens in the organization: whoever heard of it reads what was not there before.
 */
export function sharedEvents(read: EventsBetween): {
  eventsBetween: EventsBetween
  forget(organizationId: string): void
} {
  const kept = new BoundedMap<string, { organizationId: string; answer: ReturnType<EventsBetween> }>(keptMax)
  return {
    eventsBetween(asked, range) {
      const { organizationId } = asked
      const key = JSON.stringify([asked, range])
      const known = kept.get(key)
      if (known) return known.answer
      const answer = read(asked, range)
      kept.set(key, { organizationId, answer })
      answer.catch(() => kept.delete(key))
      return answer
    },
    forget(organizationId) {
      for (const [key, one] of kept) if (one.organizationId === organizationId) kept.delete(key)
    },
  }
}
