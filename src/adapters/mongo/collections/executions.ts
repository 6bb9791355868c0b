import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import { BoundedMap } from '../../../domain/bounded-map'
import type { ChainId } from '../../../domain/chain/chain'
import type { Address, Hash } from '../../../domain/chain/hex'
import { deadlineOf, enteredAt } from '../../../domain/execution/deadline'
import { type Execution, isOver, type ReservedMoney, unspentOf } from '../../../domain/execution/execution'
import { isResidue } from '../../../domain/execution/lane'
import { providerCodes } from '../../../domain/execution/retry'
import { isTerminal, residueStatuses, terminalStatuses } from '../../../domain/execution/status'
import type { Due, Executions } from '../../../ports/executions'
import { batchRequests } from '../../batch-requests'
import { documentsOf } from '../engine/collection'
import { answerRows } from '../engine/consistent-read'
import type { Filter } from '../engine/page'
import { type Derived, fromStored, type Keys, type Law, mongoRecords } from '../engine/records'
import { uniqueAcrossShards } from '../engine/unique-across-shards'
import { hasEnded } from './execution-indexes'
import { executionModel, isNotSuperseded, ofAccount, type StoredExecution, secondsOf } from './execution-model'
import { hasClaim, inLanes, laneBooks, many, type Rows, rowsWithClaim } from './lanes'

/**
 * Returns the hash of every transaction of the execution, including earlier attempts, the seconds in which it moved,
 * and its final state once it is over.
 */
function keysOf(record: Execution): Keys {
  const { deposit, state, facts, history } = record
  const { transactions = [], dropped = [], spent, mint, delivery } = facts
  const hashes = [
    deposit.txHash,
    ...(deposit.paidIn ?? []),
    ...[...dropped, ...transactions, ...(mint?.transactions ?? [])].map(({ hash }) => hash),
    spent?.hash,
    delivery?.hash,
  ].filter((hash) => typeof hash === 'string')
  const keys = { hashes, seconds: secondsOf(history) }
  return isOver(record) ? { ...keys, over: [state] } : keys
}

/**
 * The time by which the execution should move next, the kind of overdue that it is reported as afterwards, and when it
 * entered its state.
 */
function derivedOf(record: Execution): Derived {
  const deadline = deadlineOf(record)
  return {
    ...{ overdueBy: deadline?.by ?? null, overdueAs: deadline?.kind ?? null },
    enteredAt: enteredAt(record),
  }
}

/** The machine's transitions bind the store too, so no bug leads out of a final state. */
const lawOf = ({ state }: Execution): Law<Execution> => ({
  allows: (before) => mayFollow(before.state, state),
  filter: { state: { $nin: neverBefore(state) } },
})

/** Keeps `routeId` unique if the collection is sharded, because the index of that name then cannot. */
export const routeIds = { collection: 'executions', index: 'routeId', claims: 'routeIds' }

const toDue = ({ _id, version, dueAt, bucket }: StoredExecution): Due => ({ id: _id, version, dueAt: dueAt!, bucket })
/** Most executions of one account on one chain that are read. More at the same time would be a flood. */
const sentMax = 50
/** Most rows in one response for several accounts, and most accounts in one query. */
const sentTogetherMax = 500
const accountsMax = 32
const lanesMax = 100
/** Most executions that are read for a lane that they pay. */
const leadingMax = 20
/** Most rows that show which of several lanes are paid. If there are more, each of the lanes is read. */
const payingMax = 200
const waitingMax = 500
const reservedFields = {
  state: 1,
  redriveOf: 1,
  redrivenBy: 1,
  takenBy: 1,
  'deposit.lane': 1,
  'deposit.block': 1,
  'deposit.amountRaw': 1,
  'facts.balance.totalReceivedRaw': 1,
  'facts.spent.block': 1,
  'facts.order.id': 1,
}
const residueFields = {
  state: 1,
  completedAt: 1,
  redriveOf: 1,
  redrivenBy: 1,
  continuedBy: 1,
  takenBy: 1,
  refundOf: 1,
  'cause.code': 1,
  'facts.spent.block': 1,
  'facts.balance.totalReceivedRaw': 1,
  'facts.broughtBy': 1,
  'deposit.txHash': 1,
  'deposit.paidIn': 1,
  'deposit.detectedAt': 1,
  'deposit.chainId': 1,
  'deposit.fromAddress': 1,
  'deposit.senders': 1,
  'deposit.lane': 1,
  'deposit.block': 1,
  'deposit.amountRaw': 1,
}
const dueFields = { version: 1, dueAt: 1, bucket: 1 }

