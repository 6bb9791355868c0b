import type { Connection, Model } from 'mongoose'
import type { Address } from '../../../../domain/chain/hex'
import type { DepositIntent } from '../../../../domain/deposit/deposit-intent'
import type { TenantScope } from '../../../../ports/records'
import type { DepositIntents, IntentHistory } from '../../../../ports/tenants'
import {
  any,
  anyOrNull,
  collection,
  documentsOf,
  flag,
  type Index,
  text,
  textOrNull,
  versioned,
  whole,
} from '../../engine/collection'
import { insertedOnce, keepingReplaced } from '../../engine/inserted-once'
import { fromStored, type Keys, mongoRecords, type StoredRecord } from '../../engine/records'

export const intentModel = (connection: Connection): Model<StoredRecord<DepositIntent>> =>
  collection<StoredRecord<DepositIntent>>(connection, 'intents', intentFields, [
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
    const storedVersions =
      before.length === 0 ? [] : await versions.find({ _id: { $in: before } }).lean<StoredVersion[]>()
    const byId = new Map(storedVersions.map((row) => [row._id, intentOfVersion(row)]))
    return rows.map((row, n) => ({ ...row, previous: byId.get(before[n]!) ?? null }))
  }

  return {
    replaced: mongoIntentVersions(connection).replaced,
    async versionsOf(marks) {
      if (marks.length === 0) return []
      const byIds = { _id: { $in: marks.map(({ id }) => id) } }
      const depositIntents = (await intents.find(byIds).lean<StoredRecord<DepositIntent>[]>()).map(
        fromStored<DepositIntent>,
      )
      const names = marks.map(({ id, version }) => versionIdOf(id, version))
      const storedVersions = await versions.find({ _id: { $in: names } }).lean<StoredVersion[]>()
      const wanted = new Set(names)
      const all = [...depositIntents, ...storedVersions.map(intentOfVersion)]
      const rows = new Map(all.map((intent) => [versionIdOf(intent.id, intent.version), { intent }]))
      return withPrevious([...rows].flatMap(([name, row]) => (wanted.has(name) ? [row] : [])))
    },
  }
}

type PaidIntent = { id: Address; userId: string }
/** Above this many payers, rows of the address are so common that an ordinary scan of a list finds them. */
export const paidMax = 100

/** Returns up to `limit` accounts whose deposits an address receives or received. */
export function accountsPaying(connection: Connection) {
  const model = intentModel(connection)
  return async ({ organizationId }: TenantScope, target: Address, limit: number): Promise<PaidIntent[]> => {
    const filter = { 'keys.targets': target, ...(organizationId !== null && { organizationId }) }
    const rows = await model
      .find(filter, { userId: 1 })
      .hint('targets')
      .limit(limit)
      .lean<{ _id: Address; userId: string }[]>()
    return rows.map(({ _id, userId }) => ({ id: _id, userId }))
  }
}

/** Returns all accounts of that kind, or null if there are more than `most`. */
export function accountsFor(connection: Connection) {
  const paying = accountsPaying(connection)
  return async (tenant: TenantScope, target: Address, most: number): Promise<PaidIntent[] | null> => {
    const intents = await paying(tenant, target, most + 1)
    return intents.length > most ? null : intents
  }
}

type StoredVersion = Omit<DepositIntent, 'id'> & { _id: string; account: Address }

function versionModel(connection: Connection): Model<StoredVersion> {
  const { writer: _, keys: __, ...fields } = intentFields
  return collection<StoredVersion>(connection, 'intentVersions', { ...fields, account: text, version: whole }, [
    [{ account: 1, version: -1 }, { name: 'newest' }],
    changedByMember,
  ])
}

const versionIdOf = (id: Address, version: number): string => `${id}:${version}`
const intentOfVersion = ({ _id, account, ...version }: StoredVersion): DepositIntent => ({
  id: account,
  ...version,
})

/** Replaced versions of intents. Append-only: no code here changes or removes a version. */
function mongoIntentVersions(connection: Connection) {
  const model = versionModel(connection)
  return {
    /** Safe to repeat, because a version of an intent never changes. */
    async keep({ id, ...version }: DepositIntent): Promise<void> {
      await insertedOnce(connection, model, { _id: versionIdOf(id, version.version), account: id, ...version })
    },
    async replaced(id: Address, before: number, limit: number): Promise<DepositIntent[]> {
      const storedVersions = await model
        .find({ account: id, version: { $lt: before } })
        .sort({ version: -1 })
        .limit(limit)
        .lean<StoredVersion[]>()
      return storedVersions.map(intentOfVersion)
    },
  }
}

/** Index by the member who changed an intent. Few intents were changed by a member. */
const changedByMember: Index = [
  { 'changedBy.id': 1 },
  { name: 'changedByMember', partialFilterExpression: { 'changedBy.kind': 'MEMBER' } },
]

const intentFields = {
  ...versioned,
  organizationId: text,
  userId: text,
  apiKeyId: text,
  targetChainId: whole,
  targetTokenAddress: text,
  targetAddress: text,
  protocolFeeBps: whole,
  sponsoredGas: flag,
  refundAddress: textOrNull,
  seal: textOrNull,
  changedBy: anyOrNull,
  createdAt: whole,
  updatedAt: whole,
  keys: any,
}
