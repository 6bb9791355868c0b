import type { Connection } from 'mongoose'
import type { Address } from '../../../../domain/chain/hex'
import type { AskedChange, HeldChange } from '../../../../domain/deposit/held-change'
import type { HeldChanges } from '../../../../ports/tenants'
import {
  any,
  collection,
  documentsOf,
  type Index,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from '../../engine/collection'
import { insertedOnce } from '../../engine/inserted-once'
import { keepingReplaced } from '../../engine/keeping-replaced'
import { fromStored, mongoRecords, type Stored } from '../../engine/records'

const askedFields = {
  organizationId: text,
  userId: text,
  target: any,
  of: whole,
  askedAt: whole,
  from: wholeOrNull,
}
const heldFields = { ...versioned, ...askedFields, askedBy: any, personId: textOrNull, state: text, seal: textOrNull }
/** Indexes by the time of the request, which becomes an event. */
const byTime: Index[] = [
  [{ organizationId: 1, askedAt: 1 }, { name: 'asked' }],
  [{ askedAt: 1 }, { name: 'askedAnywhere' }],
]
const waitingMax = 200

type Asked = Omit<AskedChange, 'id'> & { _id: string; account: Address }

/**
 * Requested changes, stored before anything else happens to them. Append-only: the account's next pending change
 * replaces the pending record, and these records stay.
 */
function askedChanges(connection: Connection) {
  const model = collection<Asked>(connection, 'askedChanges', { account: text, ...askedFields }, byTime)
  return {
    model,
    /** Safe to repeat: the version that was stored first stays. */
    async keep({ id: account, organizationId, userId, target, of, askedAt, from }: HeldChange): Promise<void> {
      const asked = { account, organizationId, userId, target, of, askedAt, from }
      await insertedOnce(connection, model, { _id: `${account}:${askedAt}`, ...asked })
    },
  }
}

/** Changes of intents that are not active yet. */
export function mongoHeldChanges(connection: Connection, worker: string): HeldChanges {
  const model = collection<Stored<HeldChange>>(connection, 'heldChanges', heldFields, [
    [{ state: 1, from: 1 }, { name: 'due' }],
    [{ organizationId: 1, state: 1, askedAt: -1 }, { name: 'waiting' }],
    ...byTime,
  ])
  const asked = askedChanges(connection)
  return {
    ...keepingReplaced(mongoRecords(documentsOf<HeldChange>(model), worker), asked.keep),
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
    async askedBetween({ organizationId }, from, to) {
      const askedAt = { $gte: from, $lt: to }
      const filter = organizationId === null ? { askedAt } : { organizationId, askedAt }
      const index = organizationId === null ? 'askedAnywhere' : 'asked'
      // In this order, a change that is copied and replaced between the reads is not missed.
      const standing = await model
        .find(filter as never)
        .hint(index)
        .lean<Stored<HeldChange>[]>()
      const kept = await asked.model
        .find(filter as never)
        .hint(index)
        .lean<Asked[]>()
      const whole = new Map(standing.map(({ _id, ...change }) => [`${_id}:${change.askedAt}`, askedOf(_id, change)]))
      for (const { _id, account, ...change } of kept) whole.set(_id, askedOf(account, change))
      return [...whole.values()]
    },
  }
}

const askedOf = (id: string, { organizationId, userId, target, of, askedAt, from }: Omit<AskedChange, 'id'>) => ({
  ...{ id: id as Address, organizationId, userId, target, of, askedAt, from },
})
