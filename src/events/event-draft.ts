import { detectedType, orphanedType, returnedType } from '../domain/event-types'
import type { ViewContext } from '../http/views/deposit'
import type { EventView } from '../http/views/event'
import type { EventName } from '../ports/webhooks'

/** An event of a stored record. It is rendered once, as it is appended to the log. */
export type EventDraft = EventName & {
  at: number
  /** Null for an event of all organizations. */
  organizationId: string | null
  /** Null for an event without a user. */
  userId: string | null
  render: (context: ViewContext) => EventView
}

/**
 * Returns the fact that an event reports: the number of its history entry. No fact is in the log twice. Two records can
 * hold the detection of a deposit, with different times, and a release can give an entry another type than the one
 * before. A refund has the number of the detection, and a transfer can be dropped more than once without an entry.
 */
export const factOf = ({ id, seq, type }: EventName): string => {
  if (seq === 0 || type === orphanedType) return id
  return type === returnedType ? `${seq} ${type}` : `${seq}`
}

/**
 * Returns the facts that keep an event out of the log: its own, and those after which it would be a step back. A
 * deposit's record can be logged before its sighting. Then a detection after the refund of the same money is not news,
 * and neither is a dropped block after the refund or the record's second entry.
 */
export function factsBarring(name: EventName): string[] {
  const refund = factOf({ ...name, seq: 1, type: returnedType })
  if (name.type === orphanedType) return [factOf(name), refund, '2']
  return name.type === detectedType ? [factOf(name), refund] : [factOf(name)]
}
