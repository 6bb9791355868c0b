import { type ChainId, chainIds } from '../domain/chain/chain'
import type { RequestedChange } from '../domain/deposit/held-change'
import { changeHeldType, disabledType, keyExpiringType, quotaWarningType } from '../domain/event-types'
import type { QuotaWarning } from '../domain/limits/quota'
import { type ApiKey, expiringAt } from '../domain/tenant/api-key'
import { pauseEdges } from '../domain/tenant/chain-pauses'
import { pauseScopes } from '../domain/tenant/pause-scope'
import type { Disabling, WebhookEndpoint } from '../domain/webhook/endpoint'
import { pausedChainView } from '../http/views/chain'
import { depositIntentView } from '../http/views/deposit-intent'
import { expiringKeyView, requestedChangeView, targetView } from '../http/views/rare-event'
import { isoTime } from '../http/views/scalar'
import { quotaView } from '../http/views/usage-days'
import { endpointView } from '../http/webhooks/views'
import type { PausePeriod } from '../ports/operators'
import type { StoredIntent } from '../ports/tenants'
import type { EventDraft } from './event-draft'
import { eventId } from './event-id'

type Version = Omit<StoredIntent, 'key'>
type Happened = Omit<EventDraft, 'seq' | 'render' | 'userId'> & { userId?: string }

/** Makes an event of an object without a history. */
function lifeless(
  { userId, ...happened }: Happened,
  dataOf: (context: Parameters<EventDraft['render']>[0]) => object,
): EventDraft {
  const { id, at, type } = happened
  const head = { id, type, timestamp: isoTime(at), seq: null, transition: null }
  return {
    ...happened,
    userId: userId ?? null,
    seq: 0,
    render: (context) => ({ ...head, data: dataOf(context) }) as ReturnType<EventDraft['render']>,
  }
}

const versionView = ({ intent, previous }: Version) => ({
  ...depositIntentView(intent),
  version: intent.version,
  previous: previous && targetView(previous),
})

export function intentEvent(stored: Version): EventDraft {
  const { id: dataId, version, organizationId, userId, updatedAt: at } = stored.intent
  const type = version === 1 ? 'intent.created' : 'intent.updated'
  return lifeless({ id: eventId(at, dataId, version), at, type, organizationId, userId, dataId }, () =>
    versionView(stored),
  )
}

/** @param current The version of the intent that the change will replace. It is in force until then. */
export function heldEvent(change: RequestedChange, current: Version): EventDraft {
  const { id: dataId, organizationId, userId, of, askedAt: at } = change
  const id = eventId(at, `held:${dataId}`, of)
  return lifeless({ id, at, type: changeHeldType, organizationId, userId, dataId }, () => ({
    ...versionView(current),
    change: requestedChangeView(change),
  }))
}

/** Makes the event of a chain. If one pause ends as another begins, the end comes first. */
export function chainEvent(chainId: ChainId, at: number, isPaused: boolean): EventDraft {
  const dataId = pauseScopes.chain(chainId)
  const [id, type] = [eventId(at, dataId, isPaused ? 1 : 0), isPaused ? 'chain.paused' : 'chain.resumed']
  return lifeless({ id, at, type, organizationId: null, dataId }, ({ confirmationsRequired }) =>
    pausedChainView(chainId, confirmationsRequired(chainId), isPaused, at),
  )
}

/** Returns the events of all chains, by the periods of their pauses and of pauses of everything. */
export const chainEvents = (periods: readonly PausePeriod[]): EventDraft[] =>
  chainIds.flatMap((id) => {
    const scopes = [pauseScopes.all, pauseScopes.chain(id)]
    const edges = pauseEdges(periods.filter(({ scope }) => scopes.includes(scope)))
    return edges.map(({ at, isPaused }) => chainEvent(id, at, isPaused))
  })

export function quotaEvent({ organizationId, quotaKey: dataId, at, percent, limit, used }: QuotaWarning): EventDraft {
  const id = eventId(at, dataId, percent)
  return lifeless({ id, at, type: quotaWarningType, organizationId, dataId }, () => quotaView(at, limit, used))
}

/** Returns no event for a key that ended before. */
export function keyEvents(key: ApiKey): EventDraft[] {
  const at = expiringAt(key)
  if (at === null) return []
  const { id: dataId, organizationId } = key
  const id = eventId(at, dataId, 0)
  return [lifeless({ id, at, type: keyExpiringType, organizationId, dataId }, () => expiringKeyView(key))]
}

/** Returns one event for each time that the service disabled the endpoint. */
export const endpointEvents = (endpoint: WebhookEndpoint): EventDraft[] =>
  (endpoint.disablings ?? []).map((disabling) => disabledEvent(endpoint, disabling))

function disabledEvent(endpoint: WebhookEndpoint, disabling: Disabling): EventDraft {
  const { at, reason, url, types, description } = disabling
  const { id: dataId, organizationId } = endpoint
  const then = { ...endpoint, url, types, description, enabled: false, disabledReason: reason, updatedAt: at }
  return lifeless({ id: eventId(at, dataId, 0), at, type: disabledType, organizationId, dataId }, () =>
    endpointView(then, disabling),
  )
}
