import type { Connection } from 'mongoose'
import type { Erasure } from '../../../../ports/people'
import { collection, documentsOf, text, textOrNull, versioned, whole, wholeOrNull } from '../../engine/collection'
import { fromStored, mongoRecords, type Stored } from '../../engine/records'

const fields = {
  ...versioned,
  kind: { ...text, enum: ['PERSON', 'ORGANIZATION'] },
  subject: text,
  email: textOrNull,
  askedAt: whole,
  doneAt: wholeOrNull,
}
const finishedMax = 10

/** Requested erasures of people and organizations. */
export function mongoErasureRecords(connection: Connection, worker: string) {
  const model = collection<Stored<Erasure>>(connection, 'erasures', fields, [
    [{ doneAt: 1, askedAt: 1 }, { name: 'unfinished' }],
  ])
  return {
    ...mongoRecords(documentsOf<Erasure>(model), worker),
    async unfinished(before: number): Promise<Erasure[]> {
      const found = model.find({ doneAt: null, askedAt: { $lt: before } }).sort({ askedAt: 1 })
      return (await found.limit(finishedMax).lean<Stored<Erasure>[]>()).map(fromStored<Erasure>)
    },
  }
}
