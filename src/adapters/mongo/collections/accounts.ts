import type { Connection } from 'mongoose'
import type { Account } from '../../../domain/chain/account'
import type { Accounts } from '../../../ports/tenants'
import { collection, documentsOf, rowsOf, text, textOrNull, versioned, whole } from '../engine/collection'
import { ofTenant } from '../engine/page'
import { fromStored, mongoRecords, type Stored } from '../engine/records'
import { accountsPaying } from './intents/intents'

const fields = {
  ...versioned,
  organizationId: text,
  userId: text,
  accountSalt: text,
  canonicalChainId: whole,
  label: textOrNull,
  createdAt: whole,
  updatedAt: whole,
}

/** Sorts after every text with the same prefix. */
const lastCharacter = '\u{10FFFF}'

export function mongoAccounts(connection: Connection, worker: string): Accounts {
  // The address is a function of organization and user, so `_id` alone keeps an account unique for each user.
  const model = collection<Stored<Account>>(connection, 'accounts', fields, [
    [{ organizationId: 1, userId: 1 }, { name: 'user' }],
    [{ userId: 1 }, { name: 'userAnywhere' }],
    [{ createdAt: 1 }, { name: 'created' }],
  ])
  const rows = rowsOf<Account>(model)
  const paying = accountsPaying(connection)
  return {
    ...mongoRecords(documentsOf<Account>(model), worker),
    async findByUser(organizationId, userId) {
      const stored = await model.findOne({ organizationId, userId }).lean<Stored<Account>>()
      return stored && fromStored<Account>(stored)
    },
    async beginningWith({ organizationId }, userId, limit) {
      const filter = { ...ofTenant({ organizationId }), userId: { $gte: userId, $lt: `${userId}${lastCharacter}` } }
      const index = organizationId === null ? 'userAnywhere' : 'user'
      const stored = await model.find(filter).sort({ userId: 1 }).hint(index).limit(limit).lean<Stored<Account>[]>()
      return stored.map(fromStored<Account>)
    },
    async paying(tenant, address, limit) {
      const ids = (await paying(tenant, address, limit)).map(({ id }) => id)
      if (ids.length === 0) return []
      const stored = await model.find({ _id: { $in: ids } }).lean<Stored<Account>[]>()
      return stored.map(fromStored<Account>)
    },
    async createdSince(time, limit) {
      const created = rows.find({ createdAt: { $gte: time } }).sort({ createdAt: 1 })
      return (await created.limit(limit).toArray()).map(fromStored<Account>)
    },
  }
}
