import type { Connection } from 'mongoose'
import { dateOf } from '../../../domain/calendar'
import { eventsForgottenMs, retentionDays } from '../../../domain/retention'
import { type FailureListener, mongoOrderArchive } from './order-archive'

const dayMs = 86_400_000
const batchSize = 500
const eventsBatch = 5_000
const thrown: FailureListener = (_what, error) => {
  throw error
}

/** The number of days that the reference promises. */
const deliveriesDays = 30
/** Collections of earlier releases, whose processes may still write to them. */
const lateEventsDays = 8

/**
 * Deletes records past their retention, in small batches. Records of money are never deleted: executions, intents and
 * their versions, claims, lanes, sums and the audit log are kept permanently. Orders of ended executions move into an
 * archive if the organization's plan requires it.
 */
export function mongoRetention(connection: Connection, worker: string, now: () => number) {
  const orderArchive = mongoOrderArchive(connection, worker, now)
  const collectionOf = (name: string) => connection.db!.collection<{ _id: string }>(name)

  async function forget(name: string, old: object): Promise<number> {
    const rows = collectionOf(name)
    const ids = (
      await rows
        .find(old, { projection: { _id: 1 } })
        .limit(batchSize)
        .toArray()
    ).map(({ _id }) => _id)
    if (ids.length === 0) return 0
    // The condition is repeated, because a record may have been written again since the read.
    return (await rows.deleteMany({ _id: { $in: ids }, ...old })).deletedCount
  }

  /** A deleted endpoint is kept as long as its deliveries, and its feed with it. */
  async function forgetEndpoints(before: number): Promise<number> {
    const old = { deletedAt: { $gt: -1, $lt: before } }
    const gone = collectionOf('webhookEndpoints').find(old, { projection: { _id: 1 } })
    const ids = (await gone.limit(batchSize).toArray()).map(({ _id }) => _id)
    if (ids.length === 0) return 0
    await collectionOf('webhookFeeds').deleteMany({ _id: { $in: ids } })
    return (await collectionOf('webhookEndpoints').deleteMany({ _id: { $in: ids }, ...old })).deletedCount
  }

  /** Deletes what a process stored for an endpoint during its deletion, and left behind when it was killed. */
  async function forgetUndeliverable(): Promise<number> {
    const gone = collectionOf('webhookEndpoints').find({ deletedAt: { $gt: -1 } }, { projection: { _id: 1 } })
    const ids = (await gone.toArray()).map(({ _id }) => _id)
    return ids.length === 0 ? 0 : forget('webhookDeliveries', { endpointId: { $in: ids }, dueAt: { $gt: -1 } })
  }

  /** Deletes events from the beginning of the log, so it has no gap. */
  async function forgetEvents(before: number): Promise<number> {
    const events = connection.db!.collection<{ _id: string; loggedAt: number }>('events')
    const first = events
      .find({}, { projection: { loggedAt: 1 } })
      .sort({ _id: 1 })
      .limit(eventsBatch)
    const last = (await first.toArray()).findLast(({ loggedAt }) => loggedAt < before)
    return last ? (await events.deleteMany({ _id: { $lte: last._id } })).deletedCount : 0
  }

  return {
    /** Deletes or moves one batch of each kind, and returns the number of records: 0 if nothing is left. */
    async sweep(retainedDays = retentionDays, onTrouble: FailureListener = thrown): Promise<number> {
      const before = (days: number) => now() - days * dayMs
      const date = { $lt: dateOf(before(retainedDays.requestCounts)) }
      const deleted = [
        await forget('inboundWebhooks', { at: { $lt: before(retainedDays.inboundWebhooks) } }),
        await forget('webhookDeliveries', { createdAt: { $lt: before(deliveriesDays) } }),
        await forgetUndeliverable(),
        await forgetEndpoints(before(deliveriesDays)),
        await forget('sightings', { stage: 'ORPHANED', detectedAt: { $lt: before(retainedDays.orphanedSightings) } }),
        await forget('requestDays', { date }),
        await forget('nodeRequests', { date }),
        await forgetEvents(now() - eventsForgottenMs),
        await forget('lateEvents', { at: { $lt: before(lateEventsDays) } }),
        await forget('orderArchive', { forgetAt: { $gt: -1, $lt: now() } }),
        await orderArchive.sweep(retainedDays.orders, onTrouble),
      ]
      return deleted.reduce((sum, count) => sum + count, 0)
    },
  }
}
