import type { WebhookDelivery } from '../domain/webhook/delivery'
import type { Room } from './run-ports'

/** Limit per endpoint. Events beyond it stay in the log. */
const entriesMax = 3_000
/** With this many events waiting, reading pauses. A page of the log still fits. */
const ampleCount = 1_000

export type UnstoredEvents = ReturnType<typeof unstoredEvents>

/**
 * The events of an endpoint that wait to be posted and are not stored as deliveries yet. The time up to which its
 * log is read stays before all of them. If this process is killed, the next one reads them again.
 */
export function unstoredEvents(room: Room) {
  /** By event, in order of arrival. */
  const waiting = new Map<string, WebhookDelivery>()
  /** Events that are being posted or stored. */
  const taken = new Map<string, WebhookDelivery>()

  return {
    has: (eventId: string): boolean => waiting.has(eventId) || taken.has(eventId),
    /** @returns whether there was room for it. */
    add(delivery: WebhookDelivery): boolean {
      if (waiting.size + taken.size >= entriesMax || !room.take()) return false
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
      if (waiting.delete(eventId) || taken.delete(eventId)) room.free(1)
    },
    /** Forgets all events. The next process that posts reads them again. */
    clear(): void {
      room.free(waiting.size + taken.size)
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
