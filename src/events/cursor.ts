import type { EventLog } from '../ports/webhooks'
import { timeOfEvent } from './event-id'

/** How far before its event's time a reader continues, if that event is not in the log. */
const beforeMs = 10_000

/**
 * Returns the position after which reading continues, by the id of the last event that a reader has. A well-formed id
 * that is not in the log stands for its time. No other time window decides what a reader gets.
 *
 * @returns null if it is no id of an event.
 */
export async function positionAfter(
  eventLog: Pick<EventLog, 'positionOf' | 'positionBefore'>,
  id: string,
): Promise<number | null> {
  const at = timeOfEvent(id)
  if (at === null) return null
  return (await eventLog.positionOf(id)) ?? (await eventLog.positionBefore(at - beforeMs))
}
