import type { Connection } from 'mongoose'
import { markOf } from '../../../domain/event-marks'
import type { QuotaWarning } from '../../../domain/limits/quota'
import type { QuotaWarnings } from '../../../ports/limits'
import { anyOrNull, collection, text, whole } from '../engine/collection'
import { insertedOnce } from '../engine/inserted-once'

/** A warning never changes, so its insertion also marks it for the log. */
type Row = Omit<QuotaWarning, 'id'> & { _id: string; keys?: { unlogged: string } }

const fields = {
  organizationId: text,
  quotaKey: text,
  at: whole,
  percent: whole,
  limit: whole,
  used: whole,
  keys: anyOrNull,
}

export function mongoQuotaWarnings(connection: Connection): QuotaWarnings {
  const model = collection<Row>(connection, 'quotaWarnings', fields)
  return {
    async note({ id, ...warning }) {
      await insertedOnce(connection, model, { _id: id, ...warning, keys: { unlogged: markOf(warning.at, id) } })
    },
    async load(ids) {
      const rows = await model.find({ _id: { $in: [...ids] } }).lean<Row[]>()
      return rows.map(({ _id, keys: _, ...warning }) => ({ id: _id, ...warning }))
    },
  }
}
