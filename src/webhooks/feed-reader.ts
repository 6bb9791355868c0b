import { BoundedMap } from '../domain/bounded-map'
import { typesNamed } from '../domain/event-types'
import { deliveryId, newDelivery, type WebhookDelivery } from '../domain/webhook/delivery'
import { isActive, type WebhookEndpoint } from '../domain/webhook/endpoint'
import type { PostableEvent } from '../ports/webhooks/webhooks'
import type { EndpointLease } from './endpoint-lease'
import type { RunPorts } from './run-ports'
import type { UnstoredEvents } from './unstored-events'

/** A write is readable at the latest this long after its place in the feed, so that the rest is read again. */
const settledMs = 10_000
/** What is this old is read once more, for what a process stored after it had stood still. */
const late = { ms: 5 * 60_000, everyMs: 30_000 } as const
const pageMax = 2_000
/** The endpoints of an organization that read at the same time ask for the same, so that one answer serves all. */
const [fromStepMs, toStepMs] = [5_000, 250]
const storedMax = 50_000
/** What nobody told is found at the latest after this time, however much waits to be posted. */
const unreadMs = 60_000

/** How far a reading came that began at a place of the feed. */
type Place = { begin: number; from: number; after: string | null }

type Reading = {
  endpoint: () => WebhookEndpoint
  lease: EndpointLease
  unstored: UnstoredEvents
  /** There is something in the store that may be due. */
  onStored: () => void
  /** Posts what there is before more is read. */
  pump: () => Promise<void>
}

/**
 * Finds the events of one endpoint. They are told as they happen, and the feed is read for what nobody told: the place
 * up to which it is read, which is stored, stays before every event that is not stored as a delivery.
 */