/** @param answerMax Most rows that one response can hold. */
export function mongoExecutions(
  connection: Connection,
  worker: string,
  now: () => number,
  answerMax = answerRows,
): Executions {
  const model = executionModel(connection)
  const stored: Rows = { collection: model.collection as unknown as Collection<StoredExecution>, answerMax }
  const records = mongoRecords(documentsOf<Execution>(model), worker, { keysOf, derivedOf, lawOf })
  const hasRoute = uniqueAcrossShards(connection, routeIds)
  const recent = new RecentlyCreated<Execution>()
  const waitingForLane = batchRequests<LaneQuery, Due[]>((queries) => waitingInLanes(stored, queries), lanesMax)
  const mayBePaid = batchRequests<string, boolean>((lanes) => arePaid(stored, lanes), lanesMax)
  const sentByAccount = batchRequests<SentQuery, Execution[]>((queries) => sentFrom(stored, queries), accountsMax)
  return {
    ...records,
    async save(record) {
      assureDueOrEnded(record)
      const { routeId } = record.facts
      if (routeId && !(await hasRoute(routeId, record.id)))
        throw new Error('Another record already has one of its keys')
      const saved = await records.save(record)
      if (record.version > 0) recent.take(record.id)
      else if (saved) recent.keep(saved)
      return saved
    },
    begun: (id) => recent.take(id),
    async loadMany(ids) {
      return (await many(stored, { _id: { $in: ids } }).toArray()).map(fromStored<Execution>)
    },
    async due(now, after, limit) {
      const owed = many(stored, { dueAt: { $gt: after, $lte: now } }, dueFields).sort({ dueAt: 1 })
      return (await owed.limit(limit).toArray()).map(toDue)
    },
    unspentIn: batchRequests<string, ReservedMoney[]>((lanes) => reservedIn(stored, lanes), lanesMax),
    residueIn: (lane) => residueIn(stored, lane),
    waitingForLane: (lane, limit) => waitingForLane({ lane, limit }),
    async failedBetween({ fromChainId, fromToken, toChainId, toToken }, limit) {
      const failed = {
        status: 'FAILED',
        'deposit.chainId': fromChainId,
        'deposit.token': fromToken,
        'facts.intent.targetChainId': toChainId,
        'facts.intent.targetTokenAddress': toToken,
        'cause.code': { $in: providerCodes },
        dueAt: { $gt: now() },
      }
      const rows = many(stored, failed, dueFields).hint('due').sort({ dueAt: 1 }).limit(limit)
      return (await rows.toArray()).map(toDue)
    },
    async waitingForIntent(account) {
      const unmatched = { ...ofAccount(account), ...hasClaim, dueAt: { $gt: -1 }, 'facts.intent': { $exists: false } }
      const rows = many(stored, unmatched, dueFields).hint('laneOver').sort({ 'deposit.detectedAt': 1, _id: 1 })
      return (await rows.toArray()).map(toDue)
    },
    sentFrom: async (account, chainId) => sentByAccount(sentQuery(account, chainId)),
    leadingTo: async (lane, txHash) => ((await mayBePaid(lane)) ? leadingTo(stored, lane, txHash) : []),
    async carriers(ids) {
      const storedExecutions = await many(stored, { _id: { $in: ids } }, { version: 1, 'facts.quotaKey': 1 }).toArray()
      return storedExecutions.map(({ _id, version, facts }) => ({
        id: _id,
        version,
        quotaKey: facts?.quotaKey ?? null,
      }))
    },
    async countQuota(quotaKey, except = []) {
      const others = except.length > 0 ? { _id: { $nin: except } } : {}
      return model.countDocuments({ 'facts.quotaKey': quotaKey, ...others })
    },
    ...laneBooks(connection, stored, worker, now),
  }
}

