import type { Connection } from 'mongoose'
import { BoundedMap } from '../../../domain/bounded-map'
import { providerFaults } from '../../../domain/error'
import { supersedingFields } from '../../../domain/execution/lane'
import { type Status, type TerminalStatus, terminalStatuses } from '../../../domain/execution/status'
import type { ExecutionQueries, StateCount } from '../../../ports/queries'
import type { TenantScope } from '../../../ports/records'
import { endedPart, openPart } from '../collections/execution-indexes'
import { executionModel, isSuperseded, type StoredExecution } from '../collections/execution-model'
import { ofTenant } from '../engine/page'
import { fromStored } from '../engine/records'

type Group = Omit<StateCount, 'state' | 'status' | 'unlisted' | 'endedLastDay'> & {
  _id: Pick<StateCount, 'state' | 'status'>
  followUps: number
}
type Executions = ReturnType<typeof executionModel>
type Ended = { status: TerminalStatus; count: number; superseded: number; oldestAt: number }

const dayMs = 86_400_000

const shown = { field: 'createdAt' }

const isWaiting = { $gt: ['$facts.waiting.for', null] }
const failedByProvider = { $and: [{ $eq: ['$status', 'FAILED'] }, { $in: ['$cause.code', providerFaults] }] }
/** The domain's `waitsForProvider` as an expression. */
const isForProvider = {
  $cond: [isWaiting, { $eq: ['$facts.waiting.for', 'PROVIDER'] }, failedByProvider],
}

const isOverdue = (now: number) => ({
  $and: [{ $gt: ['$derived.overdueBy', -1] }, { $lt: ['$derived.overdueBy', now] }],
})

const perState = (now: number) => ({
  $group: {
    _id: { state: '$state', status: '$status' },
    count: { $sum: 1 },
    superseded: { $sum: { $cond: [{ $or: supersedingFields.map((field) => ({ $gt: [`$${field}`, null] })) }, 1, 0] } },
    followUps: { $sum: { $cond: [{ $or: [{ $gt: ['$redriveOf', null] }, { $gt: ['$refundOf', null] }] }, 1, 0] } },
    forProvider: { $sum: { $cond: [isForProvider, 1, 0] } },
    oldestAt: { $min: '$deposit.detectedAt' },
    enteredAt: { $min: '$derived.enteredAt' },
    overdue: { $sum: { $cond: [isOverdue(now), 1, 0] } },
  },
})

/**
 * Counts executions by state. Open executions are few and are grouped. Ended executions stay in the state of their
 * status, and the index alone counts them. Counting a million takes a second, so a slow response is cached.
 */
export function executionCounts(
  connection: Connection,
): Pick<ExecutionQueries, 'countByState' | 'countByStatus' | 'inState'> {
  const model = executionModel(connection)

  async function openOf(tenant: TenantScope, now: number): Promise<Group[]> {
    const { filter, index } = openPart(ofTenant(tenant))
    return model.aggregate<Group>([{ $match: filter }, perState(now)]).hint(index)
  }

  const endedOf = cacheSlowQuery(async (organizationId: string | null): Promise<Ended[]> => {
    const all = await Promise.all(terminalStatuses.map((status) => ended(model, { organizationId }, status)))
    return all.filter((each) => each !== null)
  })

  const lastDayOf = cacheSlowQuery(async (organizationId: string | null, now: number) => {
    const from = now - dayMs
    const counts = await Promise.all(
      terminalStatuses.map(
        async (status) => [status, await endedSince(model, { organizationId }, status, from)] as const,
      ),
    )
    return new Map<string, number>(counts)
  })

  return {
    async countByState(tenant, now) {
      const [open, done, lastDay] = await Promise.all([
        openOf(tenant, now),
        endedOf(tenant.organizationId),
        lastDayOf(tenant.organizationId, now),
      ])
      return [
        ...open.map(({ _id: { state, status }, followUps, enteredAt = null, ...counted }) => ({
          ...{ state, status, ...counted, enteredAt },
          unlisted: status === null ? followUps : 0,
          endedLastDay: 0,
        })),
        ...done.map((counted) => ({
          ...{ state: counted.status, unlisted: 0, forProvider: 0, enteredAt: null, overdue: 0, ...counted },
          endedLastDay: lastDay.get(counted.status) ?? 0,
        })),
      ]
    },
    async inState(tenant, state, limit) {
      const { filter, index } = openPart({ ...ofTenant(tenant), state })
      const rows = model.find(filter).sort({ 'deposit.detectedAt': 1, _id: 1 }).hint(index)
      const storedExecutions = await rows.limit(limit).lean<StoredExecution[]>()
      return storedExecutions.map((row) => fromStored(row))
    },
    async countByStatus(tenant) {
      const [open, done] = await Promise.all([openOf(tenant, 0), endedOf(tenant.organizationId)])
      const counts: Partial<Record<Status, number>> = {}
      for (const { _id, count } of open) if (_id.status) counts[_id.status] = (counts[_id.status] ?? 0) + count
      for (const { status, count } of done) counts[status] = count
      return counts
    },
  }
}

