import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import { deadlineOf } from '../../../domain/execution/deadline'
import { type Execution, isOver, type Reserved, unspentOf } from '../../../domain/execution/execution'
import { laneBook } from '../../../domain/execution/lane-book'
import { mayFollow, neverBefore } from '../../../domain/execution/transitions'
import { isResidue, residueStatuses } from '../../../domain/money/residue'
import type { Due, Executions } from '../../../ports/executions'
import { batchRequests } from '../../batch-requests'
import { documentsOf } from '../engine/collection'
import { answerRows, consistentRead, inOneAnswer } from '../engine/consistent-read'
import { placing } from '../engine/placing'
import { RecentlyCreated } from '../engine/recently-created'
import { type Derived, fromStored, type Keys, type Law, mongoRecords } from '../engine/records'
import { executionModel, isNotSuperseded, ofAccount, type StoredExecution, secondsOf } from './execution-model'

/** Every transaction of the execution, including those of earlier attempts, and its final state once it is over. */
function keysOf(record: Execution): Keys {
  const { deposit, state, facts, history } = record
  const { transactions = [], dropped = [], spent, delivery } = facts
  const hashes = [
    deposit.txHash,
    ...[...dropped, ...transactions].map(({ hash }) => hash),
    spent?.hash,
    delivery?.hash,
  ].filter((hash) => typeof hash === 'string')
  const found = { hashes, seconds: secondsOf(history) }
  return isOver(record) ? { ...found, over: [state] } : found
}

/** The time by which the execution should move next, and the kind of overdue that it is reported as afterwards. */
function derivedOf(record: Execution): Derived {
  const deadline = deadlineOf(record)
  return { overdueBy: deadline?.by ?? null, overdueAs: deadline?.kind ?? null }
}

/** The machine's transitions bind the store as well, so that no bug leads out of a final state. */
const lawOf = ({ state }: Execution): Law<Execution> => ({
  allows: (before) => mayFollow(before.state, state),
  filter: { state: { $nin: neverBefore(state) } },
})

/**
 * Executions that ended without a claim on their lane's money are not read when money is reserved. This never reverts.
 */
const keptOrOpen = { 'keys.over': null }
const ended = { 'keys.over': { $gt: '' } }

const toDue = ({ _id, version, dueAt, bucket }: StoredExecution): Due => ({ id: _id, version, dueAt: dueAt!, bucket })
/** Of one account on one chain at the same time; more would be a flood. */
const sentMax = 50
const lanesMax = 100
const waitingMax = 500
const reservedFields = {
  state: 1,
  redriveOf: 1,
  redrivenBy: 1,
  'deposit.lane': 1,
  'deposit.block': 1,
  'deposit.amountRaw': 1,
  'facts.spent.block': 1,
  'facts.order.id': 1,
}
const bookedFields = {
  state: 1,
  redriveOf: 1,
  'deposit.amountRaw': 1,
  'deposit.block': 1,
  'deposit.txHash': 1,
  'facts.spent': 1,
}
const residueFields = {
  state: 1,
  completedAt: 1,
  redriveOf: 1,
  redrivenBy: 1,
  continuedBy: 1,
  takenBy: 1,
  'facts.spent.block': 1,
  'deposit.lane': 1,
  'deposit.block': 1,
  'deposit.amountRaw': 1,
}
const dueFields = { version: 1, dueAt: 1, bucket: 1 }

