import { fromStored, type StoredRecord, type Versioned } from '../../../src/adapters/mongo/engine/records'
import type { PausePeriods } from '../../../src/ports/operators'
import type { Doc } from './documents'
import type { SimulatedMongo } from './simulated-mongo'

const records = new WeakMap<Doc, unknown>()

/** The record in a document, as the store returns it. */
export function recordOf<R extends Versioned>(document: Doc): R {
  const known = records.get(document)
  if (known) return known as R
  const record = fromStored<R>(document as unknown as StoredRecord<R>)
  records.set(document, record)
  return record
}

export type Stored<R> = { all(): R[]; writes(): number }
export const storedIn = <R extends Versioned>(mongo: SimulatedMongo, name: string): Stored<R> => ({
  all: () => [...mongo.rows(name).documents.values()].map(recordOf<R>),
  writes: () => mongo.rows(name).writes,
})

/** Collections with events that do not occur in a world. */
export const unmarked = {
  heldChanges: { requestedOf: async () => [] },
  pausePeriods: {} as PausePeriods,
  quotaWarnings: { load: async () => [] },
  apiKeys: { load: async () => null },
  webhookEndpoints: { load: async () => null },
}
