import { Elysia } from 'elysia'
import type { DeliveryStatus, WebhookDelivery } from '../../domain/webhook/delivery'
import { failingSinceOf, type WebhookEndpoint } from '../../domain/webhook/endpoint'
import type { WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../../ports/webhooks'
import { everybody, memberSession, type SessionPorts } from '../dashboard/member-session'
import { readQuery } from '../request/query'
import { isoTime, isoTimeOrNull } from '../views/scalar'
import { DeliveryFilterQuery, filterOf } from './deliveries'
import { type DeliveryPeriods, hourMs, periodsOf, totalsOf } from './delivery-periods'
import { ownEndpoint } from './ports'
import { deliveryView, endpointView } from './views'

type PagePorts = SessionPorts & {
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: Pick<WebhookFeeds, 'load'>
  webhookDeliveries: Pick<WebhookDeliveries, 'list' | 'countByPeriod'>
}

/** Returns an endpoint as in the API, with the additional facts of the pages. */
async function endpointOnPage({ webhookFeeds, webhookDeliveries, now }: PagePorts, endpoint: WebhookEndpoint) {
  const { id, organizationId, previousExpiresAt } = endpoint
  const [feed, newest] = await Promise.all([
    webhookFeeds.load(id),
    webhookDeliveries.list({ organizationId, endpointId: id }, { limit: 1 }),
  ])
  const isOverlapping = previousExpiresAt !== null && previousExpiresAt > now()
  return {
    ...endpointView(endpoint, feed),
    /** When it was last enabled or moved to another URL. */
    enabledAt: isoTime(endpoint.enabledAt),
    /** The first failure since the last success. */
    failingSince: isoTimeOrNull(feed && failingSinceOf(feed, endpoint)),
    /** Until when the secret before the last rotation also signs. */
    previousExpiresAt: isoTimeOrNull(isOverlapping ? previousExpiresAt : null),
    lastDelivery: newest[0] ? deliveryView(newest[0]) : null,
  }
}
/** Deliveries that are counted per status, the newest first. Above it the number is a lower bound. */
const countMax = 10_000

/** The newest accepted deliveries, whose response times are shown. */
const timedMax = 100

/**
 * `responseMs` has the median and the 95th percentile of the newest accepted attempts' durations; null if none was
 * accepted.
 */
export type DeliveryCounts = {
  counts: Record<DeliveryStatus, number>
  isWhole: boolean
  responseMs: { median: number; p95: number } | null
  periods: DeliveryPeriods
}

function responseMsOf(accepted: readonly WebhookDelivery[]): DeliveryCounts['responseMs'] {
  const took = accepted.flatMap(({ lastAttempt }) => lastAttempt?.durationMs ?? []).toSorted((a, b) => a - b)
  const part = (share: number): number => took[Math.floor((took.length - 1) * share)]!
  return took.length === 0 ? null : { median: part(0.5), p95: part(0.95) }
}

export type EndpointPageView = Awaited<ReturnType<typeof endpointOnPage>>

/**
 * Serves the facts of webhooks that the pages show and the API does not: since when an endpoint fails, its newest
 * delivery, the number of deliveries by status and by time, and how fast it answers.
 */
export const webhookPageRoutes = (ports: PagePorts) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/webhooks', async ({ session }) => {
      const endpoints = await ports.webhookEndpoints.ofOrganization(session.organization.id)
      return Promise.all(endpoints.map((endpoint) => endpointOnPage(ports, endpoint)))
    })
    .get('/webhooks/:id', async ({ session, params: { id } }) =>
      endpointOnPage(ports, await ownEndpoint(ports, session, id)),
    )
    .get('/webhooks/:id/counts', async ({ session, params: { id }, request }) => {
      const { organizationId } = await ownEndpoint(ports, session, id)
      const { types, createdFrom, createdTo } = filterOf(readQuery(request, DeliveryFilterQuery, true))
      const filter = { organizationId, endpointId: id, types, createdFrom, createdTo }
      const [counted, accepted] = await Promise.all([
        ports.webhookDeliveries.countByPeriod(filter, { stepMs: hourMs, most: countMax }),
        ports.webhookDeliveries.list({ ...filter, statuses: ['DELIVERED'] }, { limit: timedMax }),
      ])
      const counts = totalsOf(counted)
      const isWhole = Object.values(counts).every((count) => count < countMax)
      const periods = periodsOf(counted, { createdFrom, createdTo, now: ports.now() }, countMax)
      return { counts, isWhole, responseMs: responseMsOf(accepted), periods } satisfies DeliveryCounts
    })