/** @param answerMax how many rows one answer may hold. */
export function mongoExecutions(
  connection: Connection,
  worker: string,
  { answerMax = answerRows, now = Date.now }: { answerMax?: number; now?: () => number } = {},
): Executions {
  const model = executionModel(connection)
  const collection = model.collection as unknown as Collection<StoredExecution>
  const many = (filter: object, projection?: object) =>
    collection.find<StoredExecution>(filter, projection === undefined ? {} : { projection })
  const inLanes = (lanes: readonly string[]) => ({ 'deposit.lane': { $in: [...new Set(lanes)] } })
  const keptIn = (lanes: readonly string[], fields: object) => {
    const among = inLanes(lanes)
    return consistentRead(collection, { rows: { ...among, ...keptOrOpen }, among, fields, hint: 'laneOver', answerMax })
  }
  /** When there are too many rows, each lane is read by itself, so that one busy lane does not block the others. */
  async function reservedIn(lanes: string[]): Promise<(Reserved[] | Error)[]> {
    const stored = await keptIn(lanes, reservedFields)
    if (!stored && lanes.length > 1) return (await Promise.all(lanes.map((lane) => reservedIn([lane])))).flat(1)
    if (!stored) return [new Error('A lane has more records than one answer holds, and they change')]
    const records = Map.groupBy(unspentOf(stored.map(fromStored<Execution>)), ({ deposit }) => deposit.lane)
    return lanes.map((lane) => records.get(lane) ?? [])
  }
  const unspentIn = batchRequests<string, Reserved[]>(reservedIn, lanesMax)
  const waiting = { ...keptOrOpen, 'facts.waiting.for': 'LANE', dueAt: { $gt: -1 } }
  const waitingFields = { ...dueFields, 'deposit.lane': 1, 'deposit.detectedAt': 1 }
  /** When too many wait, each lane is queried by itself and only as far as its limit. */
  const waitingForLane = batchRequests<{ lane: string; limit: number }, Due[]>(async (asked) => {
    const lanes = asked.map(({ lane }) => lane)
    const all = await many({ ...inLanes(lanes), ...waiting }, waitingFields)
      .hint('laneOver')
      .limit(waitingMax)
      .toArray()
    if (all.length === waitingMax)
      return Promise.all(
        asked.map(async ({ lane, limit }) => {
          const first = many({ 'deposit.lane': lane, ...waiting }, dueFields).sort({ 'deposit.detectedAt': 1 })
          return (await first.hint('laneOver').limit(limit).toArray()).map(toDue)
        }),
      )
    const byAge = all.toSorted((a, b) => a.deposit.detectedAt - b.deposit.detectedAt)
    const records = Map.groupBy(byAge, ({ deposit }) => deposit.lane)
    return asked.map(({ lane, limit }) => (records.get(lane) ?? []).slice(0, limit).map(toDue))
  }, lanesMax)
  const records = placing(mongoRecords(documentsOf<Execution>(model), worker, { keysOf, derivedOf, lawOf }), now)
  const recent = new RecentlyCreated<Execution>()
  return {
    ...records,
    async save(record) {
      const saved = await records.save(record)
      if (record.version > 0) recent.take(record.id)
      else if (saved) recent.keep(saved)
      return saved
    },
    begun: (id) => recent.take(id),
    async loadMany(ids) {
      return (await many({ _id: { $in: ids } }).toArray()).map(fromStored<Execution>)
    },
    async due(now, after, limit) {
      const owed = await many({ dueAt: { $gt: after, $lte: now } }, dueFields)
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray()
      return owed.map(toDue)
    },
    unspentIn,
    async residueIn(lane) {
      // A re-drive that has ended still counts, because another record's claim depends on it.
      const there = { 'deposit.lane': lane, 'keys.over': { $in: [null, ...residueStatuses] }, ...isNotSuperseded }
      const ended = { state: { $in: residueStatuses }, 'facts.spent': { $exists: false } }
      const rows = await many({ ...there, ...ended }, residueFields)
        .hint('laneOver')
        .toArray()
      return rows.map(fromStored<Execution>).filter(isResidue)
    },
    waitingForLane: (lane, limit) => waitingForLane({ lane, limit }),
    async waitingForIntent(account) {
      const unmatched = { ...ofAccount(account), dueAt: { $gt: -1 }, 'facts.intent': { $exists: false } }
      return (
        await many(unmatched, dueFields).hint('laneOver').sort({ 'deposit.detectedAt': 1, _id: 1 }).toArray()
      ).map(toDue)
    },
    async sentFrom(account, chainId) {
      const onItsWay = { $or: [{ state: 'RUNNING' }, { state: 'DEAD_LETTER', 'cause.code': 'FUNDS_RETURNED' }] }
      const bridged = { 'facts.order': { $exists: true }, 'facts.route.kind': 'BRIDGE' }
      const sent = { ...ofAccount(account), 'deposit.chainId': chainId, ...bridged, ...onItsWay }
      return (await many(sent).hint('laneOver').sort({ 'deposit.detectedAt': -1 }).limit(sentMax).toArray()).map(
        fromStored<Execution>,
      )
    },
    async carriers(ids) {
      const stored = await many({ _id: { $in: ids } }, { version: 1, 'facts.quotaKey': 1 }).toArray()
      return stored.map(({ _id, version, facts }) => ({ id: _id, version, quotaKey: facts?.quotaKey ?? null }))
    },
    async countQuota(quotaKey, except = []) {
      const others = except.length > 0 ? { _id: { $nin: except } } : {}
      return model.countDocuments({ 'facts.quotaKey': quotaKey, ...others })
    },
    async bookOf(lane, block) {
      const among = { 'deposit.lane': lane }
      const all = await inOneAnswer(many(among, bookedFields).hint('laneOver'), answerMax)
      if (all) return laneBook(all.map(fromStored<Execution>), block)
      const open = await keptIn([lane], bookedFields)
      if (!open) return null
      // These are read later and in parts, because what the book says of them no longer changes. An execution that has
      // ended meanwhile counts as it was.
      const records = new Map<string, StoredExecution>()
      for await (const row of many({ ...among, ...ended }, bookedFields).hint('laneOver')) records.set(row._id, row)
      for (const row of open) records.set(row._id, row)
      return laneBook([...records.values()].map(fromStored<Execution>), block)
    },
  }
}
