import type { Connection, Model } from 'mongoose'
import { tellingRefusal } from './write-refusal'

/** A reader of the feed of events may already be past a write that took longer than this. */
const slowMs = 2_500

type Late<Result> = {
  connection: Connection
  model: Model<never>
  now: () => number
  /** Which document was written, in which version, and what of it is to be a time from now on. */
  laterOf: (result: NonNullable<Result>, at: number) => { filter: object; later: object }
}

/**
 * Stores what is told as an event. What took long to store is given the time at which it was stored, unless somebody
 * has changed it since. Nothing depends on these times but where it is told.
 */
export async function notLate<Result>(
  { connection, model, now, laterOf }: Late<Result>,
  store: () => Promise<Result>,
): Promise<Result> {
  const began = now()
  const result = await store()
  if (!result || now() - began <= slowMs) return result
  const { filter, later } = laterOf(result, now())
  const put = () => model.collection.updateOne(filter, { $set: later })
  const { matchedCount } = await tellingRefusal(connection, put)
  return matchedCount === 1 && typeof result === 'object' ? { ...result, ...later } : result
}
