import type { AskedChange } from '../../domain/deposit/held-change'
import { changeHeldType } from '../../domain/event-types'
import type { HeldChanges, IntentHistory, StoredIntent } from '../../ports/tenants'
import type { FeedEvent } from '../views/event'
import { askedChangeView } from '../views/rare-event'
import { isoTime } from '../views/scalar'
import { eventId } from './event-id'
import { intentChangeView } from './intent-events'

export type HeldFeed = {
  heldChanges: Pick<HeldChanges, 'askedBetween'>
  intentHistory: Pick<IntentHistory, 'versionsOf'>
}

/**
 * Returns the changes of intents that were requested between two positions of the feed and had to wait, in no
 * particular order.
 */
export async function heldEvents(
  { heldChanges, intentHistory }: HeldFeed,
  from: number,
  to: number,
  organizationId: string | null,
): Promise<FeedEvent[]> {
  const asked = await heldChanges.askedBetween({ organizationId }, from, to)
  const versions = await intentHistory.versionsOf(asked.map(({ id, of: version }) => ({ id, version })))
  const standing = new Map(versions.map((one) => [`${one.intent.id}:${one.intent.version}`, one]))
  return asked.flatMap((change) => {
    const one = standing.get(`${change.id}:${change.of}`)
    return one ? [heldEvent(change, one)] : []
  })
}

/** @param standing The version of the intent that the change will replace. It is in force until then. */
export function heldEvent(change: AskedChange, standing: Omit<StoredIntent, 'key'>): FeedEvent {
  const { id: dataId, organizationId, userId, of, askedAt: at } = change
  const id = eventId(at, `held:${dataId}`, of)
  const render: FeedEvent['render'] = ({ isPlatform }) => ({
    ...{ id, type: changeHeldType, timestamp: isoTime(at), seq: null, transition: null },
    data: { ...intentChangeView(standing, isPlatform), change: askedChangeView(change) },
  })
  return { id, at, type: changeHeldType, organizationId, userId, dataId, seq: 0, render }
}
