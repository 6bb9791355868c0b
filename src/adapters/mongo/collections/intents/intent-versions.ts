import type { Connection, Model } from 'mongoose'
import type { Address } from '../../../../domain/chain/hex'
import type { DepositIntent } from '../../../../domain/deposit/deposit-intent'
import {
  any,
  anyOrNull,
  collection,
  flag,
  type Index,
  text,
  textOrNull,
  versioned,
  whole,
} from '../../engine/collection'
import { insertedOnce } from '../../engine/inserted-once'

export type StoredVersion = Omit<DepositIntent, 'id'> & { _id: string; account: Address }

export function versionModel(connection: Connection): Model<StoredVersion> {
  const { writer: _, keys: __, ...fields } = intentFields
  return collection<StoredVersion>(connection, 'intentVersions', { ...fields, account: text, version: whole }, [
    [{ account: 1, version: -1 }, { name: 'newest' }],
    changedByMember,
  ])
}

export const versionIdOf = (id: Address, version: number): string => `${id}:${version}`
export const intentOfVersion = ({ _id, account, ...version }: StoredVersion): DepositIntent => ({
  id: account,
  ...version,
})

/** Replaced versions of intents. Append-only: no code here changes or removes a version. */
export function mongoIntentVersions(connection: Connection) {
  const model = versionModel(connection)
  return {
    /** Safe to repeat, because a version of an intent never changes. */
    async keep({ id, ...version }: DepositIntent): Promise<void> {
      await insertedOnce(connection, model, { _id: versionIdOf(id, version.version), account: id, ...version })
    },
    async replaced(id: Address, before: number, limit: number): Promise<DepositIntent[]> {
      const found = await model
        .find({ account: id, version: { $lt: before } })
        .sort({ version: -1 })
        .limit(limit)
        .lean<StoredVersion[]>()
      return found.map(intentOfVersion)
    },
  }
}

/** Index by the member who changed an intent. Few intents were changed by a member. */
export const changedByMember: Index = [
  { 'changedBy.id': 1 },
  { name: 'changedByMember', partialFilterExpression: { 'changedBy.kind': 'MEMBER' } },
]

export const intentFields = {
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
