import type { Connection, Model } from 'mongoose'
import { amountOf, sumOf } from '../../domain/amount'
import { type Execution, unspentOf } from '../../domain/execution'
import { statusNames, terminalStatuses } from '../../domain/status'
import type { Due, Executions } from '../../ports/executions'
import { inGroups } from '../groups'
import {
  any,
  anyList,
  anyOrNull,
  collection,
  documentsOf,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from './collection'
import { fromStored, type Keys, mongoRecords, type Stored } from './records'

export type StoredExecution = Stored<Execution>

const fields = {
  organizationId: text,
  userId: text,
  state: text,
  machineVersion: text,
  status: { ...textOrNull, enum: [...statusNames, null] },
  ...versioned,
  dueAt: wholeOrNull,
  bucket: whole,
  deposit: any,
  facts: any,
  retryCount: whole,
  cause: anyOrNull,
  createdAt: wholeOrNull,
  completedAt: wholeOrNull,
  seq: whole,
  history: anyList,
  redriveOf: textOrNull,
  redrivenBy: textOrNull,
  refundOf: textOrNull,
  continuedBy: textOrNull,
  keys: any,
}

export const executionModel = (connection: Connection): Model<StoredExecution> =>
  collection<StoredExecution>(connection, 'executions', fields, [
    // The sweeper: what is owed a wake-up, oldest first. What has ended is not in it.
    [{ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $gt: -1 } } }],
    [{ 'deposit.lane': 1 }, { name: 'lane' }],
    // Decision 22. Set by a write that the record's version decides: nobody races for it.
    [{ 'facts.routeId': 1 }, { name: 'routeId', unique: true, sparse: true }],
    [{ 'facts.quotaKey': 1 }, { name: 'quotaKey', sparse: true }],
    [{ 'deposit.account': 1 }, { name: 'account' }],
    [{ 'keys.hashes': 1 }, { name: 'hashes' }],
    [{ organizationId: 1, userId: 1 }, { name: 'user' }],
    [{ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'created' }],
    // A filter that nothing matches must not walk through all there is.
    [{ organizationId: 1, status: 1, createdAt: -1, _id: -1 }, { name: 'status' }],
    [
      { createdAt: -1, _id: -1 },
      { name: 'createdAnywhere', partialFilterExpression: { createdAt: { $gt: -1 } } },
    ],
    [{ organizationId: 1, 'deposit.detectedAt': -1, _id: -1 }, { name: 'detected' }],
    [{ 'history.at': 1 }, { name: 'moved' }],
  ])

/** Every transaction it has to do with, those that a later attempt forgot as well. */
const keysOf = ({ deposit, facts: { transactions = [], spent, delivery } }: Execution): Keys => ({
  hashes: [deposit.txHash, ...transactions.map(({ hash }) => hash), spent?.hash, delivery?.hash].filter(
    (hash) => typeof hash === 'string',
  ),
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
const dueFields = { version: 1, dueAt: 1, bucket: 1 }

export function mongoExecutions(connection: Connection, worker: string): Executions {
  const model = executionModel(connection)
  const many = (filter: object, projection: object = {}) => model.find(filter, projection).lean<StoredExecution[]>()
  const unspentIn = inGroups<string, Execution[]>(async (lanes) => {
    const stored = await many({ 'deposit.lane': { $in: [...new Set(lanes)] }, ...perhapsUnspent })
    const records = Map.groupBy(unspentOf(stored.map(fromStored<Execution>)), ({ deposit }) => deposit.lane)
    return lanes.map((lane) => records.get(lane) ?? [])
  }, lanesMax)
  return {
    ...mongoRecords(documentsOf<Execution>(model), worker, { keysOf }),
    async loadMany(ids) {
      return (await many({ _id: { $in: ids } })).map(fromStored<Execution>)
    },
    async due(now, after, limit) {
      const owed = await many({ dueAt: { $gt: after, $lte: now } }, dueFields)
        .sort({ dueAt: 1 })
        .limit(limit)
      return owed.map(toDue)
    },
    unspentIn,
    async waitingForIntent(account) {
      const waiting = { 'deposit.account': account, dueAt: { $gt: -1 }, 'facts.intent': { $exists: false } }
      return (await many(waiting, dueFields).sort({ 'deposit.detectedAt': 1, _id: 1 })).map(toDue)
    },
    async sentFrom(account, chainId) {
      const onItsWay = { $or: [{ state: 'RUNNING' }, { state: 'DEAD_LETTER', 'cause.code': 'FUNDS_RETURNED' }] }
      const bridged = { 'facts.order': { $exists: true }, 'facts.route.kind': 'BRIDGE' }
      const sent = { 'deposit.account': account, 'deposit.chainId': chainId, ...bridged, ...onItsWay }
      return (await many(sent).sort({ 'deposit.detectedAt': -1 }).limit(sentMax)).map(fromStored<Execution>)
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
      const records = await many({ 'deposit.lane': lane }, parts)
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
