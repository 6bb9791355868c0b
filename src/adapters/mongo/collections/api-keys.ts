import type { Connection } from 'mongoose'
import { type ApiKey, roles } from '../../../domain/tenant/api-key'
import type { ApiKeys } from '../../../ports/tenants'
import {
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

const fields = {
  ...versioned,
  digest: text,
  prefix: text,
  organizationId: text,
  label: text,
  role: { ...text, enum: roles },
  protocolFeeBps: whole,
  sponsoredGas: flag,
  createdAt: whole,
  createdBy: textOrNull,
  lastUsedAt: wholeOrNull,
  revokedAt: wholeOrNull,
  expiresAt: wholeOrNull,
  allowedAddresses: anyListOrNone,
}

export function mongoApiKeys(connection: Connection, worker: string): ApiKeys {
  const model = collection<StoredRecord<ApiKey>>(connection, 'apiKeys', fields, [
    [{ digest: 1 }, { name: 'digest', unique: true }], // of 256 random bits, so no two writes race for one
    [{ organizationId: 1, createdAt: -1 }, { name: 'organization' }],
  ])
  return {
    ...mongoRecords(documentsOf<ApiKey>(model), worker),
    async findByDigest(digest) {
      const stored = await model.findOne({ digest }).lean<StoredRecord<ApiKey>>()
      return stored && fromStored<ApiKey>(stored)
    },
    async ofOrganization(organizationId) {
      const stored = await model.find({ organizationId }).sort({ createdAt: -1 }).lean<StoredRecord<ApiKey>[]>()
      return stored.map(fromStored<ApiKey>)
    },
    async markUsed(id, at) {
      await model.updateOne({ _id: id }, { $max: { lastUsedAt: at } })
    },
  }
}