async function ended(model: Executions, tenant: TenantScope, status: TerminalStatus): Promise<Ended | null> {
  const { filter, index } = endedPart({ ...ofTenant(tenant), status, createdAt: { $gte: 0 } }, shown)
  const [oldest] = await model
    .find(filter, { 'deposit.detectedAt': 1 })
    .sort({ createdAt: 1, _id: 1 })
    .hint(index)
    .limit(1)
    .lean<StoredExecution[]>()
  if (!oldest) return null
  const all = endedPart({ ...ofTenant(tenant), status }, shown)
  const count = await model.countDocuments(all.filter).hint('statusEnded')
  const superseded = await supersededOf(model, tenant, status)
  return { status, count, superseded, oldestAt: oldest.deposit.detectedAt }
}

async function supersededOf(model: Executions, tenant: TenantScope, status: TerminalStatus): Promise<number> {
  const counts = isSuperseded.map((one) => {
    const { filter, index } = endedPart({ ...ofTenant(tenant), ...one, status }, shown)
    return model.countDocuments(filter).hint(index)
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Counts the executions that ended in a status at `from` or later. */
function endedSince(model: Executions, tenant: TenantScope, status: TerminalStatus, from: number): Promise<number> {
  const { filter } = endedPart({ ...ofTenant(tenant), status, completedAt: { $gte: from } }, shown)
  return model.countDocuments(filter).hint('completedEnded').exec()
}

const slowMs = 250
/** A response that took a second is served for twenty, so repeating the query takes at most a twentieth of the time. */
const share = 20
/** A response that is overdue by more than this, in milliseconds, is not served. */
const staleMaxMs = 60_000
const answersMax = 1_000

type CachedAnswer<Answer> = { answer: Answer; until: number; isAsking: boolean }

/**
 * Runs a fast query each time. The response of a slow query is served from the cache while it is recent, and during its
 * refresh, so only the very first caller waits. Queries with the same question share a response, whatever their further
 * arguments.
 */
export function cacheSlowQuery<Question, Answer, Further extends unknown[]>(
  ask: (question: Question, ...further: Further) => Promise<Answer>,
  now: () => number = () => performance.now(),
): (question: Question, ...further: Further) => Promise<Answer> {
  const answers = new BoundedMap<Question, CachedAnswer<Answer>>(answersMax)

  async function find(question: Question, further: Further): Promise<Answer> {
    const began = now()
    const answer = await ask(question, ...further)
    const tookMs = now() - began
    answers.delete(question)
    if (tookMs < slowMs) return answer
    answers.set(question, { answer, until: now() + tookMs * share, isAsking: false })
    return answer
  }

  return async (question, ...further) => {
    const cached = answers.get(question)
    if (!cached || cached.until + staleMaxMs <= now()) return find(question, further)
    if (cached.until <= now() && !cached.isAsking) {
      cached.isAsking = true
      find(question, further).catch(() => answers.delete(question))
    }
    return cached.answer
  }
}
