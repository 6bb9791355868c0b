import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import type { Execution } from '../../../domain/execution/execution'
import {
  emptySum,
  firstOf,
  type Lane,
  type LaneLedger,
  type LaneSum,
  laneLedger,
  maySumUp,
  type Spend,
  summedUp,
} from '../../../domain/execution/lane'
import { residueStatuses } from '../../../domain/execution/status'
import { amountOf } from '../../../domain/money/amount'
import type { Executions } from '../../../ports/executions'
import type { Records } from '../../../ports/records'
import { anyList, text, textOrNull, whole } from '../engine/collection'
import { answerRows, consistentRead, inOneAnswer } from '../engine/consistent-read'
import { plainRecords } from '../engine/plain-records'
import { fromStored } from '../engine/records'
import { executionModel, isSuperseded, type StoredExecution } from './execution-model'

export const mongoLanes = plainRecords<Lane>('lanes', { holder: textOrNull, clearFrom: whole })

/** @property answerMax Most rows that one response can hold. */
export type Rows = { collection: Collection<StoredExecution>; answerMax: number }

/**
 * The sum of a lane. It includes the records in `adding`, which may not be marked yet. All records that were added
 * before them are marked.
 */
type StoredSum = {
  id: string
  version: number
  records: number
  broughtRaw: string
  spentRaw: string
  finds: number
  lastBlock: number
  adding: string[]
}

const storedSums = plainRecords<StoredSum>('laneSums', {
  records: whole,
  broughtRaw: text,
  spentRaw: text,
  finds: whole,
  lastBlock: whole,
  adding: anyList,
})
const bookedFields = {
  state: 1,
  redriveOf: 1,
  redrivenBy: 1,
  continuedBy: 1,
  takenBy: 1,
  completedAt: 1,
  'cause.code': 1,
  'keys.over': 1,
  'deposit.amountRaw': 1,
  'deposit.block': 1,
  'deposit.txHash': 1,
  'facts.spent': 1,
  'facts.balance.totalReceivedRaw': 1,
}

/** Value of `keys.over` in a record that its lane's sum includes. It sorts after all statuses in the index. */
const summed = '~SUMMED'
/**
 * Records that ended more recently than this, in milliseconds, are not summed. A reader at a recent block still finds
 * each of them.
 */
const restMs = 600_000
/** Fewest records that are worth a write, and most that one read sums, so no read takes long. */
const togetherMin = 200
const togetherMax = 1_000
const triesMax = 5

/**
 * An execution that ended without a claim on its lane's money is not read when money is reserved. It never regains a
 * claim.
 */
export const hasClaim = { 'keys.over': null }
const ended = { 'keys.over': { $gt: '' } }
const unsummed = (lane: string) => ({
  $or: [
    { 'deposit.lane': lane, ...hasClaim },
    { 'deposit.lane': lane, 'keys.over': { $lt: summed } },
  ],
})
const summable = (lane: string, before: number) => ({
  'deposit.lane': lane,
  'keys.over': { $gt: '', $lt: summed },
  completedAt: { $lt: before },
  'cause.code': { $ne: 'FUNDS_RETURNED' },
  $or: [{ state: { $nin: [...residueStatuses] } }, { 'facts.spent': { $exists: true } }, ...isSuperseded],
})
const isMarked = ({ keys }: StoredExecution): boolean => keys?.['over']?.includes(summed) ?? false

export const many = ({ collection }: Rows, filter: object, projection?: object) =>
  collection.find<StoredExecution>(filter, projection === undefined ? {} : { projection })

/**
 * Only `laneOver` has lanes in it, so the query does not name it. To find an index by name, DocumentDB looks up the
 * name of each index of the collection, which takes longer than reading a lane.
 */
export const inLanes = (lanes: readonly string[]) => ({ 'deposit.lane': { $in: [...new Set(lanes)] } })

export function rowsWithClaim({ collection, answerMax }: Rows, lanes: readonly string[], fields: object) {
  const among = inLanes(lanes)
  return consistentRead(collection, { rows: { ...among, ...hasClaim }, among, fields, answerMax })
}

const sumOf = ({ records, broughtRaw, spentRaw, finds, lastBlock }: StoredSum): LaneSum => ({
  records,
  broughtRaw: amountOf(broughtRaw),
  spentRaw: amountOf(spentRaw),
  finds,
  lastBlock,
})

type Sums = Records<StoredSum>

/**
 * Ledgers of lanes. Records that ended long ago are summed, so the cost of reading a ledger does not grow with every
 * deposit.
 */
