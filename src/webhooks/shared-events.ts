import { BoundedMap } from '../domain/bounded-map'
import type { EventsBetween } from '../ports/webhooks/webhooks'

/** The answers that are kept, for the endpoints that are about to ask for the same. */
const keptMax = 50
/**
 * A full page is the same however far the reading was to go, and the endpoints of an organization come to it one after
 * the other. What becomes readable within it meanwhile is found when its place is read again.
 */
const full = { keptMax: 5, ms: 3_000 } as const

type Answer = ReturnType<EventsBetween>

/**
 * Reads the feed once for all endpoints of an organization that ask for the same. An answer is given again until
 * something happens in the organization: whoever heard of it reads what was not there before.
 */
export function sharedEvents(
  read: EventsBetween,
  now: () => number,
): {
  eventsBetween: EventsBetween
  forget(organizationId: string): void
} {
  const kept = new BoundedMap<string, { organizationId: string; answer: Answer }>(keptMax)
  /** The pages that are being read or were full, by where they begin. */
  const pages = new BoundedMap<string, { at: number; answer: Answer }>(full.keptMax)

  async function page(...[asked, range]: Parameters<EventsBetween>): Answer {
    const { from, to, after, limit } = range
    const key = JSON.stringify([asked, from, after, limit])
    const before = pages.get(key)
    if (before && now() - before.at < full.ms) {
      const { events, readTo } = await before.answer
      if (events.length === limit && events.at(-1)!.at < to) return { events, readTo }
    }
    const mine = { at: now(), answer: read(asked, range) }
    pages.set(key, mine)
    const forget = (): unknown => pages.get(key) === mine && pages.delete(key)
    try {
      const answer = await mine.answer
      if (answer.events.length < limit) forget()
      return answer
    } catch (error) {
      forget()
      throw error
    }
  }

  return {
    eventsBetween(asked, range) {
      const { organizationId } = asked
      const key = JSON.stringify([asked, range])
      const known = kept.get(key)
      if (known) return known.answer
      const answer = page(asked, range)
      kept.set(key, { organizationId, answer })
      answer.catch(() => kept.delete(key))
      return answer
    },
    forget(organizationId) {
      for (const [key, one] of kept) if (one.organizationId === organizationId) kept.delete(key)
    },
  }
}
