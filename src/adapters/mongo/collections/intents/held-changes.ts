import type { Connection } from 'mongoose'
import type { Address } from '../../../../domain/chain/hex'
import type { HeldChange, RequestedChange } from '../../../../domain/deposit/held-change'
import type { HeldChanges } from '../../../../ports/tenants'
import { any, collection, documentsOf, text, textOrNull, versioned, whole, wholeOrNull } from '../../engine/collection'
import { insertedOnce, keepingReplaced } from '../../engine/inserted-once'
import { fromStored, mongoRecords, type StoredRecord } from '../../engine/records'

const requestFields = {
  organizationId: text,
  userId: text,
  target: any,
  of: whole,
  askedAt: whole,
  from: wholeOrNull,
}
const heldFields = { ...versioned, ...requestFields, askedBy: any, personId: textOrNull, state: text, seal: textOrNull }
const waitingMax = 200
/** Most replaced changes of one account that are read. */
const requestsMax = 100

type StoredRequest = Omit<RequestedChange, 'id'> & { _id: string; account: Address }

/**
 * Requested changes, stored before anything else happens to them. Append-only: the account's next pending change
 * replaces the pending record, and these records stay.
 */
function requestedChanges(connection: Connection) {
  const model = collection<StoredRequest>(connection, 'askedChanges', { account: text, ...requestFields })
  return {
    model,
    /** Safe to repeat: the version that was stored first stays. */
    async keep({ id: account, organizationId, userId, target, of, askedAt, from }: HeldChange): Promise<void> {
      const request = { account, organizationId, userId, target, of, askedAt, from }
      await insertedOnce(connection, model, { _id: `${account}:${askedAt}`, ...request })
    },
  }
}

/** Changes of intents that are not active yet. */
export function mongoHeldChanges(connection: Connection, worker: string): HeldChanges {
  const model = collection<StoredRecord<HeldChange>>(connection, 'heldChanges', heldFields, [
    [{ state: 1, from: 1 }, { name: 'due' }],
    [{ organizationId: 1, state: 1, askedAt: -1 }, { name: 'waiting' }],
  ])
  const requested = requestedChanges(connection)
  return {
    ...keepingReplaced(mongoRecords(documentsOf<HeldChange>(model), worker), requested.keep),
    async waiting(organizationId) {
      const query = model.find({ organizationId, state: 'WAITING' } as never).sort({ askedAt: -1 })
      return (await query.limit(waitingMax).lean<StoredRecord<HeldChange>[]>()).map(fromStored<HeldChange>)
    },
    async due(now, limit) {
      const query = model
        .find({ state: { $in: ['WAITING', 'APPLYING'] }, from: { $gt: -1, $lte: now } } as never)
        .sort({ from: 1 })
      return (await query.limit(limit).lean<StoredRecord<HeldChange>[]>()).map(fromStored<HeldChange>)
    },
    async requestedOf(account) {
      // In this order, a change that is copied and replaced between the reads is not missed.
      const current = await model.findOne({ _id: account }).lean<StoredRecord<HeldChange>>()
      const ids = { $gte: `${account}:`, $lt: `${account};` }
      const requests = await requested.model
        .find({ _id: ids })
        .sort({ _id: -1 })
        .limit(requestsMax)
        .lean<StoredRequest[]>()
      const all = new Map(current ? [[current.askedAt, requestOf(account, current)]] : [])
      for (const { _id, account: id, ...change } of requests) all.set(change.askedAt, requestOf(id, change))
      return [...all.values()]
    },
  }
}

const requestOf = (id: string, { organizationId, userId, target, of, askedAt, from }: Omit<RequestedChange, 'id'>) => ({
  ...{ id: id as Address, organizationId, userId, target, of, askedAt, from },
})
