import type { Connection } from 'mongoose'
import { periodOf } from '../../../domain/tenant/chain-pauses'
import type { Pause, PauseEntries, PausePeriods } from '../../../ports/pauses'
import { collection, documentsOf, text, versioned, whole, wholeOrNull } from '../engine/collection'
import { notLate } from '../engine/feed-late'
import { insertedOnce } from '../engine/inserted-once'
import { fromStored, mongoRecords, type Stored } from '../engine/records'

const fields = {
  ...versioned,
  reason: text,
  until: wholeOrNull,
  by: text,
  createdAt: whole,
  updatedAt: whole,
  resumedAt: wholeOrNull,
}

type Row = { _id: string; scope: string; from: number; to: number }

const pauseModel = (connection: Connection) =>
  collection<Stored<Pause>>(connection, 'pauses', fields, [[{ updatedAt: 1 }, { name: 'updated' }]])

/** Periods that are over. One is kept before the pause of its scope begins anew. */
const periodModel = (connection: Connection) =>
  collection<Row>(connection, 'pausePeriods', { scope: text, from: whole, to: whole }, [
    [{ scope: 1, to: 1 }, { name: 'scope' }],
  ])

export function mongoPauses(connection: Connection, worker: string, now: () => number): PauseEntries {
  const model = pauseModel(connection)
  const periods = periodModel(connection)
  const records = mongoRecords(documentsOf<Pause>(model), worker)
  async function save(pause: Pause): Promise<Pause | null> {
    const stored = pause.version === 0 ? null : await records.load(pause.id)
    if (stored && stored.version !== pause.version) return null
    const { scope, from, to } = stored ? periodOf(stored) : periodOf(pause)
    if (from !== pause.createdAt && to !== null)
      await insertedOnce(connection, periods, { _id: `${scope}:${from}`, scope, from, to })
    return records.save(pause)
  }
  /** What happened at the last change of the pause is put later. */
  function laterOf({ id, version, createdAt, updatedAt, resumedAt }: Pause, at: number) {
    const began = createdAt === updatedAt && { createdAt: at }
    const ended = resumedAt === updatedAt && { resumedAt: at }
    return { filter: { _id: id, version }, later: { updatedAt: at, ...began, ...ended } }
  }
  const late = { connection, model: model as never, now, laterOf }
  return {
    load: records.load,
    save: (pause) => notLate<Pause | null>(late, () => save(pause)),
    async changedSince(time) {
      const stored = await model
        .find({ updatedAt: { $gte: time } })
        .sort({ updatedAt: 1 })
        .lean<Stored<Pause>[]>()
      return stored.map(fromStored<Pause>)
    },
  }
}

export function mongoPausePeriods(connection: Connection): PausePeriods {
  const [pauses, periods] = [pauseModel(connection), periodModel(connection)]
  return {
    async since(scopes, time) {
      // What stands is read first: a period that is replaced meanwhile is among the kept ones by then.
      const standing = await pauses.find({ _id: { $in: [...scopes] } } as never).lean<Stored<Pause>[]>()
      const kept = await periods.find({ scope: { $in: [...scopes] }, to: { $gte: time } }).lean<Row[]>()
      const known = new Map<string, ReturnType<typeof periodOf>>()
      for (const { scope, from, to } of kept) known.set(`${scope}:${from}`, { scope, from, to })
      for (const pause of standing.map(fromStored<Pause>)) {
        const period = periodOf(pause)
        if (period.to === null || period.to >= time) known.set(`${period.scope}:${period.from}`, period)
      }
      return [...known.values()]
    },
  }
}
