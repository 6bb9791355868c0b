import type { Connection, Model } from 'mongoose'
import type { RoutedPart, Unsupported } from '../../../domain/deposit/unsupported'
import { depositIdOf } from '../../../domain/execution/execution'
import { laneId } from '../../../domain/execution/lane'
import type { OfLane, UnsupportedDeposits } from '../../../ports/detection'
import {
  any,
  anyList,
  anyOrNull,
  collection,
  documentsOf,
  rowsOf,
  text,
  versioned,
  whole,
  wholeOrNull,
} from '../engine/collection'
import type { Filter } from '../engine/page'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'
import { executionModel, type StoredExecution } from './execution-model'

const fields = {
  ...versioned,
  organizationId: text,
  userId: text,
  account: text,
  chainId: whole,
  token: text,
  others: anyOrNull,
  newest: anyList,
  older: any,
  countedTo: whole,
  pointedFrom: wholeOrNull,
  wantedTo: wholeOrNull,
  dueAt: wholeOrNull,
  judgeAt: wholeOrNull,
  detectedBy: anyList,
  detectedAt: whole,
  updatedAt: whole,
}

export const unsupportedModel = (connection: Connection): Model<StoredRecord<Unsupported>> =>
  collection<StoredRecord<Unsupported>>(connection, 'unsupported', fields, [
    [{ account: 1, chainId: 1 }, { name: 'account' }],
    [{ userId: 1, organizationId: 1 }, { name: 'userAnywhere' }],
    [{ token: 1, organizationId: 1, detectedAt: -1, _id: -1 }, { name: 'token' }],
    [{ others: 1 }, { name: 'others' }],
    [{ 'newest.txHash': 1 }, { name: 'txHash' }],
    [{ organizationId: 1, detectedAt: -1, _id: -1 }, { name: 'detected' }],
    [{ detectedAt: -1, _id: -1 }, { name: 'detectedAnywhere' }],
    // Records that are due, not judged yet, or only hinted at by a webhook. They are few of all.
    [
      { chainId: 1, dueAt: 1 },
      { name: 'due', partialFilterExpression: { dueAt: { $gt: -1 } } },
    ],
    [
      { chainId: 1, judgeAt: 1 },
      { name: 'unjudged', partialFilterExpression: { judgeAt: { $gt: -1 } } },
    ],
    [
      { chainId: 1, pointedFrom: 1 },
      { name: 'pointed', partialFilterExpression: { pointedFrom: { $gt: -1 } } },
    ],
  ])

const narrow = {
  'newest.txHash': 'txHash',
  newest: 'txHash',
  account: 'account',
  userId: 'userAnywhere',
  token: 'token',
  others: 'others',
}

/** Returns the name of the index that finds unsupported deposits. */
export function unsupportedIndex(filter: Filter): string {
  for (const [name, index] of Object.entries(narrow)) if (filter[name] !== undefined) return index
  return filter['organizationId'] === undefined ? 'detectedAnywhere' : 'detected'
}

const lanesMax = 200

/** Reads from the stored executions which part of each record is routed. Only they decide about that money. */
export function routedOn(connection: Connection) {
  const executions = executionModel(connection)
  type Row = Pick<StoredExecution, '_id' | 'deposit' | 'createdAt'>

  async function routedIn(records: readonly OfLane[]): Promise<RoutedPart[]> {
    const lanes = records.map(({ account, chainId, token }) => laneId(account, chainId, token))
    const ids = records.flatMap(({ chainId, newest }) =>
      newest.map((one) => depositIdOf(chainId, one.txHash, one.logIndex)),
    )
    const swept = { 'deposit.lane': { $in: [...new Set(lanes)] }, redriveOf: null, 'deposit.txHash': null }
    const [rows, existing] = await Promise.all([
      executions.find(swept, { 'deposit.lane': 1, 'deposit.block': 1, createdAt: 1 }).hint('laneOver').lean<Row[]>(),
      ids.length === 0 ? [] : executions.find({ _id: { $in: ids } }, { _id: 1 }).lean<Row[]>(),
    ])
    const recorded = new Set(existing.map(({ _id }) => _id))
    const finds = Map.groupBy(rows, ({ deposit }) => deposit.lane)
    return lanes.map((lane) => {
      const last = (finds.get(lane) ?? []).toSorted((a, b) => b.deposit.block - a.deposit.block)[0]
      const isShown = (last?.createdAt ?? null) !== null
      return { sweptTo: last?.deposit.block ?? -1, executionId: last?._id ?? null, isShown, recorded }
    })
  }

  return async (records: readonly OfLane[]): Promise<RoutedPart[]> => {
    const routed: RoutedPart[] = []
    for (let n = 0; n < records.length; n += lanesMax) routed.push(...(await routedIn(records.slice(n, n + lanesMax))))
    return routed
  }
}

export function mongoUnsupported(connection: Connection, worker: string): UnsupportedDeposits {
  const model = unsupportedModel(connection)
  const rows = rowsOf<Unsupported>(model)
  const first = async (filter: Filter, field: string, limit: number) => {
    const cursor = rows.find(filter as never).sort({ [field]: 1 })
    return (await cursor.limit(limit).toArray()).map(fromStored<Unsupported>)
  }
  return {
    ...mongoRecords(documentsOf<Unsupported>(model), worker),
    routedOf: routedOn(connection),
    countOf: (account, chainId, most) => model.countDocuments({ account, chainId } as never).limit(most),
    due: (chainId, now, limit) => first({ chainId, dueAt: { $gt: -1, $lte: now } }, 'dueAt', limit),
    unjudged: (chainId, now, limit) => first({ chainId, judgeAt: { $gt: -1, $lte: now } }, 'judgeAt', limit),
    pointedAt: (chainId, block, limit) =>
      first({ chainId, pointedFrom: { $gt: -1, $lte: block } }, 'pointedFrom', limit),
  }
}
