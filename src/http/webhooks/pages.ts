import { Elysia } from 'elysia'
import { failingSinceOf, type WebhookEndpoint } from '../../domain/webhook/endpoint'
import { everybody, memberSession } from '../dashboard/member-session'
import type { MemberPorts } from '../dashboard/ports'
import { isoTimeOrNull } from '../views/scalar'
import { ownEndpoint } from './ports'
import { deliveryView, endpointView } from './views'

type Ports = Pick<MemberPorts, 'webhookEndpoints' | 'webhookFeeds' | 'webhookDeliveries' | 'now'>

/** Returns an endpoint as in the API, with the additional facts of the pages. */
async function endpointOnPage({ webhookFeeds, webhookDeliveries, now }: Ports, endpoint: WebhookEndpoint) {
  const { id, organizationId, previousExpiresAt } = endpoint
  const [feed, newest] = await Promise.all([
    webhookFeeds.load(id),
    webhookDeliveries.list({ organizationId, endpointId: id }, { limit: 1 }),
  ])
  const isOverlapping = previousExpiresAt !== null && previousExpiresAt > now()
  return {
    ...endpointView(endpoint, feed),
    /** The first failure since the last success. */
    failingSince: isoTimeOrNull(feed && failingSinceOf(feed, endpoint)),
    /** Until when the secret before the last rotation also signs. */
    previousExpiresAt: isoTimeOrNull(isOverlapping ? previousExpiresAt : null),
    lastDelivery: newest[0] ? deliveryView(newest[0]) : null,
  }
}
export type EndpointPageView = Awaited<ReturnType<typeof endpointOnPage>>

/**
 * Serves the facts of webhooks that the pages show and the API does not: since when an endpoint fails, and its newest
 * delivery.
 */
export const webhookPageRoutes = (ports: MemberPorts) =>
  new Elysia()
    .use(memberSession(ports, everybody))
    .get('/webhooks', async ({ session }) => {
      const endpoints = await ports.webhookEndpoints.ofOrganization(session.organization.id)
      return Promise.all(endpoints.map((endpoint) => endpointOnPage(ports, endpoint)))
    })
    .get('/webhooks/:id', async ({ session, params: { id } }) =>
      endpointOnPage(ports, await ownEndpoint(ports, session, id)),
    )