/** Returns for each lane whether an execution may pay it. None pays most lanes, which one read of the index shows. */
async function arePaid(stored: Rows, lanes: string[]): Promise<boolean[]> {
  const paying = many(stored, { 'facts.leadsTo': { $in: lanes } }, { 'facts.leadsTo': 1 }).hint('leadsTo')
  const rows = await paying.limit(payingMax).toArray()
  const paid = new Set(rows.map(({ facts }) => facts?.leadsTo))
  return lanes.map((lane) => rows.length === payingMax || paid.has(lane))
}

async function leadingTo(stored: Rows, lane: string, txHash: Hash | null): Promise<Execution[]> {
  const there = { 'facts.leadsTo': lane }
  const underWay = many(stored, { ...there, completedAt: null })
    .hint('leadsTo')
    .limit(leadingMax)
  const ended =
    txHash === null
      ? many(stored, { ...there, ...hasEnded })
          .hint('leadsTo')
          .sort({ completedAt: -1 })
          .limit(leadingMax)
      : many(stored, { 'keys.hashes': txHash, ...there })
          .hint('hashes')
          .limit(leadingMax)
  const rows = (await Promise.all([underWay.toArray(), ended.toArray()])).flat()
  return [...new Map(rows.map((row) => [row._id, fromStored<Execution>(row)])).values()]
}

type LaneQuery = { lane: string; limit: number }

/** If there are too many rows, each lane is read separately. A busy lane then does not block the others. */
async function reservedIn(stored: Rows, lanes: string[]): Promise<(ReservedMoney[] | Error)[]> {
  const storedExecutions = await rowsWithClaim(stored, lanes, reservedFields)
  if (!storedExecutions && lanes.length > 1)
    return (await Promise.all(lanes.map((lane) => reservedIn(stored, [lane])))).flat(1)
  if (!storedExecutions)
    return [new Error('A lane has more records than one response holds, and they changed during the read')]
  const records = Map.groupBy(unspentOf(storedExecutions.map(fromStored<Execution>)), ({ deposit }) => deposit.lane)
  return lanes.map((lane) => records.get(lane) ?? [])
}

async function residueIn(stored: Rows, lane: string): Promise<Execution[]> {
  // A re-drive that has ended still counts, because another record's claim depends on it.
  const there = { 'deposit.lane': lane, 'keys.over': { $in: [null, ...residueStatuses] }, ...isNotSuperseded }
  const ended = { state: { $in: residueStatuses }, 'facts.spent': { $exists: false } }
  const rows = await many(stored, { ...there, ...ended }, residueFields).toArray()
  return rows.map(fromStored<Execution>).filter(isResidue)
}

/** If too many executions wait, each lane is queried separately, up to its limit. */
async function waitingInLanes(stored: Rows, queries: LaneQuery[]): Promise<Due[][]> {
  const waiting = { ...hasClaim, 'facts.waiting.for': 'LANE' }
  const fields = { ...dueFields, 'deposit.lane': 1, 'deposit.detectedAt': 1 }
  const among = inLanes(queries.map(({ lane }) => lane))
  const all = await many(stored, { ...among, ...waiting }, fields)
    .limit(waitingMax)
    .toArray()
  if (all.length === waitingMax)
    return Promise.all(
      queries.map(async ({ lane, limit }) => {
        const open = { 'deposit.lane': lane, ...waiting, dueAt: { $gt: -1 } }
        const first = many(stored, open, dueFields).sort({ 'deposit.detectedAt': 1 })
        return (await first.hint('laneOver').limit(limit).toArray()).map(toDue)
      }),
    )
  const open = all.filter(({ dueAt }) => dueAt !== null)
  const byAge = open.toSorted((a, b) => a.deposit.detectedAt - b.deposit.detectedAt)
  const records = Map.groupBy(byAge, ({ deposit }) => deposit.lane)
  return queries.map(({ lane, limit }) => (records.get(lane) ?? []).slice(0, limit).map(toDue))
}

type SentQuery = { place: string; filter: Filter }
const placeOf = (account: Address, chainId: ChainId): string => `${chainId}:${account}`

/** Builds the filter before other requests join it, so an invalid request fails alone. */
const sentQuery = (account: Address, chainId: ChainId): SentQuery => ({
  place: placeOf(account, chainId),
  filter: {
    ...ofAccount(account, chainId),
    'keys.over': { $in: [null, 'DEAD_LETTER'] },
    'deposit.chainId': chainId,
  },
})

