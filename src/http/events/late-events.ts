import { inParts } from '../../domain/concurrency'
import type { LateEvent, LateEvents } from '../../ports/webhooks/late-events'
import type { FeedEvent } from '../views/event'
import { eventId, timeOfEvent } from './event-id'
import { type IntentFeed, intentEvent, intentEventId } from './intent-events'
import { type RareFeed, rareEvents } from './rare-events'

export type LateFeed = { lateEvents: Pick<LateEvents, 'between'> }
type Ports = RareFeed & IntentFeed & { lateEvents: LateEvents; now: () => number }

/** The list is read up to five seconds before now. A reader might miss an event first seen later than this. */
const timelyMs = 2_500
const nearMs = 5_000
/** A write whose connection is lost can stay in a network for a quarter of an hour before it arrives. */
const far = { ms: 20 * 60_000, everyMs: 30_000 } as const
/** The first poll repeats this much. It includes events that a process stored late as it died. */
const unseenMs = 60_000

/** Number of events per write, and per read. */
const chunkMax = 200

type Seen = Pick<LateEvent, 'organizationId' | 'at' | 'intent'> & { id: string }

/**
 * Finds events that became readable late, because their write was slow or lost its response, and lists them again at a
 * position that readers have not passed. Stored records do not change, so an event has one id. The process that wrote
 * it can be dead.
 */
export function lateness({ lateEvents, now, ...ports }: Ports) {
  const seen = new Map<string, number>()
  let began: number | null = null
  let lookedAt = 0
  let farAt = Number.NEGATIVE_INFINITY

  async function happened(from: number, to: number): Promise<Seen[]> {
    const rare = await rareEvents(ports, from, to)
    const marks = await ports.intentHistory.marksBetween(from, to)
    const ofIntents = marks.map(({ id, version, ...mark }) => {
      return { ...mark, id: intentEventId({ id, version, at: mark.at }), intent: { id, version } }
    })
    return [...rare.map((event) => ({ ...event, intent: null })), ...ofIntents]
  }

  /** Events that took long to note are found and noted again. */
  async function note(part: readonly Seen[]): Promise<void> {
    const noting = now()
    const late = part.filter(({ at }) => noting - at > timelyMs)
    if (late.length > 0)
      await lateEvents.note(
        late.map(({ id: eventId, organizationId, intent }) => ({ eventId, organizationId, at: noting, intent })),
      )
    if (late.length === 0 || now() - noting <= timelyMs) for (const one of part) seen.set(one.id, one.at)
  }

  return {
    async look(): Promise<void> {
      const at = now()
      began ??= at - unseenMs
      const isFar = at - farAt >= far.everyMs
      const from = isFar ? at - far.ms : Math.min(at, lookedAt) - nearMs
      const found = await happened(Math.max(from, began), at + 1)
      const fresh = found.filter(({ id }) => !seen.has(id))
      for (const part of inParts(fresh, chunkMax)) await note(part)
      for (const [id, happenedAt] of seen) if (happenedAt < at - 2 * far.ms) seen.delete(id)
      if (!fresh.every(({ id }) => seen.has(id))) return
      lookedAt = at
      if (isFar) farAt = at
    },
  }
}

/** Yields the late events of intents and the rare late events between two positions, each at its later position. */
export async function* lateAgain(
  ports: RareFeed & IntentFeed & LateFeed,
  tenant: string | null,
  from: number,
  to: number,
): AsyncGenerator<FeedEvent[]> {
  const noted = await ports.lateEvents.between({ organizationId: tenant }, from, to)
  for (let n = 0; n < noted.length; n += chunkMax) {
    const rows = noted.slice(n, n + chunkMax)
    const marks = rows.flatMap(({ intent }) => intent ?? [])
    const times = rows.flatMap(({ eventId, intent }) => (intent ? [] : timeOfEvent(eventId)!))
    const [versions, rare] = await Promise.all([
      ports.intentHistory.versionsOf(marks),
      times.length > 0 ? rareEvents(ports, Math.min(...times), Math.max(...times) + 1, tenant) : [],
    ])
    const byId = new Map([...versions.map(intentEvent), ...rare].map((event) => [event.id, event]))
    yield rows.flatMap(({ eventId: id, at }) => {
      const event = byId.get(id)
      return event ? [{ ...event, at, place: eventId(at, id, 0) }] : []
    })
  }
}
