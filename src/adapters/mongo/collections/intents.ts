import type { Connection, Model } from 'mongoose'
import type { Address } from '../../../domain/chain/hex'
import type { DepositIntent } from '../../../domain/deposit/deposit-intent'
import type { HeldChange } from '../../../domain/deposit/held-change'
import type { TenantScope } from '../../../ports/page'
import type { DepositIntents, HeldChanges, IntentHistory } from '../../../ports/tenants'
import { any, collection, documentsOf, text, textOrNull, versioned, whole, wholeOrNull } from '../engine/collection'
import { keepingReplaced } from '../engine/keeping-replaced'
import { fromStored, type Keys, mongoRecords, type Stored } from '../engine/records'
import { changedByMember, intentFields, mongoIntentVersions } from './intent-versions'
export const intentModel = (connection: Connection): Model<Stored<DepositIntent>> =>
  collection<Stored<DepositIntent>>(connection, 'intents', intentFields, [
    [{ 'keys.targets': 1 }, { name: 'targets' }],
    changedByMember,
  ])

/**
 * All recipients that the intent names or ever named: a deposit that came before a change went to the recipient of that
 * time, and a refund to its own address.
 */
const keysOf = ({ targetAddress, refundAddress }: DepositIntent): Keys => ({
  targets: refundAddress === null ? [targetAddress] : [targetAddress, refundAddress],
})

export const mongoIntents = (connection: Connection, worker: string): DepositIntents => {
  const records = mongoRecords(documentsOf<DepositIntent>(intentModel(connection)), worker, { keysOf })
  return keepingReplaced(records, mongoIntentVersions(connection).keep)
}

const heldFields = {
  ...versioned,
  organizationId: text,
  userId: text,
  target: any,
  of: whole,
  askedBy: any,
  personId: textOrNull,
  askedAt: whole,
  from: wholeOrNull,
  state: text,
  seal: textOrNull,
}
const waitingMax = 200

/** Changes of intents that do not count yet. */
export function mongoHeldChanges(connection: Connection, worker: string): HeldChanges {
  const model = collection<Stored<HeldChange>>(connection, 'heldChanges', heldFields, [
    [{ state: 1, from: 1 }, { name: 'due' }],
    [{ organizationId: 1, state: 1, askedAt: -1 }, { name: 'waiting' }],
  ])
  return {
    ...mongoRecords(documentsOf<HeldChange>(model), worker),
    async waiting(organizationId) {
      const found = model.find({ organizationId, state: 'WAITING' } as never).sort({ askedAt: -1 })
      return (await found.limit(waitingMax).lean<Stored<HeldChange>[]>()).map(fromStored<HeldChange>)
    },
    async due(now, limit) {
      const found = model
        .find({ state: { $in: ['WAITING', 'APPLYING'] }, from: { $gt: -1, $lte: now } } as never)
        .sort({ from: 1 })
      return (await found.limit(limit).lean<Stored<HeldChange>[]>()).map(fromStored<HeldChange>)
    },
  }
}

export const mongoIntentHistory = (connection: Connection): IntentHistory => ({
  replaced: mongoIntentVersions(connection).replaced,
})

type Paid = { id: Address; userId: string }
/** When more accounts than these pay an address, its rows are so frequent that a walk through all rows finds them. */
export const paidMax = 100

/** At most `limit` accounts whose deposits an address receives or received. */
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

/** All such accounts; null when there are more than `most`. */
export function accountsFor(connection: Connection) {
  const paying = accountsPaying(connection)
  return async (tenant: TenantScope, target: Address, most: number): Promise<Paid[] | null> => {
    const found = await paying(tenant, target, most + 1)
    return found.length > most ? null : found
  }
}
