import type { Connection } from 'mongoose'
import type { QuotaWarning } from '../../../domain/tenant/quota'
import type { QuotaWarnings } from '../../../ports/limits'
import { collection, text, whole } from '../engine/collection'
import { insertedOnce } from '../engine/inserted-once'

type Row = Omit<QuotaWarning, 'id'> & { _id: string }

const fields = { organizationId: text, quotaKey: text, at: whole, percent: whole, limit: whole, used: whole }

export function mongoQuotaWarnings(connection: Connection): QuotaWarnings {
  const model = collection<Row>(connection, 'quotaWarnings', fields, [
    [{ organizationId: 1, at: 1 }, { name: 'organization' }],
    [{ at: 1 }, { name: 'at' }],
  ])
  return {
    async note({ id, ...warning }) {
      await insertedOnce(connection, model, { _id: id, ...warning })
    },
    async between({ organizationId }, from, to) {
      const at = { $gte: from, $lt: to }
      const rows =
        organizationId === null
          ? model.find({ at }).hint('at')
          : model.find({ organizationId, at }).hint('organization')
      return (await rows.lean<Row[]>()).map(({ _id, ...warning }) => ({ id: _id, ...warning }))
    },
  }
}
