import type { Connection } from 'mongoose'
import type { Address } from '../../../domain/chain/hex'
import type { DepositIntent } from '../../../domain/deposit/deposit-intent'
import { any, anyOrNull, collection, flag, type Index, text, textOrNull, versioned, whole } from '../engine/collection'
import { tellingRefusal } from '../engine/write-refusal'

type StoredVersion = Omit<DepositIntent, 'id'> & { _id: string; account: Address }

const duplicateKey = 11000

/** The versions of intents that were replaced. Append-only: nothing here changes or removes one. */
export function mongoIntentVersions(connection: Connection) {
  const { writer: _, keys: __, ...fields } = intentFields
  const model = collection<StoredVersion>(connection, 'intentVersions', { ...fields, account: text, version: whole }, [
    [{ account: 1, version: -1 }, { name: 'newest' }],
    changedByMember,
  ])
  return {
    /** Idempotent, because a version of an intent never changes. */
    async keep({ id, ...version }: DepositIntent): Promise<void> {
      const document = { _id: `${id}:${version.version}`, account: id, ...version }
      try {
        await tellingRefusal(connection, () => model.collection.insertOne(document as never))
      } catch (error) {
        if ((error as { code?: unknown }).code !== duplicateKey) throw error
      }
    },
    async replaced(id: Address, before: number, limit: number): Promise<DepositIntent[]> {
      const found = await model
        .find({ account: id, version: { $lt: before } })
        .sort({ version: -1 })
        .limit(limit)
        .lean<StoredVersion[]>()
      return found.map(({ _id, account, ...version }) => ({ id: account, ...version }))
    },
  }
}

/** By whom of the dashboard's people an intent was changed, which few are. */
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
