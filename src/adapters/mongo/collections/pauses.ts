import type { Connection } from 'mongoose'
import { periodOf } from '../../../domain/tenant/chain-pauses'
import type { Pause, PauseEntries, PausePeriods } from '../../../ports/operators'
import { collection, documentsOf, text, versioned, whole, wholeOrNull } from '../engine/collection'
import { insertedOnce } from '../engine/inserted-once'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const fields = {
  ...versioned,
  reason: text,
  until: wholeOrNull,
  by: text,
  createdAt: whole,
  updatedAt: whole,
  resumedAt: wholeOrNull,
}

type Row = { _id: string; scope: string; from: number; to: number; version?: number }

const pauseModel = (connection: Connection) =>
  collection<StoredRecord<Pause>>(connection, 'pauses', fields, [[{ updatedAt: 1 }, { name: 'updated' }]])

/**
 * Periods that are over. A period is stored before its scope is paused again, with the version of the pause that states
 * its end. The highest version is right.
 */
const periodModel = (connection: Connection) =>
  collection<Row>(connection, 'pausePeriods', { scope: text, from: whole, to: whole, version: wholeOrNull }, [
    [{ scope: 1, to: 1 }, { name: 'scope' }],
  ])

export function mongoPauses(connection: Connection, worker: string): PauseEntries {
  const model = pauseModel(connection)
  const periods = periodModel(connection)
  const records = mongoRecords(documentsOf<Pause>(model), worker)

  async function save(pause: Pause): Promise<Pause | null> {
    const stored = pause.version === 0 ? null : await records.load(pause.id)
    if (stored && stored.version !== pause.version) return null
    const { scope, from, to } = stored ? periodOf(stored) : periodOf(pause)
    const { version } = pause
    if (from !== pause.createdAt && to !== null)
      await insertedOnce(connection, periods, { _id: `${scope}:${from}:${version}`, scope, from, to, version })
    return records.save(pause)
  }
  return {
    load: records.load,
    save,
    async changedSince(time) {
      const stored = await model
        .find({ updatedAt: { $gte: time } })
        .sort({ updatedAt: 1 })
        .lean<StoredRecord<Pause>[]>()
      return stored.map(fromStored<Pause>)
    },
  }
}

export function mongoPausePeriods(connection: Connection): PausePeriods {
  const [pauses, periods] = [pauseModel(connection), periodModel(connection)]
  return {
    async since(scopes, time) {
      // Current pauses are read first. A period that is replaced after that is in the stored periods when they are
      // read.
      const storedRecords = await pauses.find({ _id: { $in: [...scopes] } } as never).lean<StoredRecord<Pause>[]>()
      const late = await periods.find({ scope: { $in: [...scopes] }, to: { $gte: time } }, { from: 1 }).lean<Row[]>()
      const froms = late.map(({ from }) => from)
      const same = { scope: { $in: [...scopes] }, from: { $in: froms } }
      const stored = froms.length === 0 ? [] : await periods.find(same).lean<Row[]>()
      const byStart = new Map<string, ReturnType<typeof periodOf>>()
      // A process may have died after it stored a period and before the new pause began. The pause got a different end
      // since then.
      for (const { scope, from, to } of stored.toSorted((a, b) => (a.version ?? 0) - (b.version ?? 0)))
        byStart.set(`${scope}:${from}`, { scope, from, to })
      for (const period of storedRecords.map((one) => periodOf(fromStored<Pause>(one))))
        byStart.set(`${period.scope}:${period.from}`, period)
      return [...byStart.values()].filter(({ to }) => to === null || to >= time)
    },
  }
}
