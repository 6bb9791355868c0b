import type { Connection } from 'mongoose'
import type { Budgets } from '../../ports/budgets'
import { collection, whole } from './collection'

type Stored = { _id: string; used: number; forgetAt: Date }

const fields = { used: whole, forgetAt: { type: Date, required: true } }
const duplicateKey = 11000

/** One document each: the condition and the count are one write. */
export function mongoBudgets(connection: Connection): Budgets {
  const model = collection<Stored>(connection, 'budgets', fields, [
    [{ forgetAt: 1 }, { name: 'forget', expireAfterSeconds: 0 }],
  ])

  const isFirst = (id: string, forgetAt: number): Promise<boolean> =>
    model.collection.insertOne({ _id: id, used: 1, forgetAt: new Date(forgetAt) } as never).then(
      () => true,
      (error: { code?: number }) => {
        if (error.code === duplicateKey) return false
        throw error
      },
    )

  return {
    async take(id, most, forgetAt) {
      if (most < 1) return false
      const more = async () => {
        const { modifiedCount } = await model.updateOne({ _id: id, used: { $lt: most } }, { $inc: { used: 1 } })
        return modifiedCount === 1
      }
      return (await more()) || (await isFirst(id, forgetAt)) || more()
    },
  }
}
