import type { Connection } from 'mongoose'
import type { Hash } from '../../../domain/chain/hex'
import type { HashPart } from '../../../domain/deposit/hash-part'
import type { Execution } from '../../../domain/execution/execution'
import type { OverdueCount } from '../../../ports/observing'
import type { ExecutionFilter, ExecutionQueries } from '../../../ports/queries'
import { executionParts, inStatus, openPart } from '../collections/execution-indexes'
import {
  executionModel,
  isNotSuperseded,
  isSuperseded,
  ofAccount,
  type StoredExecution,
} from '../collections/execution-model'
import { accountsFor, paidMax } from '../collections/intents/intents'
import { definedOnly, type Filter, ofTenant, pagedBy } from '../engine/page'
import { fromStored } from '../engine/records'
import { executionCounts } from './execution-counts'

/** The id of a re-drive is the deposit's id with `:r` and a number. */
const ofDeposit = (id: string) => ({
  _id: { $gte: id, $lt: `${id}:s` },
})
const isNoPrefix = (id: string) => ({ $nor: [{ _id: { $gt: id, $lte: `${id}:r` } }] })

/** Both conditions are for the same hash. The first of them uses the index. */
export const likeHash = ({ begin, end }: HashPart) => ({
  $gte: begin,
  $lt: `${begin}g`,
  ...(end !== '' && { $regex: `${end}$` }),
})
/** The filter for executions with such a hash. */
export const hashesOf = ({ txHash, hashPart }: { txHash?: Hash | undefined; hashPart?: HashPart | undefined }) =>
  txHash?.toLowerCase() ?? (hashPart && { $elemMatch: likeHash(hashPart) })

/** `executionParts` reads no open execution for a filter that has a condition on `completedAt` itself. */
const settledUntil = (settledTo: number) => ({
  $nor: [{ completedAt: { $gt: settledTo } }, { 'cause.at': { $gt: settledTo } }],
})

function equalities(filter: ExecutionFilter): Filter {
  const { depositId, fromTokenAddress, fromTokenSymbol, amountsRaw, completedFrom, settledTo } = filter
  const exceptions = [
    ...(depositId === undefined ? [] : [isNoPrefix(depositId)]),
    ...(settledTo === undefined ? [] : [settledUntil(settledTo)]),
  ]
  return definedOnly({
    ...ofTenant(filter),
    userId: filter.userId,
    ...(depositId !== undefined && ofDeposit(depositId)),
    'keys.hashes': hashesOf(filter),
    ...(filter.depositAddress && ofAccount(filter.depositAddress)),
    'facts.routeId': filter.routeId?.toLowerCase(),
    'deposit.chainId': filter.fromChainId,
    'facts.intent.targetChainId': filter.toChainId,
    'facts.intent.targetAddress': filter.targetAddress,
    'deposit.token': fromTokenAddress,
    'deposit.symbol': fromTokenSymbol,
    'deposit.amountRaw': amountsRaw && { $in: [...amountsRaw] },
    'facts.route.provider': filter.provider,
    'cause.code': filter.causeCode,
    'facts.intent.apiKeyId': filter.apiKeyId,
    completedAt: completedFrom === undefined ? undefined : { $gte: completedFrom },
    ...(exceptions.length > 0 && { $and: exceptions }),
    ...(filter.superseded === false && isNotSuperseded),
  })
}

/**
 * Returns the filter for executions. They have no index by recipient, so the accounts are found through the intents.
 * Null if no account pays the recipient.
 */
async function filterOf(filter: ExecutionFilter, accounts: ReturnType<typeof accountsFor>): Promise<Filter | null> {
  const { status, targetAddress, depositAddress, userId } = filter
  const paidFrom = targetAddress === undefined ? null : await accounts(filter, targetAddress, paidMax)
  if (paidFrom?.length === 0) return null
  const equal = {
    ...equalities(filter),
    ...(paidFrom && { userId: userId ?? { $in: paidFrom.map((one) => one.userId) } }),
    ...(paidFrom && depositAddress === undefined && { 'deposit.account': { $in: paidFrom.map(({ id }) => id) } }),
  }
  return { ...equal, ...(status && inStatus(status)) }
}

/** One filter for each reason. The money of an execution goes one way only, so no execution matches two of them. */
const inEach = (equal: Filter, { superseded }: ExecutionFilter): Filter[] =>
  superseded === true ? isSuperseded.map((one) => ({ ...equal, ...one })) : [equal]

/** Executions that are not shown yet have no `createdAt`. */
const shown = { field: 'createdAt' }
const spanOf = ({ createdFrom, createdTo }: ExecutionFilter) => ({
  ...shown,
  from: createdFrom,
  to: createdTo,
})

type OverdueGroup = { _id: Pick<OverdueCount, 'kind' | 'chainId'>; count: number }
const overdueBy = (now: number) => ({ 'derived.overdueBy': { $gt: -1, $lt: now } })

export function mongoExecutionQueries(connection: Connection): ExecutionQueries {
  const model = executionModel(connection)
  const accounts = accountsFor(connection)
  const rows = pagedBy(model, executionParts)

  const equalFilter = (filter: ExecutionFilter) => filterOf(filter, accounts)

  return {
    async list(filter, page) {
      const equal = await equalFilter(filter)
      if (equal === null) return []
      return (await rows.pageOfAny(inEach(equal, filter), spanOf(filter), page)).map(fromStored<Execution>)
    },
    async find(tenant, id) {
      const stored = await model.findOne({ _id: id, ...ofTenant(tenant) }).lean<StoredExecution>()
      return stored && fromStored<Execution>(stored)
    },
    async findAll(ids) {
      return (await model.find({ _id: { $in: [...ids] } }).lean<StoredExecution[]>()).map(fromStored<Execution>)
    },
    async count(filter, most) {
      const equal = await equalFilter(filter)
      return equal === null ? 0 : rows.count(inEach(equal, filter), spanOf(filter), most)
    },
    async overdue(tenant, now, limit) {
      const { filter, index } = openPart({ ...ofTenant(tenant), ...overdueBy(now) })
      const rows = model.find(filter).sort({ 'derived.overdueBy': 1 }).hint(index).limit(limit)
      return (await rows.lean<StoredExecution[]>()).map(fromStored<Execution>)
    },
    async countOverdue(now, most) {
      const { filter, index } = openPart(overdueBy(now))
      const groups = await model
        .aggregate<OverdueGroup>([
          { $match: filter },
          { $limit: most },
          { $group: { _id: { kind: '$derived.overdueAs', chainId: '$deposit.chainId' }, count: { $sum: 1 } } },
        ])
        .hint(index)
      return groups.map(({ _id, count }) => ({ ..._id, count }))
    },
    ...executionCounts(connection),
  }
}
