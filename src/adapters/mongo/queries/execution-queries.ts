import type { Connection } from 'mongoose'
import type { Execution } from '../../../domain/execution/execution'
import { isTerminal, type Status, statusNames } from '../../../domain/execution/status'
import type { OverdueCount } from '../../../ports/overdue'
import type { ExecutionFilter, ExecutionQueries } from '../../../ports/queries'
import {
  executionIndex,
  executionModel,
  hasEnded,
  inSeconds,
  isNarrow,
  isNotSuperseded,
  isSuperseded,
  ofAccount,
  type StoredExecution,
  sharedIndexes,
  sinceSecond,
  statusesOf,
} from '../collections/execution-model'
import { accountsFor, paidMax } from '../collections/intents/intents'
import { type Filter, found, given, ofTenant } from '../engine/page'
import { fromStored } from '../engine/records'
import { executionCounts } from './execution-counts'

/** The id of a re-drive is the deposit's id with `:r` and a number. */
const ofDeposit = (id: string) => ({
  _id: { $gte: id, $lt: `${id}:s` },
  $and: [{ $nor: [{ _id: { $gt: id, $lte: `${id}:r` } }] }],
})

function equalities(filter: ExecutionFilter): Filter {
  const { depositId, fromTokenAddress, completedFrom } = filter
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

/**
 * Splits a filter into filters that indexes answer. The money of an execution goes one way only, so no execution
 * matches two of them.
 */
const inEach = (equal: Filter, { superseded }: ExecutionFilter): Filter[] =>
  superseded === true ? isSuperseded.map((one) => ({ ...equal, ...one })) : splitFilter(equal)

/** Executions that are not shown yet have no `createdAt`. */
const spanOf = ({ createdFrom, createdTo }: ExecutionFilter) => ({
  field: 'createdAt',
  from: createdFrom,
  to: createdTo,
})

type OverdueGroup = { _id: Pick<OverdueCount, 'kind' | 'chainId'>; count: number }
const overdueBy = (now: number) => ({ 'derived.overdueBy': { $gt: -1, $lt: now } })

const recentMs = 3_600_000

/**
 * Given two bounds on the values of a list, DocumentDB scans its index by the upper bound alone. For recent moves, that
 * means everything. The upper bound is then expressed in a way that uses no index, because few moves came after it.
 */
function movedIn(from: number, to: number, now: number): Filter {
  const between = { $gte: from, $lt: to }
  const moved = { $or: ['at', 'storedAt'].map((time) => ({ history: { $elemMatch: { [time]: between } } })) }
  if (from < now - recentMs) return { 'keys.seconds': { $elemMatch: inSeconds(from, to) }, ...moved }
  return { 'keys.seconds': sinceSecond(from), ...moved }
}

export function mongoExecutionQueries(connection: Connection, now: () => number): ExecutionQueries {
  const model = executionModel(connection)
  const accounts = accountsFor(connection)
  const rows = found(model, executionIndex)

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
      const filter = { ...ofTenant(tenant), ...given({ userId }), ...movedIn(from, to, now()), ...behind }
      const rows = model.find(filter).hint(userId === undefined ? 'moved' : 'user')
      const page = (after === undefined ? rows : rows.sort({ _id: 1 })).limit(limit)
      return (await page.lean<StoredExecution[]>()).map(fromStored<Execution>)
    },
    async movesBetween(from, to, after, limit) {
      const rows = model.find({ ...movedIn(from, to, now()), _id: { $gt: after } }, { seq: 1, organizationId: 1 })
      const page = rows.hint('moved').sort({ _id: 1 }).limit(limit)
      return (await page.lean<Pick<StoredExecution, '_id' | 'seq' | 'organizationId'>[]>()).map(({ _id, ...move }) => ({
        id: _id,
        ...move,
      }))
    },
    async findAll(ids) {
      return (await model.find({ _id: { $in: [...ids] } }).lean<StoredExecution[]>()).map(fromStored<Execution>)
    },
    async count(filter, most) {
      const equal = await asked(filter)
      return equal === null ? 0 : rows.count(inEach(equal, filter), spanOf(filter), most)
    },
    async overdue(tenant, now, limit) {
      const rows = model.find({ ...ofTenant(tenant), ...overdueBy(now) }).sort({ 'derived.overdueBy': 1 })
      return (await rows.hint('overdue').limit(limit).lean<StoredExecution[]>()).map(fromStored<Execution>)
    },
    async countOverdue(now, most) {
      const groups = await model
        .aggregate<OverdueGroup>([
          { $match: overdueBy(now) },
          { $limit: most },
          { $group: { _id: { kind: '$derived.overdueAs', chainId: '$deposit.chainId' }, count: { $sum: 1 } } },
        ])
        .hint('overdue')
      return groups.map(({ _id, count }) => ({ ..._id, count }))
    },
    ...executionCounts(connection),
  }
}

/** Returns a filter for one status or several. */
const inStatus = (statuses: readonly Status[]): Filter => ({
  status: statuses.length === 1 ? statuses[0] : { $in: [...statuses] },
})

/**
 * Splits a filter into filters that indexes answer, in the order in which an execution passes through them. Open
 * executions are few. For ended executions, every shared field has its own index.
 */
function splitFilter(asked: Filter): Filter[] {
  const isShared = Object.keys(sharedIndexes).some((name) => asked[name] !== undefined)
  const statuses = statusesOf(asked['status']) as Status[]
  const mayBeMany = statuses.length === 0 || statuses.includes('SUCCESS')
  if (!isShared || !mayBeMany || isNarrow(asked) || asked['organizationId'] === undefined) return [asked]
  const open = (statuses.length > 0 ? statuses : statusNames).filter((status) => !isTerminal(status))
  const ended = statuses.length > 0 ? inStatus(statuses.filter(isTerminal)) : {}
  return [...(open.length > 0 ? [{ ...asked, ...inStatus(open) }] : []), { ...asked, ...ended, ...hasEnded }]
}
