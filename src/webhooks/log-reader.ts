import { BoundedMap } from '../domain/bounded-map'
import { typesNamed } from '../domain/event-types'
import { bodyOf } from '../domain/webhook/body'
import { deliveryId, newDelivery, type WebhookDelivery } from '../domain/webhook/delivery'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type { LoggedEvent } from '../ports/webhooks'
import type { EndpointLease } from './endpoint-lease'
import type { RunPorts } from './run-ports'
import type { UnstoredEvents } from './unstored-events'

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
  /** Every event up to this position is known here. Null until it is found by the stored time. */
  let position: number | null = null
  /** Events up to this position might have been stored by another process. */
  let checkedTo = 0
  /** When the last event that was read was logged. */
  let readTo = 0
  /** Counts how often unstored events were forgotten. The results of reads that began earlier are then discarded. */
  let era = 0
  /** Events stored here since the position was found. */
  const stored = new BoundedMap<string, true>(storedMax)
  let asked: { types: WebhookEndpoint['types']; named: ReadonlySet<string> } | null = null

  function isAsked({ type, at }: LoggedEvent): boolean {
    const { types, createdAt } = endpoint()
    if (asked?.types !== types) asked = { types, named: typesNamed(types.join(',')) ?? new Set() }
    return asked.named.has(type) && at >= createdAt
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
    const news = page.filter((event) => isAsked(event) && !unstored.has(event.id) && !stored.has(event.id))
    const before = era
    const toCheck = news.filter((event) => event.position <= checkedTo).map(({ id }) => deliveryId(endpointId, id))
    const there = toCheck.length > 0 ? await webhookDeliveries.known(toCheck) : new Set<string>()
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
