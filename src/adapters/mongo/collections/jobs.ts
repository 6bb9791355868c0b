import type { Connection } from 'mongoose'
import type { Job, Jobs } from '../../../ports/operators'
import { any, anyOrNull, collection, documentsOf, text, versioned, whole, wholeOrNull } from '../engine/collection'
import { ofTenant } from '../engine/page'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const fields = {
  ...versioned,
  organizationId: text,
  asked: any,
  work: any,
  matched: whole,
  done: whole,
  failed: whole,
  found: whole,
  after: anyOrNull,
  state: { ...text, enum: ['RUNNING', 'DONE'] },
  dueAt: wholeOrNull,
  createdAt: whole,
  updatedAt: whole,
}
const takenMax = 10

export function mongoJobs(connection: Connection, worker: string): Jobs {
  const model = collection<StoredRecord<Job>>(connection, 'jobs', fields, [
    [{ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $gt: -1 } } }],
    [{ createdAt: -1 }, { name: 'newest' }],
  ])
  return {
    ...mongoRecords(documentsOf<Job>(model), worker),
    async due(now) {
      const query = model.find({ dueAt: { $gt: -1, $lte: now } }).sort({ dueAt: 1 })
      return (await query.limit(takenMax).lean<StoredRecord<Job>[]>()).map(fromStored<Job>)
    },
    async latest(organizationId, limit) {
      const filter = { ...ofTenant({ organizationId }), 'work.verb': { $ne: 'scan' } }
      const query = model
        .find(filter as never)
        .sort({ createdAt: -1 })
        .limit(limit)
      return (await query.lean<StoredRecord<Job>[]>()).map(fromStored<Job>)
    },
  }
}
