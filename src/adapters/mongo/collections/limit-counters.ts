import type { Connection } from 'mongoose'
import type { LimitCounters } from '../../../ports/limits'
import { collection, whole } from '../engine/collection'

type StoredCounter = { _id: string; used: number; forgetAt: Date }

const fields = { used: whole, forgetAt: { type: Date, required: true } }
const duplicateKey = 11000

/** Each counter is one document. One write checks its condition and increments it. */
export function mongoLimitCounters(connection: Connection): LimitCounters {
  const model = collection<StoredCounter>(connection, 'budgets', fields, [
    [{ forgetAt: 1 }, { name: 'forget', expireAfterSeconds: 0 }],
  ])

  const isFirst = (id: string, forgetAt: number, amount: number): Promise<boolean> =>
    model.collection.insertOne({ _id: id, used: amount, forgetAt: new Date(forgetAt) } as never).then(
      () => true,
      (error: { code?: number }) => {
        if (error.code === duplicateKey) return false
        throw error
      },
    )

  return {
    async take(id, most, forgetAt, amount = 1) {
      if (most < amount) return false
      const more = async () => {
        const left = { _id: id, used: { $lte: most - amount } }
        return (await model.updateOne(left, { $inc: { used: amount } })).modifiedCount === 1
      }
      return (await more()) || (await isFirst(id, forgetAt, amount)) || more()
    },
    async used(id) {
      return (await model.findById(id, { used: 1 }).lean<StoredCounter | null>())?.used ?? 0
    },
    async giveBack(id, amount = 1) {
      await model.updateOne({ _id: id, used: { $gte: amount } }, { $inc: { used: -amount } })
    },
  }
}
