import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import type { Order, Route } from '../../../domain/execution/route'
import type { OrderRetention, RetentionDays } from '../../../domain/retention'
import type { Organization } from '../../../domain/tenant/organization'
import { executionModel, type StoredExecution } from '../collections/execution-model'
import { any, anyOrNull, collection, text, whole, wholeOrNull } from '../engine/collection'

const dayMs = 86_400_000
/** An execution that ended more recently than this, in milliseconds, keeps its order, regardless of when it began. */
const settledMs = 7 * dayMs
/**
 * Executions are read by their start, in parts of this length in milliseconds. A part is read again until all its
 * orders are moved.
 */
const partMs = 3_600_000
const partsMax = 200
const batchSize = 500
const organizationsMax = 50
const duplicateKey = 11000

/** The order of an execution in SUCCESS and the call that it carried. `_id` is the execution's id. */
type ArchivedOrder = {
  _id: string
  organizationId: string
  archivedAt: number
  /** Null if it is kept permanently. */
  forgetAt: number | null
  order: Order
  call: Route['call']
}

const fields = { organizationId: text, archivedAt: whole, forgetAt: wholeOrNull, order: any, call: anyOrNull }

/** `done` is the start time before which the organization's executions have no order left to move. */
type Progress = { _id: string; done: number }
export type FailureListener = (what: string, error: unknown) => void
type Tenant = Pick<Organization, 'plan' | 'createdAt'> & { _id: string }

/** An insert that failed as a whole, for example through a lost connection, names no writes at all. */
const isDuplicate = (error: unknown): boolean => {
  const { writeErrors } = error as { writeErrors?: { code?: number } | { code?: number }[] }
  const refused = [writeErrors ?? []].flat()
  return refused.length > 0 && refused.every(({ code }) => code === duplicateKey)
}

