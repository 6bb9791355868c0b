import type { Connection } from 'mongoose'
import { heldMs, replayMs } from '../../../domain/tenant/idempotency'
import type { IdempotentRequests, IdempotentStart, StoredResponse } from '../../../ports/limits'
import { anyOrNull, collection, text, whole } from '../engine/collection'
import { rememberingRefusal } from '../engine/write-refusal'

type StoredRequest = {
  _id: string
  fingerprint: string
  at: number
  /** Name of the attempt that holds the key. */
  turn: string
  answer: StoredResponse | null
  /** The database removes the document some time after this. Only `at` decides. */
  forgetAt: Date
}

const fields = {
  fingerprint: text,
  at: whole,
  turn: text,
  answer: anyOrNull,
  forgetAt: { type: Date, required: true },
}
const duplicateKey = 11000

/** @param worker Unique name of this process, which its turns carry. */
export function mongoIdempotency(connection: Connection, worker: string): IdempotentRequests {
  const model = collection<StoredRequest>(connection, 'idempotentRequests', fields, [
    [{ forgetAt: 1 }, { name: 'forget', expireAfterSeconds: 0 }],
  ])
  let turns = 0

  async function begin(id: string, fingerprint: string, at: number): Promise<IdempotentStart> {
    const turn = `${worker}:${++turns}`
    const row: StoredRequest = { _id: id, fingerprint, at, turn, answer: null, forgetAt: new Date(at + replayMs) }
    if (await isInserted(row)) return { kind: 'BEGUN', turn }
    const stored = await model.findById(id).lean<StoredRequest>()
    if (!stored) return { kind: 'RUNNING' } // released just now
    // After a lost response the driver repeats a write, and FerretDB runs it again: it then meets its own document.
    if (stored.turn === turn) return { kind: 'BEGUN', turn }
    if (at < stored.at + (stored.answer ? replayMs : heldMs)) {
      if (stored.fingerprint !== fingerprint) return { kind: 'OTHER' }
      return stored.answer ? { kind: 'KEPT', answer: stored.answer } : { kind: 'RUNNING' }
    }
    const { _id, ...fresh } = row
    const { matchedCount } = await model.updateOne({ _id, turn: { $in: [stored.turn, turn] } }, { $set: fresh })
    return matchedCount === 1 ? { kind: 'BEGUN', turn } : { kind: 'RUNNING' }
  }

  const isInserted = (row: StoredRequest): Promise<boolean> =>
    rememberingRefusal(connection, () => model.collection.insertOne(row as never)).then(
      () => true,
      (error: { code?: number }) => {
        if (error.code === duplicateKey) return false
        throw error
      },
    )

  return {
    begin,
    async keep(id, turn, answer) {
      await model.updateOne({ _id: id, turn }, { $set: { answer } })
    },
    async release(id, turn) {
      await model.deleteOne({ _id: id, turn, answer: null })
    },
  }
}
