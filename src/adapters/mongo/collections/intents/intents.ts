import type { Connection, Model } from 'mongoose'
import type { Address } from '../../../../domain/chain/hex'
import type { DepositIntent } from '../../../../domain/deposit/deposit-intent'
import type { TenantScope } from '../../../../ports/records'
import type { DepositIntents, IntentHistory } from '../../../../ports/tenants'
import { collection, documentsOf } from '../../engine/collection'
import { keepingReplaced } from '../../engine/keeping-replaced'
import { fromStored, type Keys, mongoRecords, type Stored } from '../../engine/records'
import {
  changedByMember,
  intentFields,
  intentOfVersion,
  mongoIntentVersions,
  type StoredVersion,
  versionIdOf,
  versionModel,
} from './intent-versions'

export const intentModel = (connection: Connection): Model<Stored<DepositIntent>> =>
  collection<Stored<DepositIntent>>(connection, 'intents', intentFields, [
    [{ 'keys.targets': 1 }, { name: 'targets' }],
    changedByMember,
  ])

/**
 * Returns the recipients of this version. The stored list only grows, so it holds every recipient that the intent ever
 * named. A deposit from before a change went to the recipient of that time, and a refund to its own address.
 */
const keysOf = ({ targetAddress, refundAddress }: DepositIntent): Keys => ({
  targets: refundAddress === null ? [targetAddress] : [targetAddress, refundAddress],
})

export const mongoIntents = (connection: Connection, worker: string): DepositIntents => {
  const records = mongoRecords(documentsOf<DepositIntent>(intentModel(connection)), worker, { keysOf })
  return keepingReplaced(records, mongoIntentVersions(connection).keep)
}

export function mongoIntentHistory(connection: Connection): IntentHistory {
  const [intents, versions] = [intentModel(connection), versionModel(connection)]

  async function withPrevious<Row extends { intent: DepositIntent }>(rows: Row[]) {
    const before = rows.map(({ intent }) => versionIdOf(intent.id, intent.version - 1))
    const kept = before.length === 0 ? [] : await versions.find({ _id: { $in: before } }).lean<StoredVersion[]>()
    const byId = new Map(kept.map((row) => [row._id, intentOfVersion(row)]))
    return rows.map((row, n) => ({ ...row, previous: byId.get(before[n]!) ?? null }))
  }

  return {
    replaced: mongoIntentVersions(connection).replaced,
    async versionsOf(marks) {
      if (marks.length === 0) return []
      const byIds = { _id: { $in: marks.map(({ id }) => id) } }
      const standing = (await intents.find(byIds).lean<Stored<DepositIntent>[]>()).map(fromStored<DepositIntent>)
      const names = marks.map(({ id, version }) => versionIdOf(id, version))
      const kept = await versions.find({ _id: { $in: names } }).lean<StoredVersion[]>()
      const wanted = new Set(names)
      const all = [...standing, ...kept.map(intentOfVersion)]
      const rows = new Map(all.map((intent) => [versionIdOf(intent.id, intent.version), { intent }]))
      return withPrevious([...rows].flatMap(([name, row]) => (wanted.has(name) ? [row] : [])))
    },
  }
}

type Paid = { id: Address; userId: string }
/** If more accounts than this pay an address, its rows are so frequent that a read through all rows finds them. */
export const paidMax = 100

/** Returns up to `limit` accounts whose deposits an address receives or received. */
export function accountsPaying(connection: Connection) {
  const model = intentModel(connection)
  return async ({ organizationId }: TenantScope, target: Address, limit: number): Promise<Paid[]> => {
    const filter = { 'keys.targets': target, ...(organizationId !== null && { organizationId }) }
    const found = await model
      .find(filter, { userId: 1 })
      .hint('targets')
      .limit(limit)
      .lean<{ _id: Address; userId: string }[]>()
    return found.map(({ _id, userId }) => ({ id: _id, userId }))
  }
}

/** Returns all accounts of that kind, or null if there are more than `most`. */
export function accountsFor(connection: Connection) {
  const paying = accountsPaying(connection)
  return async (tenant: TenantScope, target: Address, most: number): Promise<Paid[] | null> => {
    const found = await paying(tenant, target, most + 1)
    return found.length > most ? null : found
  }
}
