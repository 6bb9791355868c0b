import type { Collection, FindCursor } from 'mongodb'
import type { Connection } from 'mongoose'
import { amountOf, sumOf } from '../../domain/amount'
import { type Execution, type Reserved, unspentOf } from '../../domain/execution'
import { terminalStatuses } from '../../domain/status'
import { mayFollow, neverBefore } from '../../domain/transitions'
import type { Due, Executions } from '../../ports/executions'
import { inGroups } from '../groups'
import { Begun } from './begun'
import { documentsOf } from './collection'
import { executionModel, type StoredExecution } from './execution-model'
import { fromStored, type Keys, type Law, mongoRecords } from './records'

/** Every transaction it has to do with, those that a later attempt forgot as well. */
const keysOf = ({ deposit, facts: { transactions = [], spent, delivery } }: Execution): Keys => ({
  hashes: [deposit.txHash, ...transactions.map(({ hash }) => hash), spent?.hash, delivery?.hash].filter(
    (hash) => typeof hash === 'string',
  ),
})

/** The machine's transitions bind the store as well: no bug leads out of an end. */
const lawOf = ({ state }: Execution): Law<Execution> => ({
  allows: (before) => mayFollow(before.state, state),
  filter: { state: { $nin: neverBefore(state) } },
})

/** What may be unspent, and the re-drives that tell whether it is. */
const perhapsUnspent = {
  $or: [
    { 'facts.spent': { $exists: false }, state: { $nin: terminalStatuses } },
    { 'facts.spent': { $exists: false }, state: 'TOKEN_BLACKLISTED', redrivenBy: null },
    { redriveOf: { $ne: null } },
  ],
}

/** A deposit whose money was not found has brought nothing: what is there is somebody else's, and found as such. */
const isThere = ({ state }: Pick<Execution, 'state'>): boolean => state !== 'FAILED_NO_FUNDS'

const toDue = ({ _id, version, dueAt, bucket }: StoredExecution): Due => ({ id: _id, version, dueAt: dueAt!, bucket })
/** Of an account on a chain at one time: more would be a flood. */
const sentMax = 50
const lanesMax = 100
const waitingMax = 500
const reservedFields = {
  ...{ state: 1, redriveOf: 1, redrivenBy: 1, 'deposit.lane': 1, 'deposit.block': 1, 'deposit.amountRaw': 1 },
  ...{ 'facts.spent.block': 1, 'facts.order.id': 1 },
}
const dueFields = { version: 1, dueAt: 1, bucket: 1 }

/** All that fits in an answer of 16 MB, and not the driver's hundred. */
const answerMax = 1_000_000

/**
 * What money is decided by is read in one answer: one that comes in parts shows what is written in between twice, or
 * not at all.
 *
 * @throws when there is more than fits: nothing is decided then.
 */
async function atOneMoment<Row>(cursor: FindCursor<Row>): Promise<Row[]> {
  const isAny = await cursor.batchSize(answerMax).hasNext()
  if (isAny && cursor.id && !cursor.id.isZero()) {
    await cursor.close()
    throw new Error('A lane has more records than one answer holds')
  }
  return cursor.toArray()
}

