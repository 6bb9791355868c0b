import type { Connection } from 'mongoose'
import type { Account } from '../../domain/modular-account'
import type { Accounts } from '../../ports/tenants'
import { collection, documentsOf, text, textOrNull, versioned, whole } from './collection'
import { fromStored, mongoRecords, type Stored } from './records'

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

export function mongoAccounts(connection: Connection, worker: string): Accounts {
  // One per user, by `_id` already: the address is a function of organization and user.
  const model = collection<Stored<Account>>(connection, 'accounts', fields, [
    [{ organizationId: 1, userId: 1 }, { name: 'user' }],
    [{ createdAt: 1 }, { name: 'created' }],
  ])
  return {
    ...mongoRecords(documentsOf<Account>(model), worker),
    async findByUser(organizationId, userId) {
      const stored = await model.findOne({ organizationId, userId }).lean<Stored<Account>>()
      return stored && fromStored<Account>(stored)
    },
    async createdSince(time, limit) {
      const stored = await model
        .find({ createdAt: { $gte: time } })
        .sort({ createdAt: 1 })
        .limit(limit)
        .lean<Stored<Account>[]>()
      return stored.map(fromStored<Account>)
    },
  }
}
