import type { Connection } from 'mongoose'
import type { Account } from '../../../domain/chain/account'
import { eventsOf, type MarkedCollection, markedCollections, markOf } from '../../../domain/event-marks'
import { eventRetentionMs } from '../../../domain/retention'
import type { AuditEntry } from '../../../domain/tenant/audit'
import { accountDerived } from '../collections/accounts'
import { mongoAuditLog } from '../collections/audit-log'
import { mongoEventLog } from '../collections/events'
import { replacedIndexes } from '../collections/execution-indexes'
import { executionModel, type StoredExecution } from '../collections/execution-model'
import { routeIds } from '../collections/executions'
import { mongoLaneSums } from '../collections/lanes'
import { fromStored, type StoredRecord } from '../engine/records'
import { uniqueAcrossShards } from '../engine/unique-across-shards'

/** Progress of a migration. `after` is the last finished position. Null before the first. */
type Progress = { _id: string; after: string | null; isDone: boolean }
/** Migrates the documents after a position. Returns the last finished position, or null if none was left. */
type Step = (after: string) => Promise<string | null>

const batchSize = 500
const noCollection = 26

/** The steps of each migration. A step takes the place where the one before ended, and returns its own. */
function migrationSteps(connection: Connection, worker: string, now: () => number): Record<string, Step> {
  const model = executionModel(connection)
  const laneSums = mongoLaneSums(connection, worker, now)
  const hasRoute = uniqueAcrossShards(connection, routeIds)

  const auditLog = mongoAuditLog(connection)
  const auditRows = () => connection.db!.collection<Omit<AuditEntry, 'id'> & { _id: string }>('auditLog')

  const nextRows = (filter: object, by: string, hint: string, limit: number) =>
    model
      .find(filter as never, { 'deposit.lane': 1, 'facts.routeId': 1 })
      .sort({ [by]: 1 })
      .hint(hint)
      .limit(limit)
      .lean<StoredExecution[]>()

  const accountRows = () => connection.db!.collection<StoredRecord<Account>>('accounts')
  const events = mongoEventLog(connection)

  let marks = 0
  /** Marks the records of a batch whose events are not in the log, if these would still be kept. */
  async function markEvents(name: MarkedCollection, rows: readonly StoredRecord<never>[]): Promise<void> {
    const dueAtOf = (eventsOf as Record<string, unknown> as Record<string, (...all: unknown[]) => number | null>)[name]
    const since = now() - eventRetentionMs
    const recent = rows.flatMap((row) => {
      const record = fromStored(row) as { id: string; seq?: number; at?: number }
      const dueAt = dueAtOf ? dueAtOf(null, record) : record.at!
      return dueAt !== null && dueAt >= since ? [{ ...record, dueAt }] : []
    })
    const seqs = new Map<string, number>()
    if (name === 'executions')
      for (const { dataId, seq } of await events.named(recent.map(({ id }) => id)))
        seqs.set(dataId, Math.max(seq, seqs.get(dataId) ?? 0))
    const operations = recent
      .filter(({ id, seq }) => seq === undefined || seq > (seqs.get(id) ?? 0))
      .map(({ id: _id, dueAt }) => ({
        updateOne: {
          filter: { _id, 'keys.unlogged': { $exists: false } },
          update: { $set: { 'keys.unlogged': markOf(dueAt, `${worker}:migrating:${++marks}`) } },
        },
      }))
    const collection = connection.db!.collection<{ _id: string }>(name)
    if (operations.length > 0) await collection.bulkWrite(operations as never, { ordered: false })
  }

  return {
    /** Sums the lanes whose records ended before sums existed. */
    async laneSums(after) {
      const [next] = await nextRows({ 'deposit.lane': { $gt: after } }, 'deposit.lane', 'laneOver', 1)
      if (!next) return null
      while ((await laneSums.sumUp(next.deposit.lane)) > 0);
      return next.deposit.lane
    },
    /** Claims the routeIds of executions that were stored before their collection was sharded. */
    async routeIds(after) {
      const rows = await nextRows({ _id: { $gt: after } }, '_id', '_id_', batchSize)
      for (const { _id, facts } of rows)
        if (facts.routeId && !(await hasRoute(facts.routeId, _id)))
          throw new Error(`The routeId of ${_id} belongs to another execution too`)
      return rows.at(-1)?._id ?? null
    },
    /** Moves entries of the audit log into the chain of their organization, in the order of their ids. */
    async auditChain(after) {
      const unchained = { _id: { $gt: after }, seq: { $exists: false } }
      const rows = await auditRows().find(unchained).sort({ _id: 1 }).limit(batchSize).toArray()
      await Promise.all(rows.map(({ _id, ...entry }) => auditLog.append({ ...entry, id: _id })))
      await auditRows().deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
      return rows.at(-1)?._id ?? null
    },
    /** Adds the words by which a user is found to accounts that were stored before. */
    async userParts(after) {
      const filter = { _id: { $gt: after } }
      const rows = await accountRows()
        .find(filter, { projection: { userId: 1 } })
        .sort({ _id: 1 })
        .limit(batchSize)
        .toArray()
      const updates = rows.map(({ _id, userId }) => ({
        updateOne: { filter: { _id }, update: { $set: { derived: accountDerived({ userId }) } } },
      }))
      if (updates.length > 0) await accountRows().bulkWrite(updates, { ordered: false })
      return rows.at(-1)?._id ?? null
    },
    /**
     * Marks records of earlier releases, so their events get into the log. Repeat it when none of their processes runs
     * any more.
     */
    async events(after) {
      const [name = '', id = ''] = after === '' ? [markedCollections[0]] : after.split(/ (.*)/)
      const projection = name === 'executions' ? { projection: { seq: 1, refundOf: 1, history: { $slice: -1 } } } : {}
      const cursor = connection.db!.collection<{ _id: string }>(name).find({ _id: { $gt: id } }, projection)
      const rows = await cursor.sort({ _id: 1 }).limit(batchSize).toArray()
      await markEvents(name as MarkedCollection, rows as never)
      const last = rows.at(-1)?._id
      if (last !== undefined) return `${name} ${last}`
      const next = markedCollections[markedCollections.indexOf(name as MarkedCollection) + 1]
      return next ? `${next} ` : null
    },
  }
}

