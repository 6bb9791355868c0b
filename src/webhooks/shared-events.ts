import { BoundedMap } from '../domain/bounded-map'
import type { EventsBetween } from '../ports/webhooks/webhooks'

/** Number of results kept for other endpoints that are about to send the same query. */
const keptMax = 50
/**
 * A full page is the same however far the read was to go, and the endpoints of an organization reach it one after
 * another. Events that become readable within it later are found when its positions are read again.
 */
const full = { keptMax: 5, ms: 3_000 } as const

type Answer = ReturnType<EventsBetween>

/**
 * Reads the feed once for all endpoints of an organization that send the same query. A result is reused until an event
 * happens in the organization; the next read then includes that event.
 */
export function sharedEvents(
  read: EventsBetween,
  now: () => number,
): {
  eventsBetween: EventsBetween
  forget(organizationId: string): void
} {
  const kept = new BoundedMap<string, { organizationId: string; answer: Answer }>(keptMax)
  /** The pages that are being read or were full, by query. */
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