export function laneBooks(
  connection: Connection,
  rows: Rows,
  worker: string,
  now: () => number,
): Pick<Executions, 'ledgerOf' | 'spendsOf'> {
  const sums = storedSums(connection, `${worker}:sums`)
  return {
    async ledgerOf(lane, block) {
      const before = now() - restMs
      for (let n = 0; n < triesMax; n++) {
        const read = await readOnce(sums, rows, lane, block)
        if (read === 'AGAIN') continue
        if (read === null) break
        const isWorth =
          read.records.filter((each) => maySumUp(each) && each.completedAt! < before).length >= togetherMin
        // The ledger is complete. If the records cannot be summed now, a later reader sums them.
        if (isWorth) await sumUp(sums, rows, lane, before).catch(() => 0)
        return read.book
      }
      return wholeLedger(rows, lane, block)
    },
    async spendsOf(lane) {
      const spent = many(rows, { 'deposit.lane': lane, 'facts.spent': { $exists: true } }, { 'facts.spent': 1 })
      const all: Spend[] = []
      for await (const { facts } of spent.hint('laneOver'))
        all.push({ block: facts.spent!.block, amountRaw: amountOf(facts.spent!.amountRaw) })
      return all.toSorted((a, b) => a.block - b.block)
    },
  }
}

/** The sums by lane, for migrations. `sumUp` returns how many records it added to a lane's sum. */
export function mongoLaneSums(connection: Connection, worker: string, now: () => number) {
  const sums = storedSums(connection, `${worker}:sums`)
  const rows = { collection: executionModel(connection).collection as never, answerMax: answerRows }
  return { ...sums, sumUp: (lane: string) => sumUp(sums, rows, lane, now() - restMs) }
}

type LaneReading = { book: LaneLedger; records: Execution[] }

/**
 * Reads the sum and the records that it does not include. Records are marked only after the sum that includes them is
 * stored, so the read is consistent if the sum is unchanged afterwards.
 *
 * @returns Null if the sum cannot be used: the block is below the sum's last block, or the rest is too large. `AGAIN`
 * if the sum changed during the read.
 */
async function readOnce(sums: Sums, rows: Rows, lane: string, block: number): Promise<LaneReading | 'AGAIN' | null> {
  const stored = await sums.load(lane)
  if (stored && stored.lastBlock > block) return null
  const rest = await inOneAnswer(many(rows, unsummed(lane), bookedFields), rows.answerMax)
  if (!rest) return null
  if ((await sums.load(lane))?.version !== stored?.version) return 'AGAIN'
  const adding = new Set(stored?.adding)
  const records = rest.filter((row) => !isMarked(row) && !adding.has(row._id)).map(fromStored<Execution>)
  if (!stored) return { book: laneLedger(records, block), records }
  const there = new Set(records.map(({ id }) => id))
  const missing = records.flatMap(({ id, redriveOf }) => {
    const first = firstOf(id)
    return redriveOf === null || there.has(first) ? [] : [first]
  })
  const firsts = missing.length === 0 ? [] : await many(rows, { _id: { $in: missing } }, bookedFields).toArray()
  const summed = { sum: sumOf(stored), firsts: firsts.map(fromStored<Execution>) }
  return { book: laneLedger(records, block, summed), records }
}

/**
 * Adds records that ended before a time to the lane's sum. The sum that includes them is stored first, then they are
 * marked. The next call first marks what an interrupted call left unmarked.
 *
 * @returns The number of records that were added.
 */
async function sumUp(sums: Sums, rows: Rows, lane: string, before: number): Promise<number> {
  const stored = await sums.load(lane)
  if (stored) await mark(rows, stored.adding)
  const last = new Set(stored?.adding)
  const storedExecutions = await many(rows, summable(lane, before), bookedFields)
    .hint('laneOver')
    .limit(togetherMax)
    .toArray()
  const records = storedExecutions.filter((row) => !isMarked(row) && !last.has(row._id)).map(fromStored<Execution>)
  const added = records.filter(maySumUp)
  if (added.length === 0) return 0
  const { broughtRaw, spentRaw, ...counts } = summedUp(stored ? sumOf(stored) : emptySum, added)
  const totals = { ...counts, broughtRaw: String(broughtRaw), spentRaw: String(spentRaw) }
  const adding = added.map(({ id }) => id)
  if (!(await sums.save({ id: lane, version: stored?.version ?? 0, ...totals, adding }))) return 0
  await mark(rows, adding)
  return added.length
}

/** Safe to repeat at any time. It changes no fact of a record. */
async function mark({ collection }: Rows, ids: readonly string[]): Promise<void> {
  await collection.updateMany({ _id: { $in: [...ids] } }, { $set: { 'keys.over': [summed] } })
}

async function wholeLedger(rows: Rows, lane: string, block: number): Promise<LaneLedger | null> {
  const among = { 'deposit.lane': lane }
  const all = await inOneAnswer(many(rows, among, bookedFields), rows.answerMax)
  if (all) return laneLedger(all.map(fromStored<Execution>), block)
  const open = await rowsWithClaim(rows, [lane], bookedFields)
  if (!open) return null
  // Ended executions are read last and in parts, because their figures no longer change. An execution that ends between
  // the two reads counts as it was open.
  const records = new Map<string, StoredExecution>()
  for await (const row of many(rows, { ...among, ...ended }, bookedFields).hint('laneOver')) records.set(row._id, row)
  for (const row of open) records.set(row._id, row)
  return laneLedger([...records.values()].map(fromStored<Execution>), block)
}
