import type { Connection } from 'mongoose'
import { type Observation, observationId } from '../../../domain/execution/overdue'
import type { Observations } from '../../../ports/observing'
import { collection, text, textOrNull, whole, wholeOrNull } from '../engine/collection'
import { rememberingRefusal } from '../engine/write-refusal'

const fields = {
  kind: text,
  chainId: wholeOrNull,
  provider: textOrNull,
  subject: textOrNull,
  okAt: whole,
  at: whole,
  balanceRaw: textOrNull,
}
/** There are only a few chains, relayers and providers, so more than this would be a bug. */
const observationsMax = 1_000

export function mongoObservations(connection: Connection): Observations {
  // It keeps its name: during an upgrade, a process would miss what processes with another name saw healthy, and alert.
  const model = collection<Omit<Observation, 'id'> & { _id: string }>(connection, 'signs', fields)
  return {
    async note({ kind, chainId, provider, subject }, at, okAt, balanceRaw) {
      const _id = observationId({ kind, chainId, provider, subject })
      const named = { kind, chainId, provider, subject }
      const when =
        okAt === null
          ? { $max: { at }, $setOnInsert: { ...named, okAt: at } }
          : { $max: { at, okAt }, $setOnInsert: named }
      const update = balanceRaw === undefined ? when : { ...when, $set: { balanceRaw: String(balanceRaw) } }
      await rememberingRefusal(connection, () => model.collection.updateOne({ _id } as never, update, { upsert: true }))
    },
    async all() {
      const stored = await model.find({}).limit(observationsMax).lean<(Omit<Observation, 'id'> & { _id: string })[]>()
      return stored.map(({ _id, ...observation }) => ({ id: _id, ...observation }))
    },
  }
}
