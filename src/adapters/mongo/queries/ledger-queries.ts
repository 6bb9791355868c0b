import type { Connection } from 'mongoose'
import type { LedgerRecord } from '../../../domain/money/ledger'
import type { LedgerQueries } from '../../../ports/usage'
import { executionModel } from '../collections/execution-model'

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
 * Streams executions in the order of an index whose keys never change. A record that is written during the read is
 * therefore neither left out nor returned twice.
 */
export function mongoLedgerQueries(connection: Connection): LedgerQueries {
  const { collection } = executionModel(connection)
  return {
    async *records(organizationId, before) {
      const rows = collection
        .find({ organizationId, 'deposit.detectedAt': { $lt: before } }, { projection, batchSize })
        .sort({ 'deposit.detectedAt': -1, _id: -1 })
        .hint('detected')
      for await (const { _id, ...row } of rows) yield { id: String(_id), ...row } as unknown as LedgerRecord
    },
  }
}
