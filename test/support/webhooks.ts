import { aesVault } from '../../src/adapters/webhooks/vault'
import { deliveryStatuses, isSample, newDelivery, type WebhookDelivery } from '../../src/domain/webhook/delivery'
import type { WebhookEndpoint, WebhookFeed } from '../../src/domain/webhook/endpoint'
import { example } from '../../src/http/views/examples'
import type { DeliveryFilter, WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../../src/ports/webhooks'
import { sealedSecret } from '../../src/webhooks/secrets'
import { page } from './queries'
import { recordsOf } from './records'

export const testSecret = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='

export const vault = aesVault([`0x${'5a'.repeat(32)}`])

/** An endpoint created at the given time. */
export const endpointOf = (id: string, organizationId: string, at: number): WebhookEndpoint => ({
  id,
  version: 0,
  organizationId,
  url: `https://example.com/${id}`,
  types: ['deposit.*', 'execution.*'],
  description: null,
  enabled: true,
  disabledReason: null,
  enabledAt: at,
  secret: sealedSecret({ id, organizationId }, vault, testSecret),
  previousSecret: null,
  previousExpiresAt: null,
  createdAt: at,
  updatedAt: at,
  deletedAt: null,
})

/** Delivery to an endpoint of the event in the documents' examples. */
export const deliveryOfExample = (id: string, organizationId: string, at: number): WebhookDelivery =>
  newDelivery({ id, organizationId }, { id: example.eventId, type: 'execution.success', at, body: '{}' }, at)

export function webhookFeedsInMemory() {
  const kept = recordsOf<WebhookFeed>('webhookFeeds')
  const countRead: WebhookFeeds['countRead'] = async (ids, to) =>
    kept.all().filter(({ id, readTo }) => ids.includes(id) && readTo >= to).length
  return { ...kept, countRead }
}

export function webhookEndpointsInMemory() {
  const kept = recordsOf<WebhookEndpoint>('webhookEndpoints')
  const port: WebhookEndpoints = {
    load: kept.load,
    save: kept.save,
    ofOrganization: async (organizationId) =>
      kept
        .all()
        .filter((one) => one.organizationId === organizationId && one.deletedAt === null)
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)),
    disabledIds: async () =>
      kept.all().flatMap(({ id, enabled, deletedAt }) => (enabled || deletedAt !== null ? [] : [id])),
    enabledIds: async (before) =>
      kept
        .all()
        .filter(({ enabled, enabledAt, deletedAt }) => enabled && enabledAt < before && deletedAt === null)
        .map(({ id }) => id),
    changedSince: async (time) => kept.all().filter(({ updatedAt }) => updatedAt >= time),
  }
  return { ...kept, ...port }
}

export function webhookDeliveriesInMemory() {
  const kept = recordsOf<WebhookDelivery>('webhookDeliveries')
  const dropped = new Set<string>()
  const all = () => kept.all().filter(({ id }) => !dropped.has(id))
  const matching = (filter: DeliveryFilter) => {
    const { organizationId, endpointId, statuses, types, eventId, text = '' } = filter
    const { createdFrom = 0, createdTo = Number.POSITIVE_INFINITY } = filter
    return all()
      .filter((one) => one.organizationId === organizationId && one.endpointId === endpointId)
      .filter((one) => (statuses?.includes(one.status) ?? true) && (eventId ?? one.eventId) === one.eventId)
      .filter((one) => (types?.includes(one.type) ?? true) && one.body.includes(text))
      .filter(({ createdAt }) => createdAt >= createdFrom && createdAt < createdTo)
  }
  const port: WebhookDeliveries = {
    load: async (id) => (dropped.has(id) ? null : kept.load(id)),
    save: kept.save,
    list: async (filter, wanted) => page(matching(filter), ({ createdAt }) => createdAt, wanted),
    countByPeriod: async (filter, { stepMs, most }) =>
      deliveryStatuses.flatMap((status) => {
        const newest = matching({ ...filter, statuses: [status] }).toSorted((a, b) => b.createdAt - a.createdAt)
        const groups = Map.groupBy(newest.slice(0, most), ({ createdAt }) => createdAt - (createdAt % stepMs))
        return [...groups].map(([at, { length: count }]) => ({ status, at, count }))
      }),
    known: async (ids) => new Set(ids.filter((id) => all().some((one) => one.id === id))),
    next: async (endpointId, limit) =>
      all()
        .filter((one) => one.endpointId === endpointId && one.dueAt !== null)
        .toSorted((a, b) => a.dueAt! - b.dueAt! || (a.eventId < b.eventId ? -1 : 1))
        .slice(0, limit),
    takenUpBetween: async ({ organizationId, endpointId }, { since, until, statuses }, limit) =>
      all()
        .filter((one) => one.organizationId === organizationId && one.endpointId === endpointId)
        .filter(({ createdAt }) => createdAt >= since && createdAt < until)
        .filter((one) => !isSample(one) && (statuses?.includes(one.status) ?? true))
        .toSorted((a, b) => a.createdAt - b.createdAt)
        .slice(0, limit)
        .map(({ id, createdAt }) => ({ id, createdAt })),
    drop: async (endpointId, deletedAt) => {
      const isLate = ({ type, createdAt }: WebhookDelivery): boolean =>
        type === 'webhook_endpoint.disabled' && createdAt >= deletedAt - 600_000
      for (const one of all())
        if (one.endpointId === endpointId && (one.dueAt !== null || isLate(one))) dropped.add(one.id)
    },
    countDue: async (before, limit, without) =>
      Math.min(
        all().filter(({ dueAt, endpointId }) => dueAt !== null && dueAt < before && !without.includes(endpointId))
          .length,
        limit,
      ),
  }
  return { ...kept, ...port, all }
}
