import type { WebhookDelivery } from '../domain/webhook/delivery'
import type { Room } from './run-ports'

/** How many an endpoint has at most. What is beyond that is stored before it is posted. */
const entriesMax = 3_000
/** Where so many wait to be posted, more is read only later. A page of the feed has room beside them. */
const ampleCount = 1_000

export type UnstoredEvents = ReturnType<typeof unstoredEvents>

/**
 * The events of an endpoint that are to be posted and are not stored as deliveries yet. The place of its feed stays
 * before all of them, so that whoever posts after a kill reads them again.
 */
export function unstoredEvents(room: Room) {
  /** By event, in the order in which they came. */
  const waiting = new Map<string, WebhookDelivery>()
  /** Those that are being posted or stored. */
  const taken = new Map<string, WebhookDelivery>()

  return {
    has: (eventId: string): boolean => waiting.has(eventId) || taken.has(eventId),
    /** @returns whether there was room for it. */
    add(delivery: WebhookDelivery): boolean {
      if (waiting.size + taken.size >= entriesMax || !room.take()) return false
      waiting.set(delivery.eventId, delivery)
      return true
    },
    /** The first one that waits and may be posted. */
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
    /** It could not be stored. */
    giveBack(delivery: WebhookDelivery): void {
      if (taken.delete(delivery.eventId)) waiting.set(delivery.eventId, delivery)
    },
    /** It is stored, by whomever. */
    remove({ eventId }: WebhookDelivery): void {
      if (waiting.delete(eventId) || taken.delete(eventId)) room.free(1)
    },
    /** Forgets all of them: they are read again by whoever posts next. */
    clear(): void {
      room.free(waiting.size + taken.size)
      waiting.clear()
      taken.clear()
    },
    /** Whether the endpoint has enough to go on with. */
    isAmple: (): boolean => waiting.size >= ampleCount,
    /** When the first of those that wait came; null where none does. */
    waitingSince: (): number | null => waiting.values().next().value?.createdAt ?? null,
    /** The place in the feed before which there is none of them. */
    placeBefore(): number {
      let place = Number.POSITIVE_INFINITY
      for (const one of [...waiting.values(), ...taken.values()]) place = Math.min(place, one.dueAt!)
      return place
    },
  }
}
