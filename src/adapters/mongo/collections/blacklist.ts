import type { Connection } from 'mongoose'
import { type BlacklistEntry, listings } from '../../../domain/blacklist-entry'
import type { BlacklistEntries, BlacklistList } from '../../../ports/operators'
import { anyOrNull, collection, documentsOf, text, versioned, whole, wholeOrNull } from '../engine/collection'
import { oneIndex, pagedBy } from '../engine/page'
import { plainRecords } from '../engine/plain-records'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const fields = {
  ...versioned,
  kind: { ...text, enum: ['TOKEN', 'ADDRESS'] },
  chainId: wholeOrNull,
  address: text,
  listedAs: { ...text, enum: listings },
  source: { ...text, enum: ['OPERATOR', 'IMPORT'] },
  lists: { type: [String], default: undefined },
  imported: anyOrNull,
  reason: text,
  expiresAt: wholeOrNull,
  createdAt: whole,
  updatedAt: whole,
  removedAt: wholeOrNull,
}

export function mongoBlacklist(connection: Connection, worker: string): BlacklistEntries {
  const model = collection<StoredRecord<BlacklistEntry>>(connection, 'blacklist', fields, [
    [{ updatedAt: 1 }, { name: 'updated' }],
    [{ createdAt: -1, _id: -1 }, { name: 'created' }],
    [{ address: 1 }, { name: 'address' }],
  ])
  const rows = pagedBy(
    model,
    oneIndex(({ address }) => (address === undefined ? 'created' : 'address')),
  )
  return {
    ...mongoRecords(documentsOf<BlacklistEntry>(model), worker),
    async changedSince(time) {
      const filter = { updatedAt: { $gte: time } }
      const stored = await model.find(filter).sort({ updatedAt: 1 }).lean<StoredRecord<BlacklistEntry>[]>()
      return stored.map(fromStored<BlacklistEntry>)
    },
    async list({ kind, chainId, address }, page) {
      const equal = { removedAt: null, kind, chainId, address: address?.toLowerCase() }
      return (await rows.page(equal, { field: 'createdAt' }, page)).map(fromStored<BlacklistEntry>)
    },
  }
}

export const mongoBlacklistLists = plainRecords<BlacklistList>('blacklistLists', {
  digest: text,
  format: text,
  entries: whole,
  updatedAt: whole,
})