export function mongoExecutions(connection: Connection, worker: string): Executions {
  const model = executionModel(connection)
  const collection = model.collection as unknown as Collection<StoredExecution>
  const many = (filter: object, projection?: object) =>
    collection.find<StoredExecution>(filter, projection === undefined ? {} : { projection })
  const unspentIn = inGroups<string, Reserved[]>(async (lanes) => {
    const ofLanes = { 'deposit.lane': { $in: [...new Set(lanes)] }, ...perhapsUnspent }
    const stored = await atOneMoment(many(ofLanes, reservedFields))
    const records = Map.groupBy(unspentOf(stored.map(fromStored<Execution>)), ({ deposit }) => deposit.lane)
    return lanes.map((lane) => records.get(lane) ?? [])
  }, lanesMax)
  const waiting = { 'facts.waiting.for': 'LANE', dueAt: { $gt: -1 } }
  const waitingFields = { ...dueFields, 'deposit.lane': 1, 'deposit.detectedAt': 1 }
  /** Of hot lanes more wait than are worth reading: each of those is asked for by itself. */
  const waitingForLane = inGroups<{ lane: string; limit: number }, Due[]>(async (asked) => {
    const lanes = [...new Set(asked.map(({ lane }) => lane))]
    const all = await many({ 'deposit.lane': { $in: lanes }, ...waiting }, waitingFields)
      .limit(waitingMax)
      .toArray()
    if (all.length === waitingMax)
      return Promise.all(
        asked.map(async ({ lane, limit }) => {
          const first = many({ 'deposit.lane': lane, ...waiting }, dueFields).sort({ 'deposit.detectedAt': 1 })
          return (await first.limit(limit).toArray()).map(toDue)
        }),
      )
    const byAge = all.toSorted((a, b) => a.deposit.detectedAt - b.deposit.detectedAt)
    const records = Map.groupBy(byAge, ({ deposit }) => deposit.lane)
    return asked.map(({ lane, limit }) => (records.get(lane) ?? []).slice(0, limit).map(toDue))
  }, lanesMax)
  const records = mongoRecords(documentsOf<Execution>(model), worker, { keysOf, lawOf })
  const begun = new Begun<Execution>()
  return {
    ...records,
    async save(record) {
      const saved = await records.save(record)
      if (record.version > 0) begun.take(record.id)
      else if (saved) begun.keep(saved)
      return saved
    },
    begun: (id) => begun.take(id),
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
    waitingForLane: (lane, limit) => waitingForLane({ lane, limit }),
    async waitingForIntent(account) {
      const unmatched = { 'deposit.account': account, dueAt: { $gt: -1 }, 'facts.intent': { $exists: false } }
      return (await many(unmatched, dueFields).sort({ 'deposit.detectedAt': 1, _id: 1 }).toArray()).map(toDue)
    },
    async sentFrom(account, chainId) {
      const onItsWay = { $or: [{ state: 'RUNNING' }, { state: 'DEAD_LETTER', 'cause.code': 'FUNDS_RETURNED' }] }
      const bridged = { 'facts.order': { $exists: true }, 'facts.route.kind': 'BRIDGE' }
      const sent = { 'deposit.account': account, 'deposit.chainId': chainId, ...bridged, ...onItsWay }
      return (await many(sent).sort({ 'deposit.detectedAt': -1 }).limit(sentMax).toArray()).map(fromStored<Execution>)
    },
    async countQuota(quotaKey, except = []) {
      const others = except.length > 0 ? { _id: { $nin: except } } : {}
      return model.countDocuments({ 'facts.quotaKey': quotaKey, ...others })
    },
    async bookOf(lane, block) {
      const parts = {
        state: 1,
        redriveOf: 1,
        'deposit.amountRaw': 1,
        'deposit.block': 1,
        'deposit.txHash': 1,
        'facts.spent': 1,
      }
      const records = await atOneMoment(many({ 'deposit.lane': lane }, parts))
      // A re-drive routes a deposit that its first execution has brought already.
      const brought = records.filter(({ deposit, redriveOf }) => redriveOf === null && deposit.block <= block)
      const spent = records.flatMap(({ facts }) => (facts?.spent && facts.spent.block <= block ? [facts.spent] : []))
      return {
        broughtRaw: sumOf(brought.filter(isThere).map(({ deposit }) => amountOf(deposit.amountRaw))),
        spentRaw: sumOf(spent.map(({ amountRaw }) => amountOf(amountRaw))),
        finds: brought.filter(({ deposit }) => deposit.txHash === null).length,
        lastBlock: Math.max(0, ...brought.map(({ deposit }) => deposit.block), ...spent.map((move) => move.block)),
      }
    },
  }
}
