import type { Connection } from 'mongoose'
import type { Execution } from '../../../domain/execution/execution'
import type { LedgerRecord } from '../../../domain/money/ledger'
import type { LedgerLine, LedgerQueries } from '../../../ports/limits'
import { endedPart, executionParts, openPart } from '../collections/execution-indexes'
import { executionModel, ofAccount } from '../collections/execution-model'
import { ofTenant, type Part, pagedBy } from '../engine/page'
import { fromStored } from '../engine/records'

const batchSize = 2_000
/** What the ledger reads. Signed orders and histories are most of a record, and are left out but for one entry. */
const projection = {
  status: 1,
  createdAt: 1,
  completedAt: 1,
  redriveOf: 1,
  redrivenBy: 1,
  refundOf: 1,
  takenBy: 1,
  history: { $slice: 1 },
  ...Object.fromEntries(
    ['chainId', 'token', 'amountRaw', 'detectedAt', 'symbol', 'decimals'].map((field) => [`deposit.${field}`, 1]),
  ),
  ...Object.fromEntries(['spent', 'fees', 'delivery', 'intent', 'balance'].map((field) => [`facts.${field}`, 1])),
}

export function mongoLedgerQueries(connection: Connection): LedgerQueries {
  const model = executionModel(connection)
  const { collection } = model
  const rows = pagedBy(model, executionParts)

  /** Adds the re-drives by their ids, because a first execution may not name a new one yet. */
  async function withRedrives(lines: LedgerLine[]): Promise<LedgerLine[]> {
    for (let [n, rest] = [1, lines]; rest.length > 0; n += 1) {
      const matches = await collection
        .find({ _id: { $in: rest.map(({ first }) => `${first.id}:r${n}` as never) } }, { projection })
        .toArray()
      const redrives = new Map(matches.map((row) => [String(row._id), recordOf(row)]))
      rest = rest.filter(({ first, records }) => {
        const redrive = redrives.get(`${first.id}:r${n}`)
        if (redrive) records.push(redrive)
        return redrive !== undefined
      })
    }
    return lines
  }

  return {
    async lines({ userId, depositAddress, fromChainId, fromTokenAddress, createdFrom, createdTo, ...tenant }, page) {
      const equal = {
        ...ofTenant(tenant),
        redriveOf: null,
        userId,
        ...(depositAddress && ofAccount(depositAddress)),
        'deposit.chainId': fromChainId,
        'deposit.token': fromTokenAddress,
      }
      const matches = await rows.page(equal, { field: 'deposit.detectedAt', from: createdFrom, to: createdTo }, page)
      return withRedrives(
        matches.map((row) => {
          const first = fromStored<Execution>(row)
          return { first, records: [first] }
        }),
      )
    },
    /**
     * Open executions are few and are read first. Ended ones are streamed in the order of an index whose keys never
     * change. An execution that ends during the read is returned as ended or as open.
     */
    async *records(organizationId, before) {
      const span = { field: 'deposit.detectedAt' }
      const equal = { organizationId, 'deposit.detectedAt': { $lt: before } }
      const [open, ended] = [openPart(equal), endedPart(equal, span)]
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
