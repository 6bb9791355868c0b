import { disabledType, movedType } from '../domain/event-types'
import type { EventLog, EventScope, LoggedEvent } from '../ports/webhooks'
import { timeOfEvent } from './event-id'

/** `tenant` is the organization that reads, or null for the platform. */
export type EventFilter = {
  tenant: string | null
  types: ReadonlySet<string>
  userId?: string | undefined
  executionId?: string | undefined
}

export const scopeOf = ({ tenant, userId, executionId }: EventFilter): EventScope => ({
  ...{ organizationId: tenant, userId, dataId: executionId },
})

const isOfDeposit = (type: string): boolean => type.startsWith('deposit.') || type.startsWith('execution.')

/** Whether the filter selects an event of its scope. */
export const isSelected = ({ tenant, types, userId, executionId }: EventFilter, event: LoggedEvent): boolean =>
  types.has(event.type) &&
  (userId === undefined || event.userId === userId) &&
  (executionId === undefined || isOfDeposit(event.type)) &&
  // The URL of an endpoint can contain a secret of its organization, which the platform does not need.
  (event.type !== disabledType || tenant !== null)

/** Returns the event as its reader gets it. The platform also sees whose it is; nothing else differs. */
export function textFor(tenant: string | null, { text, type, organizationId }: LoggedEvent): string {
  if (tenant !== null || organizationId === null || type === movedType) return text
  const event = JSON.parse(text)
  return JSON.stringify({ ...event, data: { ...event.data, organizationId } })
}

const readMax = 500
/** A page ends after this many events of the organization, although few or none of them are selected. */
const scannedMax = 5_000

/**
 * Returns the next selected events after a position, in the order of the log.
 *
 * @returns `next`, the id of the event where the next page begins; null if nothing was read.
 */
export async function eventPage(
  eventLog: Pick<EventLog, 'after'>,
  filter: EventFilter,
  after: number,
  limit: number,
): Promise<{ events: LoggedEvent[]; next: string | null }> {
  const scope = scopeOf(filter)
  const events: LoggedEvent[] = []
  let [position, scanned] = [after, 0]
  let next: string | null = null
  while (events.length < limit && scanned < scannedMax) {
    const page = await eventLog.after(position, scope, Math.min(readMax, 2 * limit))
    for (const event of page) {
      if (events.length === limit) break
      next = event.id
      position = event.position
      if (isSelected(filter, event)) events.push(event)
    }
    scanned += page.length
    if (page.length < Math.min(readMax, 2 * limit)) break
  }
  return { events, next }
}

/** How far before its event's time a reader continues, if that event is not in the log. */
const beforeMs = 10_000

/**
 * Returns the position of the last event that a reader has, by its id; reading continues after it. A well-formed id
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
