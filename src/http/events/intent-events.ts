import type { IntentHistory, IntentMark, StoredIntent } from '../../ports/tenants'
import { depositIntentView } from '../views/deposit-intent'
import type { FeedEvent } from '../views/event'
import { targetView } from '../views/rare-event'
import { isoTime } from '../views/scalar'
import { eventId } from './event-id'

export type IntentFeed = { intentHistory: Pick<IntentHistory, 'storedBetween' | 'marksBetween' | 'versionsOf'> }

const pageMax = 500

/** Yields the events of intents between two positions of the feed, page by page: one for each stored version. */
export async function* intentEvents(
  { intentHistory }: IntentFeed,
  { tenant: organizationId, userId }: { tenant: string | null; userId?: string | undefined },
  from: number,
  to: number,
): AsyncGenerator<FeedEvent[]> {
  for (const isReplaced of [false, true])
    for (let after = '', hasMore = true; hasMore; ) {
      const asked = { organizationId, userId, from, to, isReplaced }
      const page = await intentHistory.storedBetween(asked, { limit: pageMax, after })
      yield page.map(intentEvent)
      after = page.at(-1)?.key ?? after
      hasMore = page.length === pageMax
    }
}

export const intentEventId = ({ id, version, at }: Pick<IntentMark, 'id' | 'version' | 'at'>): string =>
  eventId(at, id, version)

export function intentEvent({ intent, previous }: Omit<StoredIntent, 'key'>): FeedEvent {
  const { id: dataId, version, organizationId, userId, updatedAt: at } = intent
  const type = version === 1 ? 'intent.created' : 'intent.updated'
  const id = intentEventId({ id: dataId, version, at })
  const render: FeedEvent['render'] = ({ isPlatform }) => ({
    id,
    type,
    timestamp: isoTime(at),
    seq: null,
    transition: null,
    data: intentChangeView({ intent, previous }, isPlatform),
  })
  return { id, at, type, organizationId, userId, dataId, seq: 0, render }
}

/** A version of an intent as events report it, with the previous destination of deposits. */
export const intentChangeView = ({ intent, previous }: Omit<StoredIntent, 'key'>, isPlatform: boolean) => ({
  ...depositIntentView(intent),
  version: intent.version,
  previous: previous && targetView(previous),
  ...(isPlatform && { organizationId: intent.organizationId }),
})
