import type { Connection } from 'mongoose'
import type { Execution } from '../../../domain/execution/execution'
import type { OverdueCount } from '../../../ports/overdue'
import type { ExecutionFilter, ExecutionQueries } from '../../../ports/queries'
import { endedPart, executionParts, inStatus, openPart } from '../collections/execution-indexes'
import {
  executionModel,
  inSeconds,
  isNotSuperseded,
  isSuperseded,
  ofAccount,
  type StoredExecution,
  sinceSecond,
} from '../collections/execution-model'
import { accountsFor, paidMax } from '../collections/intents/intents'
import { type Filter, found, given, inParts, ofTenant, type Part } from '../engine/page'
import { fromStored } from '../engine/records'
import { executionCounts } from './execution-counts'

/** The id of a re-drive is the deposit's id with `:r` and a number. */
const ofDeposit = (id: string) => ({
  _id: { $gte: id, $lt: `${id}:s` },
  $and: [{ $nor: [{ _id: { $gt: id, $lte: `${id}:r` } }] }],
})

function equalities(filter: ExecutionFilter): Filter {
  const { depositId, fromTokenAddress, fromTokenSymbol, amountsRaw, completedFrom } = filter
  return given({
    ...ofTenant(filter),
    userId: filter.userId,
    ...(depositId !== undefined && ofDeposit(depositId)),
    'keys.hashes': filter.txHash?.toLowerCase(),
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
    ...(completedFrom !== undefined && { completedAt: { $gte: completedFrom } }),
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

const recentMs = 3_600_000

/**
 * Splits the executions that moved. An open one may have been stored by the release before, which kept no time of its
 * last move.
 *
 * Given two bounds on the values of a list, DocumentDB scans its index by the upper one alone, which for recent moves
 * means everything. That bound is then expressed in a way that uses no index, because few moves came after it.
 */
function movedParts(whose: Filter, from: number, to: number, now: number): Part[] {
  const between = { $gte: from, $lt: to }
  const moved = { $or: ['at', 'storedAt'].map((time) => ({ history: { $elemMatch: { [time]: between } } })) }
  const seconds = from < now - recentMs ? { $elemMatch: inSeconds(from, to) } : sinceSecond(from)
  const open = openPart({ ...whose, ...moved, 'derived.movedAt': { $not: { $lt: from } } })
  const ended = endedPart({ ...whose, ...moved, 'keys.seconds': seconds }, shown)
  return whose['userId'] === undefined
    ? [
        { ...open, index: 'openMoved' },
        { ...ended, index: 'movedEnded' },
      ]
    : [open, ended]
}

type MoveRow = Pick<StoredExecution, '_id' | 'seq' | 'organizationId'>
const byId = (a: { _id: string }, b: { _id: string }) => (a._id < b._id ? -1 : 1)

export function mongoExecutionQueries(connection: Connection, now: () => number): ExecutionQueries {
  const model = executionModel(connection)
  const accounts = accountsFor(connection)
  const rows = found(model, executionParts)

  const asked = (filter: ExecutionFilter) => filterOf(filter, accounts)

  return {
    async list(filter, page) {
      const equal = await asked(filter)
      if (equal === null) return []
      return (await rows.pageOfAny(inEach(equal, filter), spanOf(filter), page)).map(fromStored<Execution>)
    },
    async find(tenant, id) {
      const stored = await model.findOne({ _id: id, ...ofTenant(tenant) }).lean<StoredExecution>()
      return stored && fromStored<Execution>(stored)
    },
    async movedBetween({ userId, ...tenant }, from, to, limit, after) {
      const behind = after === undefined ? {} : { _id: { $gt: after } }
      const parts = movedParts({ ...ofTenant(tenant), ...given({ userId }), ...behind }, from, to, now())
      const rows = await inParts<StoredExecution>(parts, async ({ filter, index }) => {
        const found = model.find(filter).hint(index).limit(limit)
        return (after === undefined ? found : found.sort({ _id: 1 })).lean<StoredExecution[]>()
      })
      const page = after === undefined ? rows : rows.toSorted(byId)
      return page.slice(0, limit).map((row) => fromStored<Execution>(row))
    },
    async movesBetween(from, to, after, limit) {
      const parts = movedParts({ _id: { $gt: after } }, from, to, now())
      const rows = await inParts<MoveRow>(parts, async ({ filter, index }) => {
        const found = model.find(filter, { seq: 1, organizationId: 1 }).hint(index)
        return found.sort({ _id: 1 }).limit(limit).lean<MoveRow[]>()
      })
      const page = rows.toSorted(byId).slice(0, limit)
      return page.map(({ _id, ...move }) => ({ id: _id, ...move }))
    },
    async findAll(ids) {
      return (await model.find({ _id: { $in: [...ids] } }).lean<StoredExecution[]>()).map(fromStored<Execution>)
    },
    async count(filter, most) {
      const equal = await asked(filter)
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
