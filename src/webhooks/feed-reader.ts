import { BoundedMap } from '../domain/bounded-map'
import { typesNamed } from '../domain/event-types'
import { deliveryId, newDelivery, type WebhookDelivery } from '../domain/webhook/delivery'
import { isActive, type WebhookEndpoint } from '../domain/webhook/endpoint'
import type { PostableEvent } from '../ports/webhooks/webhooks'
import type { EndpointLease } from './endpoint-lease'
import type { RunPorts } from './run-ports'
import type { UnstoredEvents } from './unstored-events'

/** A write is readable within this time after its position in the feed. More recent positions are read again. */
const settledMs = 10_000
/** Events of this age are read a second time, to find those stored by a process that had stalled. */
const late = { ms: 5 * 60_000, everyMs: 30_000 } as const
const pageMax = 2_000
/** Endpoints of an organization that read at the same moment send the same query, so one result serves all. */
const [fromStepMs, toStepMs] = [5_000, 250]
const storedMax = 50_000
/** An event that was not announced is found within this time, however much waits to be posted. */
const unreadMs = 60_000

/** How far a read has come that began at a position of the feed. */
type Place = { begin: number; from: number; after: string | null }

type Reading = {
  endpoint: () => WebhookEndpoint
  lease: EndpointLease
  unstored: UnstoredEvents
  /** Called when the store might hold a due delivery. */
  onStored: () => void
  /** Posts the existing events before more is read. */
  pump: () => Promise<void>
}

/**
 * Finds the events of one endpoint. Most are announced as they happen, and reading the feed finds the others. The
 * stored position, up to which the feed is read, stays before every event that is not stored as a delivery.
 */
export function feedReader(ports: RunPorts, { endpoint, lease, unstored, onStored, pump }: Reading) {
  const { webhookDeliveries, now } = ports
  const { id: endpointId, organizationId } = endpoint()
  /** Every event before this position is known here. */
  let readTo = 0
  /** Every event before this position was searched for a second time. */
  let checkedTo = 0
  /** Events before this position might have been stored by another process. */
  let ownFrom = Number.POSITIVE_INFINITY
  /** The positions of stored events that would otherwise be read again. */
  const stored = new BoundedMap<string, number>(storedMax)
  /** The first event that reported each fact. */
  const firstIds = new BoundedMap<string, string>(storedMax)
  /** Counts how often unstored events were forgotten. The results of reads that began earlier are then discarded. */
  let era = 0
  /** When the feed was last read to its end. */
  let wholeAt = Number.NEGATIVE_INFINITY
  /** Position of a read that stopped because enough waits to be posted. The next read continues there. */
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

  /** Takes the new events of a page. @param isStoredFirst Whether the feed's position is past them already. */
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

  /** Whether reading can wait, because enough waits to be posted. */
  const mayWait = (): boolean => unstored.isAmple() && now() - wholeAt < unreadMs

  const placeAt = (begin: number): Place => ({ begin, from: begin - (begin % fromStepMs), after: null })

  /**
   * Reads the feed from a position on and reports its progress after each page.
   *
   * @param isLate Whether the feed's position is past this already.
   * @returns where it stopped; null if there is no more.
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
      if (last !== null && after !== null && last.place <= after) throw new Error('The feed does not advance')
      from = last?.at ?? done
      after = last?.place ?? after
      onRead(from)
      if (isMore) await pump()
    }
    return null
  }

  return {
    /** Called when the lease is acquired. */
    begin(from: number): void {
      ownFrom = now()
      readTo = from
      wholeAt = now()
      // The previous process might have been that far behind.
      checkedTo = Math.max(endpoint().createdAt, from - 2 * late.ms)
    },
    /** Takes an event as it happens. @returns false if it must be read from the feed. */
    hear(event: PostableEvent): boolean {
      const feed = lease.feed()
      // An event long after its position is found when that position is read a second time.
      if (!feed || event.at < readTo || !isActive(endpoint()) || !isAsked(event.type)) return true
      if (isKnown(event)) return true
      // For a repeated event, the store must be checked first.
      return event.place === event.id && event.at >= ownFrom && unstored.add(deliveryOf(event))
    },
    /** Marks a delivery as stored, no matter which process stored it. */
    note,
    /** Forgets unstored events. They are read again once they may be posted. */
    forget(): void {
      era += 1
      stopped = null
      unstored.clear()
      readTo = lease.feed()?.readTo ?? readTo
    },
    /** Stores the waiting events, so they are listed, and forgets them here. */
    async storeWaiting(): Promise<void> {
      const all = unstored.takeAll()
      try {
        await store(all)
      } finally {
        for (const one of all) unstored.giveBack(one)
      }
    },
    /** @returns whether no further read is needed soon. */
    async read(): Promise<boolean> {
      const to = Math.ceil((now() + 1) / toStepMs) * toStepMs
      const before = era
      // Events at the positions read first might have become readable since, however long ago that was.
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
