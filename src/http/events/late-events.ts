import { inParts } from '../../domain/concurrency'
import type { LateEvent, LateEvents } from '../../ports/webhooks/late-events'
import type { FeedEvent } from '../views/event'
import { eventId, timeOfEvent } from './event-id'
import { type IntentFeed, intentEvent, intentEventId } from './intent-events'
import { type RareFeed, rareEvents } from './rare-events'

export type LateFeed = { lateEvents: Pick<LateEvents, 'between'> }
type Ports = RareFeed & IntentFeed & { lateEvents: LateEvents; now: () => number }

/** The list is read up to five seconds before now. What is seen for the first time later than this may be missed. */
const timelyMs = 2_500
const nearMs = 5_000
/** A write whose connection is lost may lie in a network for a quarter of an hour before it arrives. */
const far = { ms: 20 * 60_000, everyMs: 30_000 } as const
/** When nobody has looked before, this much is told once more: what a process stored late as it died is among it. */
const unseenMs = 60_000

/** So many are noted in one write, and read in one. */
const chunkMax = 200

type Seen = Pick<LateEvent, 'organizationId' | 'at' | 'intent'> & { id: string }

/**
 * Looks for what became readable late, because its write took long or lost its answer, and has it told once more where
 * readers of the list still come. Nothing that is stored changes, so an event has one id. Its writer may be dead.
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

  /** What took long to be noted is found again, and noted again. */
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

/** The events of intents and of what is rare that are told once more between two places, each at its later place. */
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
