import type { Connection } from 'mongoose'
import type { LedgerRecord } from '../../../domain/money/ledger'
import type { LedgerQueries } from '../../../ports/limits'
import { endedPart, openPart } from '../collections/execution-indexes'
import { executionModel } from '../collections/execution-model'
import type { Part } from '../engine/page'

const batchSize = 2_000
/** What the ledger reads. Signed orders and histories are most of a record, and are left out. */
const projection = {
  status: 1,
  createdAt: 1,
  completedAt: 1,
  redriveOf: 1,
  redrivenBy: 1,
  refundOf: 1,
  ...Object.fromEntries(
    ['chainId', 'token', 'amountRaw', 'detectedAt', 'symbol', 'decimals'].map((field) => [`deposit.${field}`, 1]),
  ),
  ...Object.fromEntries(['spent', 'fees', 'delivery', 'intent', 'balance'].map((field) => [`facts.${field}`, 1])),
}

/**
 * Returns every execution once. Open ones are few and are read first. Ended ones are streamed in the order of an index
 * whose keys never change. An execution that ends during the read is returned as ended or as open.
 */
export function mongoLedgerQueries(connection: Connection): LedgerQueries {
  const { collection } = executionModel(connection)
  return {
    async *records(organizationId, before) {
      const span = { field: 'deposit.detectedAt' }
      const asked = { organizationId, 'deposit.detectedAt': { $lt: before } }
      const [open, ended] = [openPart(asked), endedPart(asked, span)]
      const read = ({ filter, index }: Part) => collection.find(filter, { projection, batchSize }).hint(index)
      const moving = new Map((await read(open).toArray()).map((row) => [String(row._id), row]))
      for await (const row of read(ended).sort({ [span.field]: -1, _id: -1 })) {
        moving.delete(String(row._id))
        yield recordOf(row)
      }
      for (const row of moving.values()) yield recordOf(row)
    },
  }
}

const recordOf = ({ _id, ...row }: object & { _id: unknown }) =>
  ({ id: String(_id), ...row }) as unknown as LedgerRecord
