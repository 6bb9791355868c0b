import { BoundedMap } from '../domain/bounded-map'
import { matchingEventTypes } from '../domain/event-types'
import { deliveryId, newDelivery, type WebhookDelivery } from '../domain/webhook/delivery'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type { LoggedEvent } from '../ports/webhooks'
import type { EndpointLease } from './endpoint-lease'
import type { Capacity, RunPorts } from './run-ports'

const pageMax = 500
const storedMax = 10_000

type Reading = {
  endpoint: () => WebhookEndpoint
  lease: EndpointLease
  unstored: UnstoredEvents
  /** Called when the store might hold a due delivery. */
  onStored: () => void
}

/**
 * Reads the events of one endpoint from the log, each once. A stored time shows how far the log was read. It stays
 * before every event that is not stored as a delivery. The next process reads the later events again, and skips those
 * that are stored.
 */
export function logReader(
  { events, webhookDeliveries, now }: RunPorts,
  { endpoint, lease, unstored, onStored }: Reading,
) {
  const { id: endpointId, organizationId } = endpoint()
  /** Every event up to this position was read here. Null until the stored time determines it. */
  let position: number | null = null
  /** Events up to this position might have been stored by another process. */
  let checkedTo = 0
  /** When the last event that was read was logged. */
  let readTo = 0
  /** Counts how often unstored events were forgotten. The results of reads that began earlier are then discarded. */
  let era = 0
  /** Events stored here since the position was determined. */
  const stored = new BoundedMap<string, true>(storedMax)
  let subscribed: { types: WebhookEndpoint['types']; named: ReadonlySet<string> } | null = null

  function isSubscribed({ type, at }: LoggedEvent): boolean {
    const { types, createdAt } = endpoint()
    if (subscribed?.types !== types) subscribed = { types, named: matchingEventTypes(types.join(',')) ?? new Set() }
    return subscribed.named.has(type) && at >= createdAt
  }

  /** Deliveries have the order of the log. */
  const deliveryOf = ({ id, type, loggedAt: at, text }: LoggedEvent): WebhookDelivery =>
    newDelivery(endpoint(), { id, type, at, body: bodyOf(text) }, now())

  function note(delivery: WebhookDelivery): void {
    unstored.remove(delivery)
    stored.set(delivery.eventId, true)
  }

  /** Takes the events of a page while there is room. @returns the position of the last one. */
  async function take(page: readonly LoggedEvent[], to: number): Promise<number> {
    const news = page.filter((event) => isSubscribed(event) && !unstored.has(event.id) && !stored.has(event.id))
    const before = era
    const toCheck = news.filter((event) => event.position <= checkedTo).map(({ id }) => deliveryId(endpointId, id))
    const there = toCheck.length > 0 ? await webhookDeliveries.stored(toCheck) : new Set<string>()
    if (there.size > 0) onStored()
    for (const event of era === before ? news : []) {
      if (there.has(deliveryId(endpointId, event.id)) || unstored.has(event.id) || stored.has(event.id)) continue
      if (!unstored.add(deliveryOf(event))) return event.position - 1
    }
    return to
  }

  async function find(): Promise<void> {
    const before = era
    const [start, head] = [await events.positionBefore(readTo), await events.head()]
    if (era !== before) return
    position = start
    checkedTo = head
  }

  return {
    /** Called when the lease is acquired. */
    begin(from: number): void {
      readTo = from
      position = null
    },
    /** Marks a delivery as stored, no matter which process stored it. */
    note,
    /** Forgets unstored events. They are read again once they may be posted. */
    forget(): void {
      era += 1
      position = null
      unstored.clear()
      readTo = lease.feed()?.readTo ?? readTo
    },
    /** Stores the waiting events, so they are listed, and forgets them here. */
    async storeWaiting(): Promise<void> {
      const all = unstored.takeAll()
      const results = await Promise.allSettled(
        all.map(async (one) => {
          // A deleted endpoint might be erased with its organization: store nothing new for it.
          if (endpoint().deletedAt !== null) return
          await webhookDeliveries.save(one)
          note(one)
        }),
      )
      for (const one of all) unstored.giveBack(one)
      if (all.length > 0) onStored()
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
    /** Reads a page. @returns whether there might be more, and room for it. */
    async read(): Promise<boolean> {
      if (position === null) await find()
      const before = era
      if (position === null || unstored.isAmple()) return false
      const page = await events.after(position, { organizationId }, pageMax)
      if (era !== before) return false
      const to = await take(page.events, page.to)
      if (era !== before) return false
      const isWhole = to === page.to
      if (isWhole) readTo = Math.max(readTo, page.loggedAt)
      position = to
      const storedTo = Math.min(readTo, unstored.readBefore())
      lease.change((feed) => ({ ...feed, readTo: Math.max(feed.readTo, storedTo) }))
      return isWhole && page.isMore
    },
  }
}

/** Largest webhook body, in bytes. */
export const bodyBytesMax = 20_000

type BodySubject = { id?: string; userId?: string; status?: unknown; stage?: unknown }
/**
 * Returns an event as it is signed and posted: one line of JSON. If it would be too long, `data` keeps only the ids and
 * the status, and the receiver fetches the rest. Length never drops an event.
 */
export function bodyOf(text: string): string {
  if (Buffer.byteLength(text) <= bodyBytesMax) return text
  const event: { data: BodySubject } = JSON.parse(text)
  const { id, userId, status, stage } = event.data
  return JSON.stringify({ ...event, data: { id, userId, status, stage } })
}

/** Limit per endpoint. Events beyond it stay in the log. */
const entriesMax = 3_000
/** With this many events waiting, reading pauses. A page of the log still fits. */
const ampleCount = 1_000

type UnstoredEvents = ReturnType<typeof unstoredEvents>

/**
 * The events of an endpoint that wait to be posted and are not stored as deliveries yet. The time up to which its
 * log is read stays before all of them. If this process is killed, the next one reads them again.
 */
export function unstoredEvents(capacity: Capacity) {
  /** By event, in order of arrival. */
  const waiting = new Map<string, WebhookDelivery>()
  /** Events that are being posted or stored. */
  const taken = new Map<string, WebhookDelivery>()

  return {
    has: (eventId: string): boolean => waiting.has(eventId) || taken.has(eventId),
    /** @returns whether there was room for it. */
    add(delivery: WebhookDelivery): boolean {
      if (waiting.size + taken.size >= entriesMax || !capacity.take()) return false
      waiting.set(delivery.eventId, delivery)
      return true
    },
    /** Returns the first waiting event that may be posted. */
    first(mayPost: (delivery: WebhookDelivery) => boolean): WebhookDelivery | null {
      for (const one of waiting.values()) if (mayPost(one)) return one
      return null
    },
    take(delivery: WebhookDelivery): void {
      if (waiting.delete(delivery.eventId)) taken.set(delivery.eventId, delivery)
    },
    takeAll(): WebhookDelivery[] {
      const all = [...waiting.values()]
      waiting.clear()
      for (const one of all) taken.set(one.eventId, one)
      return all
    },
    /** Takes back an event that could not be stored. */
    giveBack(delivery: WebhookDelivery): void {
      if (taken.delete(delivery.eventId)) waiting.set(delivery.eventId, delivery)
    },
    /** Removes an event that is stored, no matter which process stored it. */
    remove({ eventId }: WebhookDelivery): void {
      if (waiting.delete(eventId) || taken.delete(eventId)) capacity.free(1)
    },
    /** Forgets all events. The next process that posts reads them again. */
    clear(): void {
      capacity.free(waiting.size + taken.size)
      waiting.clear()
      taken.clear()
    },
    /** Whether the endpoint has enough events waiting. */
    isAmple: (): boolean => waiting.size >= ampleCount,
    /** Returns when the first waiting event arrived; null if none waits. */
    waitingSince: (): number | null => waiting.values().next().value?.createdAt ?? null,
    /** Returns the time at which the first of all these events was logged. */
    readBefore(): number {
      let first = Number.POSITIVE_INFINITY
      for (const one of [...waiting.values(), ...taken.values()]) first = Math.min(first, one.dueAt!)
      return first
    },
  }
}
