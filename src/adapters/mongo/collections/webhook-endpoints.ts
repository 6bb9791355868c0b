import type { Connection } from 'mongoose'
import { disabledReasons, type WebhookEndpoint, type WebhookFeed } from '../../../domain/webhook/endpoint'
import type { WebhookEndpoints, WebhookFeeds } from '../../../ports/webhooks'
import {
  anyList,
  anyListOrNone,
  collection,
  documentsOf,
  flag,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from '../engine/collection'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const endpointFields = {
  ...versioned,
  organizationId: text,
  url: text,
  types: anyList,
  description: textOrNull,
  enabled: flag,
  disabledReason: { ...textOrNull, enum: [...disabledReasons, null] },
  disablings: anyListOrNone,
  enabledAt: whole,
  secret: text,
  previousSecret: textOrNull,
  previousExpiresAt: wholeOrNull,
  createdAt: whole,
  updatedAt: whole,
  deletedAt: wholeOrNull,
}
const feedFields = {
  ...versioned,
  organizationId: text,
  readTo: whole,
  holder: textOrNull,
  until: whole,
  lastSuccessAt: wholeOrNull,
  lastFailureAt: wholeOrNull,
  failingSince: wholeOrNull,
}

type Row = StoredRecord<WebhookEndpoint>

/** Webhook endpoints of organizations. */
export function mongoWebhookEndpoints(connection: Connection, worker: string): WebhookEndpoints {
  const model = collection<Row>(connection, 'webhookEndpoints', endpointFields, [
    [{ organizationId: 1, createdAt: -1 }, { name: 'organization' }],
    [{ updatedAt: 1 }, { name: 'updated' }],
    [{ enabledAt: 1 }, { name: 'disabled', partialFilterExpression: { enabled: false } }],
    [
      { enabledAt: 1, deletedAt: 1 },
      { name: 'enabled', partialFilterExpression: { enabled: true } },
    ],
    [{ deletedAt: 1 }, { name: 'deleted', partialFilterExpression: { deletedAt: { $gt: -1 } } }],
  ])
  return {
    ...mongoRecords(documentsOf<WebhookEndpoint>(model), worker),
    async disabledIds() {
      const rows = model.find({ enabled: false, deletedAt: null }, { _id: 1 }).hint('disabled')
      return (await rows.lean<Row[]>()).map(({ _id }) => _id)
    },
    async enabledIds(before) {
      const rows = model.find({ enabled: true, enabledAt: { $lt: before }, deletedAt: null }, { _id: 1 })
      return (await rows.hint('enabled').lean<Row[]>()).map(({ _id }) => _id)
    },
    async ofOrganization(organizationId) {
      const rows = model.find({ organizationId, deletedAt: null }).sort({ createdAt: -1, _id: -1 })
      return (await rows.hint('organization').lean<Row[]>()).map(fromStored<WebhookEndpoint>)
    },
    async changedSince(time) {
      const rows = model.find({ updatedAt: { $gte: time } }).sort({ updatedAt: 1 })
      return (await rows.hint('updated').lean<Row[]>()).map(fromStored<WebhookEndpoint>)
    },
  }
}

/** Position up to which each endpoint's events are stored as deliveries, and the process that posts them. */
export function mongoWebhookFeeds(connection: Connection, worker: string): WebhookFeeds {
  const model = collection<StoredRecord<WebhookFeed>>(connection, 'webhookFeeds', feedFields)
  return {
    ...mongoRecords(documentsOf<WebhookFeed>(model), worker),
    countRead: (endpointIds, readTo) => model.countDocuments({ _id: { $in: endpointIds }, readTo: { $gte: readTo } }),
  }
}
