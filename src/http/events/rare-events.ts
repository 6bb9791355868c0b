import { chainIds } from '../../domain/chain/chain'
import { chainEventTypes, disabledType, keyExpiringType, quotaWarningType } from '../../domain/event-types'
import { type ApiKey, expiringAt } from '../../domain/tenant/api-key'
import { pauseEdges } from '../../domain/tenant/chain-pauses'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import type { QuotaWarning } from '../../domain/tenant/quota'
import type { QuotaWarnings } from '../../ports/limits'
import type { PausePeriods } from '../../ports/pauses'
import type { ApiKeys } from '../../ports/tenants'
import { pausedChainView } from '../views/chain'
import type { FeedEvent } from '../views/event'
import { expiringKeyView } from '../views/rare-event'
import { isoTime } from '../views/scalar'
import { quotaView } from '../views/usage-days'
import { type EndpointFeed, eventsOfEndpoint } from './endpoint-events'
import { eventId } from './event-id'
import { type HeldFeed, heldEvents } from './held-events'

export type RareFeed = EndpointFeed &
  HeldFeed & {
    pausePeriods: PausePeriods
    quotaWarnings: Pick<QuotaWarnings, 'between'>
    apiKeys: Pick<ApiKeys, 'expiringBetween'>
  }

/** Types of events that belong to no single user. They are left out when the events of one user are requested. */
export const rareTypes: readonly string[] = [...chainEventTypes, quotaWarningType, keyExpiringType, disabledType]

/**
 * Returns the events of chains, quotas, keys, webhook endpoints and pending changes between two positions of the feed,
 * in no particular order.
 *
 * @param tenant Organization whose events are returned; null or absent for all organizations.
 */
export async function rareEvents(
  { webhookEndpoints, pausePeriods, quotaWarnings, apiKeys, ...ports }: RareFeed,
  from: number,
  to: number,
  tenant: string | null = null,
): Promise<FeedEvent[]> {
  const [endpoints, pauses, warnings, held, keys] = await Promise.all([
    tenant === null ? webhookEndpoints.changedSince(from) : webhookEndpoints.changedSince(from, tenant),
    pausePeriods.since([pauseScopes.all, ...chainIds.map(pauseScopes.chain)], from),
    quotaWarnings.between({ organizationId: tenant }, from, to),
    heldEvents(ports, from, to, tenant),
    apiKeys.expiringBetween({ organizationId: tenant }, from, to),
  ])
  const ofChains = chainIds.flatMap((id) => {
    const scopes = [pauseScopes.all, pauseScopes.chain(id)]
    const periods = pauses.filter(({ scope }) => scopes.includes(scope))
    return pauseEdges(periods)
      .filter(({ at }) => at >= from && at < to)
      .map(({ at, isPaused }) => chainEvent(id, at, isPaused))
  })
  return [
    ...endpoints.flatMap((one) => eventsOfEndpoint(one, from, to)),
    ...ofChains,
    ...warnings.map(quotaEvent),
    ...held,
    ...keys.map(keyEvent),
  ]
}

const headOf = (id: string, at: number) => ({ id, timestamp: isoTime(at), seq: null, transition: null }) as const

/** Makes the event of a chain. If one pause ends as another begins, the end sorts first. */
export function chainEvent(chainId: (typeof chainIds)[number], at: number, isPaused: boolean): FeedEvent {
  const type = isPaused ? 'chain.paused' : 'chain.resumed'
  const dataId = pauseScopes.chain(chainId)
  const id = eventId(at, dataId, isPaused ? 1 : 0)
  const render: FeedEvent['render'] = ({ confirmationsRequired }) => ({
    ...headOf(id, at),
    type,
    data: pausedChainView(chainId, confirmationsRequired(chainId), isPaused, at),
  })
  return { id, at, type, organizationId: null, userId: null, dataId, seq: 0, render }
}

export function quotaEvent({ organizationId, quotaKey, at, percent, limit, used }: QuotaWarning): FeedEvent {
  const id = eventId(at, quotaKey, percent)
  const render: FeedEvent['render'] = ({ isPlatform }) => ({
    ...headOf(id, at),
    type: quotaWarningType,
    data: { ...quotaView(at, limit, used), ...(isPlatform && { organizationId }) },
  })
  return { id, at, type: quotaWarningType, organizationId, userId: null, dataId: quotaKey, seq: 0, render }
}

export function keyEvent(key: ApiKey): FeedEvent {
  const { id: dataId, organizationId } = key
  const at = expiringAt(key)!
  const id = eventId(at, dataId, 0)
  const render: FeedEvent['render'] = ({ isPlatform }) => ({
    ...headOf(id, at),
    type: keyExpiringType,
    data: { ...expiringKeyView(key), ...(isPlatform && { organizationId }) },
  })
  return { id, at, type: keyExpiringType, organizationId, userId: null, dataId, seq: 0, render }
}
