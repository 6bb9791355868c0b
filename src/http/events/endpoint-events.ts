import { disabledType } from '../../domain/event-types'
import type { Disabling, WebhookEndpoint } from '../../domain/webhook/endpoint'
import type { WebhookEndpoints } from '../../ports/webhooks/webhooks'
import type { FeedEvent } from '../views/event'
import type { EndpointEventView } from '../views/rare-event'
import { isoTime } from '../views/scalar'
import { endpointView } from '../webhooks/views'
import { eventId } from './event-id'

export type EndpointFeed = { webhookEndpoints: Pick<WebhookEndpoints, 'changedSince'> }

/**
 * Returns the events of an endpoint between two positions of the feed: one for each time that the service disabled it.
 */
export const eventsOfEndpoint = (endpoint: WebhookEndpoint, from: number, to: number): FeedEvent[] =>
  (endpoint.disablings ?? []).flatMap((disabling) =>
    disabling.at >= from && disabling.at < to ? [disabledEvent(endpoint, disabling)] : [],
  )

function disabledEvent(endpoint: WebhookEndpoint, disabling: Disabling): FeedEvent {
  const { at, reason, url, types, description } = disabling
  const { id: dataId, organizationId } = endpoint
  const id = eventId(at, dataId, 0)
  const then = { ...endpoint, url, types, description, enabled: false, disabledReason: reason, updatedAt: at }
  const render = (): EndpointEventView => ({
    id,
    type: disabledType,
    timestamp: isoTime(at),
    seq: null,
    transition: null,
    data: endpointView(then, disabling),
  })
  return { id, at, type: disabledType, organizationId, userId: null, dataId, seq: 0, render }
}
