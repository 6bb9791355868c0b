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
  /** Counts how often what is not stored was forgotten: what was being read before that says nothing any more. */
  let era = 0
  let asked: { types: WebhookEndpoint['types']; named: ReadonlySet<string> } | null = null

  function isAsked(type: string): boolean {
    const { types } = endpoint()
    if (asked?.types !== types) asked = { types, named: typesNamed(types.join(',')) ?? new Set() }
    return asked.named.has(type)
  }

  const isKnown = (eventId: string): boolean => stored.has(eventId) || unstored.has(eventId)

  const deliveryOf = ({ id, type, at, body }: PostableEvent): WebhookDelivery =>
    newDelivery(endpoint(), { id, type, at, body: body() }, now())

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
    const news = page.filter(({ id }) => !isKnown(id))
    if (news.length === 0) return
    const before = era
    const there = await webhookDeliveries.known(news.map(({ id }) => deliveryId(endpointId, id)))
    if (era !== before) return
    const toStore: WebhookDelivery[] = []
    for (const event of news) {
      if (isKnown(event.id)) continue
      if (there.has(deliveryId(endpointId, event.id))) stored.set(event.id, event.at)
      else {
        const delivery = deliveryOf(event)
        if (isStoredFirst || !unstored.add(delivery)) toStore.push(delivery)
      }
    }
    await store(toStore)
    if (there.size > 0) onStored()
  }

  /** Reads what stands between two places of the feed, and says after each page how far that is done. */
  async function readBetween(begin: number, to: number, isLate: boolean, onRead: (readTo: number) => void) {
    let [from, after]: [number, string | null] = [begin - (begin % fromStepMs), null]
    const before = era
    for (let isMore = true; isMore && lease.feed() && era === before; ) {
      const range = { from, to, after, limit: pageMax }
      const { events, readTo: done } = await ports.eventsBetween({ organizationId, types: endpoint().types }, range)
      await take(
        events.filter(({ at }) => at >= begin),
        isLate,
      )
      if (era !== before) return
      const last = events.length === pageMax ? events.at(-1)! : null
      isMore = last !== null || done < to
      from = last?.at ?? done
      after = last?.id ?? after
      onRead(from)
      if (isMore) await pump()
    }
  }

  return {
    /** The lease is taken. */
    begin(from: number): void {
      ownFrom = now()
      readTo = from
      // The process before this one may have been that far behind.
      checkedTo = Math.max(endpoint().createdAt, from - 2 * late.ms)
    },
    /** Takes an event as it happens. @returns false when it has to be read from the feed. */
    hear(event: PostableEvent): boolean {
      const feed = lease.feed()
      // What comes long after its place is found when that is looked for a second time.
      if (!feed || event.at < readTo || !isActive(endpoint()) || !isAsked(event.type)) return true
      return isKnown(event.id) || (event.at >= ownFrom && unstored.add(deliveryOf(event)))
    },
    /** A delivery is stored, by whomever. */
    note,
    /** Forgets what is not stored, which is read again when it may be posted. */
    forget(): void {
      era += 1
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
    async read(): Promise<void> {
      const to = Math.ceil((now() + 1) / toStepMs) * toStepMs
      const before = era
      await readBetween(readTo, to, false, (read) => {
        readTo = Math.max(readTo, Math.min(read, to - settledMs))
      })
      if (era !== before) return
      const storedTo = Math.min(readTo, unstored.placeBefore())
      lease.change((feed) => ({ ...feed, readTo: Math.max(feed.readTo, storedTo) }))
      const lateTo = Math.min(to - late.ms, storedTo)
      if (lateTo - checkedTo >= late.everyMs)
        await readBetween(checkedTo, lateTo, true, (read) => {
          checkedTo = read
        })
      for (const [known, place] of stored) if (place < checkedTo) stored.delete(known)
    },
  }
}
