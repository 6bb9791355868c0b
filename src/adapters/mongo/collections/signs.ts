import type { Connection } from 'mongoose'
import { type Sign, signId } from '../../../domain/execution/overdue'
import type { Signs } from '../../../ports/overdue'
import { collection, text, textOrNull, whole, wholeOrNull } from '../engine/collection'
import { tellingRefusal } from '../engine/write-refusal'

const fields = {
  kind: text,
  chainId: wholeOrNull,
  provider: textOrNull,
  subject: textOrNull,
  okAt: whole,
  at: whole,
}
/** There are only a few chains, relayers and providers, so more than this would be a bug. */
const signsMax = 1_000

export function mongoSigns(connection: Connection): Signs {
  const model = collection<Omit<Sign, 'id'> & { _id: string }>(connection, 'signs', fields)
  return {
    async note({ kind, chainId, provider, subject }, at, okAt) {
      const _id = signId({ kind, chainId, provider, subject })
      const named = { kind, chainId, provider, subject }
      const update =
        okAt === null
          ? { $max: { at }, $setOnInsert: { ...named, okAt: at } }
          : { $max: { at, okAt }, $setOnInsert: named }
      await tellingRefusal(connection, () => model.collection.updateOne({ _id } as never, update, { upsert: true }))
    },
    async all() {
      const stored = await model.find({}).limit(signsMax).lean<(Omit<Sign, 'id'> & { _id: string })[]>()
      return stored.map(({ _id, ...sign }) => ({ id: _id, ...sign }))
    },
  }
}
