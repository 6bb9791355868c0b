import type { Connection } from 'mongoose'
import { disabledType } from '../../../domain/event-types'
import { literally } from '../../../domain/plain-text'
import { deliveryStatuses, samplePrefix, type WebhookDelivery } from '../../../domain/webhook/delivery'
import type { DeliveryFilter, WebhookDeliveries } from '../../../ports/webhooks'
import {
  anyListOrNone,
  anyOrNull,
  collection,
  documentsOf,
  rowsOf,
  text,
  versioned,
  whole,
  wholeOrNull,
} from '../engine/collection'
import { definedOnly, oneIndex, pagedBy } from '../engine/page'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const fields = {
  ...versioned,
  organizationId: text,
  endpointId: text,
  eventId: text,
  type: text,
  body: text,
  status: { ...text, enum: deliveryStatuses },
  attempts: whole,
  tries: whole,
  dueAt: wholeOrNull,
  lastAttempt: anyOrNull,
  earlierAttempts: anyListOrNone,
  createdAt: whole,
  deliveredAt: wholeOrNull,
}

/** A delivery in progress when its endpoint is deleted began at most this long before, in milliseconds. */
const underWayMs = 10 * 60_000
const isDue = { partialFilterExpression: { dueAt: { $gt: -1 } } } as const

type Row = StoredRecord<WebhookDelivery>

/** Events on their way to the endpoints of organizations, and events that have arrived. */
export function mongoWebhookDeliveries(connection: Connection, worker: string): WebhookDeliveries {
  const model = collection<Row>(connection, 'webhookDeliveries', fields, [
    [{ endpointId: 1, createdAt: -1, _id: -1 }, { name: 'newest' }],
    [{ endpointId: 1, status: 1, createdAt: -1, _id: -1 }, { name: 'status' }],
    [{ endpointId: 1, eventId: 1, createdAt: -1, _id: -1 }, { name: 'event' }],
    [
      { endpointId: 1, dueAt: 1, eventId: 1 },
      { name: 'next', ...isDue },
    ],
    [{ dueAt: 1 }, { name: 'due', ...isDue }],
    [{ createdAt: 1 }, { name: 'oldest' }],
  ])
  const rows = pagedBy<Row>(
    model,
    oneIndex(({ eventId, status }) => (eventId ? 'event' : status ? 'status' : 'newest')),
  )
  const filterFor = ({ organizationId, endpointId, statuses, types, eventId, text }: DeliveryFilter) => ({
    ...{ organizationId, endpointId, eventId },
    status: statuses && { $in: [...statuses] },
    type: types && { $in: [...types] },
    body: text === undefined ? undefined : { $regex: literally(text) },
  })
  const spanOf = ({ createdFrom, createdTo }: DeliveryFilter) => ({
    ...{ field: 'createdAt', from: createdFrom, to: createdTo },
  })
  return {
    ...mongoRecords(documentsOf<WebhookDelivery>(model), worker),
    async list(filter, page) {
      return (await rows.page(filterFor(filter), spanOf(filter), page)).map(fromStored<WebhookDelivery>)
    },
    async countByPeriod(filter, { stepMs, most }) {
      const { createdFrom = 0, createdTo } = filter
      const createdAt = definedOnly({ $gte: createdFrom, $lt: createdTo })
      const begun = { $subtract: ['$createdAt', { $mod: ['$createdAt', stepMs] }] }
      const counted = deliveryStatuses.map(async (status) => {
        const groups = await model
          .aggregate<{ _id: number; count: number }>([
            { $match: definedOnly({ ...filterFor(filter), status, createdAt }) },
            { $sort: { createdAt: -1 } },
            { $limit: most },
            { $group: { _id: begun, count: { $sum: 1 } } },
          ])
          .hint('status')
        return groups.map(({ _id: at, count }) => ({ status, at, count }))
      })
      return (await Promise.all(counted)).flat()
    },
    async stored(ids) {
      const stored = await rowsOf<WebhookDelivery>(model)
        .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
        .toArray()
      return new Set(stored.map(({ _id }) => _id))
    },
    async next(endpointId, limit) {
      const next = model.find({ endpointId, dueAt: { $gt: -1 } }).sort({ dueAt: 1, eventId: 1 })
      return (await next.hint('next').limit(limit).lean<Row[]>()).map(fromStored<WebhookDelivery>)
    },
    async takenUpBetween({ organizationId, endpointId }, { since, until, statuses }, limit) {
      const happened = { _id: { $not: new RegExp(`^${samplePrefix}`) } }
      const range = { organizationId, endpointId, createdAt: { $gte: since, $lt: until }, ...happened }
      const wanted = statuses ? { ...range, status: { $in: [...statuses] } } : range
      const query = model
        .find(wanted, { _id: 1, createdAt: 1 })
        .sort({ createdAt: 1 })
        .hint(statuses ? 'status' : 'newest')
      return (await query.limit(limit).lean<Row[]>()).map(({ _id, createdAt }) => ({ id: _id, createdAt }))
    },
    async drop(endpointId, deletedAt) {
      await model.deleteMany({ endpointId, dueAt: { $gt: -1 } })
      const createdAt = { $gte: deletedAt - underWayMs }
      await model.deleteMany({ endpointId, createdAt, type: disabledType }).hint('newest')
    },
    countDue: (before, limit, without) =>
      model
        .countDocuments({
          dueAt: { $gt: -1, $lt: before },
          ...(without.length > 0 && { endpointId: { $nin: without } }),
        })
        .hint('due')
        .limit(limit),
  }
}