export function feedReader(ports: RunPorts, { endpoint, lease, unstored, onStored, pump }: Reading) {
  const { webhookDeliveries, now } = ports
  const { id: endpointId, organizationId } = endpoint()
  /** Every event before this place is known here. */
  let readTo = 0
  /** Every event before this place was looked for a second time. */
  let checkedTo = 0
  /** What stands before this place may have been stored by another process. */
  let ownFrom = Number.POSITIVE_INFINITY
  /** The places of the events that are stored and would be read again. */
  const stored = new BoundedMap<string, number>(storedMax)
  /** The event that told each fact first. */
  const firstIds = new BoundedMap<string, string>(storedMax)
  /** Counts how often what is not stored was forgotten: what was being read before that says nothing any more. */
  let era = 0
  /** When everything was read for the last time. */
  let wholeAt = Number.NEGATIVE_INFINITY
  /** How far a reading came that stopped because enough waits to be posted: the next one goes on from there. */
  let stopped: (Place & { until: number }) | null = null
  let asked: { types: WebhookEndpoint['types']; named: ReadonlySet<string> } | null = null

  function isAsked(type: string): boolean {
    const { types } = endpoint()
    if (asked?.types !== types) asked = { types, named: typesNamed(types.join(',')) ?? new Set() }
    return asked.named.has(type)
  }

  function isKnown({ id, fact }: PostableEvent): boolean {
    const firstId = firstIds.get(fact) ?? id
    return [id, firstId].some((one) => stored.has(one) || unstored.has(one))
  }

  function deliveryOf({ id, fact, type, at, body }: PostableEvent): WebhookDelivery {
    firstIds.set(fact, id)
    return newDelivery(endpoint(), { id, type, at, body: body() }, now())
  }

  async function store(deliveries: readonly WebhookDelivery[]): Promise<void> {
    if (endpoint().deletedAt !== null) return
    const results = await Promise.allSettled(
      deliveries.map(async (one) => {
        await webhookDeliveries.save(one)
        note(one)
      }),
    )
    if (deliveries.length > 0) onStored()
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  function note(delivery: WebhookDelivery): void {
    unstored.remove(delivery)
    stored.set(delivery.eventId, delivery.dueAt!)
  }

  /** Takes those of a page that are new. @param isStoredFirst whether the place of the feed is past them already. */
  async function take(page: readonly PostableEvent[], isStoredFirst: boolean): Promise<void> {
    const news = page.filter((one) => !isKnown(one))
    for (const { id, fact, at } of page) if (stored.has(firstIds.get(fact) ?? id) && !stored.has(id)) stored.set(id, at)
    if (news.length === 0) return
    const before = era
    const there = await webhookDeliveries.known(news.map(({ id }) => deliveryId(endpointId, id)))
    if (era !== before) return
    const toStore: WebhookDelivery[] = []
    for (const event of news) {
      if (isKnown(event)) continue
      if (there.has(deliveryId(endpointId, event.id))) stored.set(event.id, event.at)
      else {
        const delivery = deliveryOf(event)
        if (isStoredFirst || !unstored.add(delivery)) toStore.push(delivery)
      }
    }
    await store(toStore)
    if (there.size > 0) onStored()
  }

  /** Whether to read can wait, because enough waits to be posted. */
  const mayWait = (): boolean => unstored.isAmple() && now() - wholeAt < unreadMs

  const placeAt = (begin: number): Place => ({ begin, from: begin - (begin % fromStepMs), after: null })

  /**
   * Reads the feed from a place on, and says after each page how far that is done.
   *
   * @param isLate Whether the place of the feed is past this already.
   * @returns where it stopped; null when there is no more.
   */
  async function readBetween(
    { begin, ...place }: Place,
    { to, isLate }: { to: number; isLate: boolean },
    onRead: (readTo: number) => void,
  ): Promise<Place | null> {
    let { from, after } = place
    const before = era
    for (let isMore = true; isMore && lease.feed() && era === before; ) {
      if (!isLate && mayWait()) return { begin, from, after }
      const range = { from, to, after, limit: pageMax }
      const { events, readTo: done } = await ports.eventsBetween({ organizationId, types: endpoint().types }, range)
      await take(
        events.filter(({ at }) => at >= begin),
        isLate,
      )
      if (era !== before) return null
      const last = events.length === pageMax ? events.at(-1)! : null
      isMore = last !== null || done < to
      if (last !== null && after !== null && last.place <= after) throw new Error('The feed does not go on')
      from = last?.at ?? done
      after = last?.place ?? after
      onRead(from)
      if (isMore) await pump()
    }
    return null
  }

  return {
    /** The lease is taken. */
    begin(from: number): void {
      ownFrom = now()
      readTo = from
      wholeAt = now()
      // The process before this one may have been that far behind.
      checkedTo = Math.max(endpoint().createdAt, from - 2 * late.ms)
    },
    /** Takes an event as it happens. @returns false when it has to be read from the feed. */
    hear(event: PostableEvent): boolean {
      const feed = lease.feed()
      // What comes long after its place is found when that is looked for a second time.
      if (!feed || event.at < readTo || !isActive(endpoint()) || !isAsked(event.type)) return true
      if (isKnown(event)) return true
      // Of what is told once more it is asked whether it is stored.
      return event.place === event.id && event.at >= ownFrom && unstored.add(deliveryOf(event))
    },
    /** A delivery is stored, by whomever. */
    note,
    /** Forgets what is not stored, which is read again when it may be posted. */
    forget(): void {
      era += 1
      stopped = null
      unstored.clear()
      readTo = lease.feed()?.readTo ?? readTo
    },
    /** Stores what waits, so that it is listed and forgotten here. */
    async storeWaiting(): Promise<void> {
      const all = unstored.takeAll()
      try {
        await store(all)
      } finally {
        for (const one of all) unstored.giveBack(one)
      }
    },
    /** @returns whether there is no need to read again soon. */
    async read(): Promise<boolean> {
      const to = Math.ceil((now() + 1) / toStepMs) * toStepMs
      const before = era
      // What was read at first may have become readable since, however long ago that was.
      const goesOn = stopped !== null
      const { until, ...place } = stopped ?? { ...placeAt(readTo), until: to }
      const rest = await readBetween(place, { to, isLate: false }, (read) => {
        readTo = Math.max(readTo, Math.min(read, until - settledMs))
      })
      if (era !== before) return true
      stopped = rest && { ...rest, until }
      const storedTo = Math.min(readTo, unstored.placeBefore())
      lease.change((feed) => ({ ...feed, readTo: Math.max(feed.readTo, storedTo) }))
      if (stopped) return false
      wholeAt = now()
      const lateTo = Math.min(to - late.ms, storedTo)
      if (lateTo - checkedTo >= late.everyMs)
        await readBetween(placeAt(checkedTo), { to: lateTo, isLate: true }, (read) => {
          checkedTo = read
        })
      for (const [known, place] of stored) if (place < checkedTo) stored.delete(known)
      return !goesOn
    },
    mayWait,
  }
}