/** The two writes that move orders: into the archive, and then out of the records. */
function archiveWrites(connection: Connection, worker: string, now: () => number) {
  const model = collection<ArchivedOrder>(connection, 'orderArchive', fields, [
    [{ forgetAt: 1 }, { name: 'forgetAt', partialFilterExpression: { forgetAt: { $gt: -1 } } }],
  ])
  const archive = model.collection as unknown as Collection<ArchivedOrder>
  const executions = executionModel(connection).collection as unknown as Collection<StoredExecution>
  let writes = 0

  /** @returns The executions whose order a majority has in the archive, as a read of the archive confirms. */
  async function keepInArchive(rows: StoredExecution[], archiveDays: number | null): Promise<StoredExecution[]> {
    if (archiveDays === 0) return rows
    const archivedAt = now()
    const forgetAt = archiveDays === null ? null : archivedAt + archiveDays * dayMs
    const all = rows.map(({ _id, organizationId, facts: { order, route } }) => ({
      ...{ _id, organizationId, archivedAt, forgetAt },
      ...{ order: order!, call: route?.call ?? null },
    }))
    await archive.insertMany(all, { ordered: false }).catch((error) => {
      if (!isDuplicate(error)) throw error // an existing one was moved by another process, or before a kill
    })
    const [{ organizationId }] = rows as [StoredExecution]
    const ids = { _id: { $in: rows.map(({ _id }) => _id) }, organizationId }
    const there = new Set((await archive.find(ids, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id))
    return rows.filter(({ _id }) => there.has(_id))
  }

  /** A conditional write like any other, so a writer that holds the previous version reads again. */
  async function takeFromRecords(rows: StoredExecution[]): Promise<number> {
    if (rows.length === 0) return 0
    const operations = rows.map(({ _id, organizationId, version, writer }) => ({
      updateOne: {
        filter: { _id, organizationId, version, writer, status: 'SUCCESS' as const },
        update: {
          $unset: { 'facts.order': '' as const },
          $set: { 'facts.route.call': null, writer: `${worker}:orders:${++writes}` },
          $inc: { version: 1 },
        },
      },
    }))
    return (await executions.bulkWrite(operations as never, { ordered: false })).modifiedCount
  }

  return { executions, keepInArchive, takeFromRecords }
}

/**
 * Moves the orders of executions that reached SUCCESS long ago out of their records, whose bytes are mostly the order
 * and the provider's call. The rest is all that the API, the ledgers, lanes, fees, quotas, refunds and re-drives read.
 * The archive has the order before the record loses it, so a kill in between loses nothing.
 */
export function mongoOrderArchive(connection: Connection, worker: string, now: () => number) {
  const { executions, keepInArchive, takeFromRecords } = archiveWrites(connection, worker, now)
  const progress = () => connection.db!.collection<Progress>('orderArchiveProgress')
  const tenants = () => connection.db!.collection<Tenant>('organizations')

  /**
   * Moves a batch of executions that began in one part of the organization's time, the oldest first.
   *
   * @returns How many were moved, and the time where the next call continues. The time is null if an order was not
   * moved. The next sweep then reads the part again.
   */
  async function moveOf(
    organizationId: string,
    from: number,
    to: number,
    { archiveDays }: OrderRetention,
  ): Promise<{ moved: number; next: number | null }> {
    const ended = { status: 'SUCCESS', organizationId, createdAt: { $gte: from, $lt: to } }
    const settled = { completedAt: { $gt: -1, $lt: now() - settledMs }, 'facts.spent.hash': { $exists: true } }
    const held = { 'facts.order.id': { $exists: true }, 'facts.route.provider': { $exists: true } }
    const projection = {
      organizationId: 1,
      createdAt: 1,
      version: 1,
      writer: 1,
      'facts.order': 1,
      'facts.route.call': 1,
    }
    const cursor = executions.find({ ...ended, ...settled, ...held } as never, { projection })
    const rows = await cursor.sort({ createdAt: 1, _id: 1 }).hint('statusEnded').limit(batchSize).toArray()
    const storedExecutions = rows.length > 0 ? await keepInArchive(rows, archiveDays) : []
    const moved = await takeFromRecords(storedExecutions)
    if (moved < rows.length) return { moved, next: null }
    const next = rows.length < batchSize ? to : rows.at(-1)!.createdAt!
    await progress().updateOne({ _id: organizationId }, { $max: { done: next } }, { upsert: true })
    return { moved, next }
  }

  async function sweepOf({ _id }: Tenant, orderRetention: OrderRetention, from: number): Promise<number> {
    const before = now() - orderRetention.days * dayMs
    let [at, all]: [number | null, number] = [from, 0]
    for (let n = 0; n < partsMax && at !== null && at < before && all < batchSize; n++) {
      const { moved, next } = await moveOf(_id, at, Math.min(at + partMs, before), orderRetention)
      all += moved
      at = next
    }
    return all
  }

  return {
    /**
     * Moves some orders of each organization whose plan requires it. An organization that cannot be swept is reported
     * by name, and takes no place from the next ones.
     *
     * @returns How many were moved. 0 if little is left to do.
     */
    async sweep(orders: RetentionDays['orders'], onTrouble: FailureListener): Promise<number> {
      const plans = Object.keys(orders) as Tenant['plan'][]
      if (plans.length === 0) return 0
      const fields = { projection: { plan: 1, createdAt: 1 } }
      const [all, walked] = await Promise.all([
        tenants()
          .find({ plan: { $in: plans } }, fields)
          .toArray(),
        progress().find().toArray(),
      ])
      const done = new Map(walked.map((one) => [one._id, one.done]))
      const behind = all
        .map((tenant) => ({ tenant, retention: orders[tenant.plan]!, from: done.get(tenant._id) ?? tenant.createdAt }))
        .filter(({ retention, from }) => from + partMs <= now() - retention.days * dayMs)
        .toSorted((a, b) => a.from - b.from)
      let [moved, swept, failed] = [0, 0, 0]
      for (const { tenant, retention, from } of behind) {
        if (swept >= organizationsMax || failed >= organizationsMax) break
        try {
          moved += await sweepOf(tenant, retention, from)
          swept += 1
        } catch (error) {
          failed += 1
          onTrouble(`archiving orders of ${tenant._id}`, error)
        }
      }
      return moved
    },
  }
}
