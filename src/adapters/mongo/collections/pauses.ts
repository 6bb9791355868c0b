import type { Connection } from 'mongoose'
import type { Pause, PauseEntries } from '../../../ports/pauses'
import { collection, documentsOf, text, versioned, whole, wholeOrNull } from '../engine/collection'
import { fromStored, mongoRecords, type Stored } from '../engine/records'

const fields = {
  ...versioned,
  reason: text,
  until: wholeOrNull,
  by: text,
  createdAt: whole,
  updatedAt: whole,
  resumedAt: wholeOrNull,
}

export function mongoPauses(connection: Connection, worker: string): PauseEntries {
  const model = collection<Stored<Pause>>(connection, 'pauses', fields, [[{ updatedAt: 1 }, { name: 'updated' }]])
  return {
    ...mongoRecords(documentsOf<Pause>(model), worker),
    async changedSince(time) {
      const stored = await model
        .find({ updatedAt: { $gte: time } })
        .sort({ updatedAt: 1 })
        .lean<Stored<Pause>[]>()
      return stored.map(fromStored<Pause>)
    },
  }
}