/**
 * Migrations of documents of previous releases, by name. Each may run while the service runs, resumes after an
 * interruption, and changes nothing if it runs again.
 */
export function mongoMigrations(connection: Connection, worker: string, now: () => number) {
  const model = executionModel(connection)
  const progress = () => connection.db!.collection<Progress>('migrations')
  const auditRows = () => connection.db!.collection('auditLog')
  const steps = migrationSteps(connection, worker, now)
  const find = (name: string) => progress().findOne({ _id: name })
  const note = (_id: string, $set: Omit<Progress, '_id'>) => progress().updateOne({ _id }, { $set }, { upsert: true })

  /** The indexes that this release replaced and that still exist. They slow down each write. */
  async function replaced(): Promise<string[]> {
    const indexes = await model.collection.indexes().catch((error: { code?: unknown }) => {
      if (error.code === noCollection) return []
      throw error
    })
    return indexes.flatMap(({ name }) => (name !== undefined && replacedIndexes.includes(name) ? [name] : []))
  }

  return {
    /** Returns the names of unfinished migrations. A database without old documents never needs any. */
    async owed(): Promise<string[]> {
      const names = Object.keys(steps)
      const states = await Promise.all(names.map(find))
      const owed = names.filter((_, n) => !states[n]?.isDone)
      if (owed.length === 0 || (await model.findOne({}, { _id: 1 }).lean())) return owed
      if (await auditRows().findOne({ seq: { $exists: false } })) return owed
      await Promise.all(owed.map((name) => note(name, { after: null, isDone: true })))
      return []
    },
    /**
     * Runs one migration from where it was interrupted, or from the beginning if it is done.
     *
     * @param onStep Called after each step with the number of steps so far.
     */
    async run(name: string, onStep: (steps: number) => void = () => {}): Promise<number> {
      const step = steps[name]!
      const begun = await find(name)
      let after = begun && !begun.isDone ? begun.after : null
      let count = 0
      for (let next = await step(after ?? ''); next !== null; next = await step(next)) {
        after = next
        await note(name, { after, isDone: false })
        onStep(++count)
      }
      await note(name, { after, isDone: true })
      return count
    },
    names: Object.keys(steps),
    replacedIndexes: replaced,
    /** Drops the indexes that only the previous release uses, and returns their names. */
    async dropReplacedIndexes(): Promise<string[]> {
      const names = await replaced()
      for (const name of names) await model.collection.dropIndex(name)
      return names
    },
  }
}
