import type { Connection } from 'mongoose'
import type { Account } from '../../../domain/chain/account'
import { userIdParts, userIdPartsMax } from '../../../domain/tenant/user-id-parts'
import type { Accounts } from '../../../ports/tenants'
import { collection, documentsOf, type Index, rowsOf, text, textOrNull, versioned, whole } from '../engine/collection'
import { ofTenant } from '../engine/page'
import { type Derived, fromStored, mongoRecords, type StoredRecord } from '../engine/records'
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

const partNames = Array.from({ length: userIdPartsMax }, (_, n) => `part${n}`)
const partFields = partNames.map((name) => `derived.${name}`)

/**
 * The search keys of a user, each in its own field. DocumentDB scans an index of lists by one bound only, and a range
 * of texts in that kind of index stopped its server.
 */
export function accountDerived({ userId }: Pick<Account, 'userId'>): Derived {
  const parts = userIdParts(userId)
  return Object.fromEntries(partNames.map((name, n) => [name, parts[n] ?? null]))
}

/** Sorts after every text with the same prefix. */
const lastCharacter = '\u{10FFFF}'

export function mongoAccounts(connection: Connection, worker: string): Accounts {
  // The address is a function of organization and user, so `_id` alone keeps an account unique for each user.
  const model = collection<StoredRecord<Account>>(connection, 'accounts', fields, [
    [{ organizationId: 1, userId: 1 }, { name: 'user' }],
    [{ userId: 1 }, { name: 'userAnywhere' }],
    [{ createdAt: 1 }, { name: 'created' }],
    ...partFields.flatMap((field, n): Index[] => [
      [{ organizationId: 1, [field]: 1 }, { name: `part${n}` }],
      [{ [field]: 1 }, { name: `part${n}Anywhere` }],
    ]),
  ])
  const rows = rowsOf<Account>(model)
  const paying = accountsPaying(connection)
  return {
    ...mongoRecords(documentsOf<Account>(model), worker, { derivedOf: accountDerived }),
    async findByUser(organizationId, userId) {
      const stored = await model.findOne({ organizationId, userId }).lean<StoredRecord<Account>>()
      return stored && fromStored<Account>(stored)
    },
    async beginningWith({ organizationId }, userId, limit) {
      const filter = { ...ofTenant({ organizationId }), userId: { $gte: userId, $lt: `${userId}${lastCharacter}` } }
      const index = organizationId === null ? 'userAnywhere' : 'user'
      const stored = await model
        .find(filter)
        .sort({ userId: 1 })
        .hint(index)
        .limit(limit)
        .lean<StoredRecord<Account>[]>()
      return stored.map(fromStored<Account>)
    },
    async withPart({ organizationId }, text, limit) {
      const part = text.toLowerCase()
      const begins = { $gte: part, $lt: `${part}${lastCharacter}` }
      const matches = await Promise.all(
        partFields.map((field, n) =>
          model
            .find({ ...ofTenant({ organizationId }), [field]: begins } as never)
            .sort({ [field]: 1 })
            .hint(organizationId === null ? `part${n}Anywhere` : `part${n}`)
            .limit(limit)
            .lean<StoredRecord<Account>[]>(),
        ),
      )
      const unique = new Map(matches.flat().map((stored) => [stored._id, stored]))
      return [...unique.values()].slice(0, limit).map(fromStored<Account>)
    },
    async paying(tenant, address, limit) {
      const ids = (await paying(tenant, address, limit)).map(({ id }) => id)
      if (ids.length === 0) return []
      const stored = await model.find({ _id: { $in: ids } }).lean<StoredRecord<Account>[]>()
      return stored.map(fromStored<Account>)
    },
    async createdSince(time, limit) {
      const created = rows.find({ createdAt: { $gte: time } }).sort({ createdAt: 1 })
      return (await created.limit(limit).toArray()).map(fromStored<Account>)
    },
  }
}