/**
 * Records in a lane's sum never match, so most of an account's history is not read. If too many rows match, each
 * account is queried separately, up to its limit.
 */
async function sentFrom(stored: Rows, queries: SentQuery[]): Promise<Execution[][]> {
  const onItsWay = { $or: [{ state: 'RUNNING' }, { state: 'DEAD_LETTER', 'cause.code': 'FUNDS_RETURNED' }] }
  const bridged = { 'facts.order': { $exists: true }, 'facts.route.kind': 'BRIDGE' }
  const newest = { 'deposit.detectedAt': -1 } as const
  const sent = new Map(queries.map(({ place, filter }) => [place, filter]))
  if (sent.size === 1) {
    const rows = many(stored, { ...queries[0]!.filter, ...bridged, ...onItsWay }).hint('laneOver')
    const executions = (await rows.sort(newest).limit(sentMax).toArray()).map(fromStored<Execution>)
    return queries.map(() => executions)
  }
  const all = many(stored, { $and: [{ $or: [...sent.values()] }, onItsWay], ...bridged }).hint('laneOver')
  const rows = (await all.sort(newest).limit(sentTogetherMax).toArray()).map(fromStored<Execution>)
  if (rows.length === sentTogetherMax) return (await Promise.all(queries.map((one) => sentFrom(stored, [one])))).flat()
  const byPlace = Map.groupBy(rows, ({ deposit }) => placeOf(deposit.account, deposit.chainId))
  return queries.map(({ place }) => (byPlace.get(place) ?? []).slice(0, sentMax))
}

const momentMs = 1_000
const recordsMax = 1_000

/**
 * Records that this process created, each cached briefly for a single reader. Another process may have changed a record
 * since then. The reader's write requires the same version, as it does for a worker that stalled after reading.
 */
export class RecentlyCreated<R extends { id: string }> {
  #records = new BoundedMap<string, { record: R; until: number }>(recordsMax)

  constructor(private readonly now: () => number = () => performance.now()) {}

  keep(record: R): void {
    this.#records.set(record.id, { record, until: this.now() + momentMs })
  }

  take(id: string): R | null {
    const entry = this.#records.get(id)
    this.#records.delete(id)
    return entry && entry.until > this.now() ? entry.record : null
  }
}

/** States before a status is shown, in order. */
const intake = [
  'matching intent',
  'screening deposit',
  'taking lane',
  'verifying balance',
  'finding route',
  'pricing fees',
  'signing order',
]
/** Right before signing, the balance might have to be verified again. */
const again = intake.indexOf('verifying balance')
const failures = ['FAILED', ...terminalStatuses.filter((status) => status !== 'SUCCESS')]

const nextStates = new Map<string, readonly string[]>([
  ...intake.map((state, n) => [state, [...intake.slice(Math.min(n + 1, again)), 'PENDING', ...failures]] as const),
  ['PENDING', [...intake.slice(again), 'RUNNING', ...failures]],
  ['RUNNING', ['SUCCESS', ...failures]],
  ['FAILED', [...intake.slice(1), 'PENDING', ...failures]],
  ...terminalStatuses.map((status) => [status, []] as const),
])

/**
 * Whether a record of one state may be stored in another. These are the machine's transitions, including those across
 * states that are never stored. A test compares them with the machine. A state that only an older version knew may lead
 * anywhere.
 */
export const mayFollow = (before: string, after: string): boolean =>
  before === after || (nextStates.get(before)?.includes(after) ?? !isTerminal(before))

/** Returns the states that never lead to this one. */
export const neverBefore = (after: string): string[] =>
  [...nextStates.keys()].filter((before) => !mayFollow(before, after))

/**
 * Throws unless a record is either due or ended, at a valid time. The store finds open records by `dueAt`, and ended
 * records by `completedAt`. Any other record would be in no list, and no sweep would wake it.
 *
 * @throws {TypeError}
 */
export function assureDueOrEnded({ id, dueAt, completedAt }: Pick<Execution, 'id' | 'dueAt' | 'completedAt'>): void {
  if ((dueAt === null) === (completedAt === null)) throw new TypeError(`${id} must be either due or ended`)
  if (!Number.isFinite(dueAt ?? completedAt)) throw new TypeError(`${id} must be due or ended at a time`)
}
