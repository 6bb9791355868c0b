import { describe, expect, test } from 'bun:test'
import { mongoRecords } from '../../src/adapters/mongo/engine/records'
import { delegatedNow, type Relayer, unusedRelayer } from '../../src/domain/chain/relayer'
import type { Lane } from '../../src/domain/execution/lane'
import type { Records } from '../../src/ports/records'
import { database } from '../support/database'
import { engineStores, type OpenStore, stores } from '../support/stores'

const lane = (id: string, holder = 'first'): Lane => ({ id, version: 0, holder, clearFrom: 0 })

const onDatabase = (groupMax: number) => {
  const { documents, calls, lose } = database<Lane>()
  const from = (worker: string) => mongoRecords(documents, worker, { groupMax })
  return { records: from('worker'), other: from('other'), calls, lose }
}

type Opened = { records: Records<Lane>; other: Records<Lane> }
const onStore = (open: () => Promise<OpenStore>) => async (): Promise<Opened> => {
  const { store, other } = await open()
  return { records: store.lanes, other: other.lanes }
}

describe.each<[string, () => Promise<Opened>]>([
  ...engineStores.map(([name, open]): [string, () => Promise<Opened>] => [name, onStore(open)]),
  ['one by one', async () => onDatabase(1)],
  ['in groups', async () => onDatabase(100)],
])('records %s', (_name, open) => {
  test('only one of two writers creates a record', async () => {
    const { records, other } = await open()
    const both = await Promise.all([records.save(lane('a', 'first')), other.save(lane('a', 'second'))])
    const winners = both.filter((record) => record !== null)
    expect(winners).toHaveLength(1)
    expect(await records.load('a')).toEqual(winners[0]!)
  })

  test('concurrent writers of the same new records have one winner each', async () => {
    const { records, other } = await open()
    const tries = Array.from({ length: 400 }, (_, n) => (n % 2 ? records : other).save(lane(`${n % 40}`, `${n}`)))
    const winners = (await Promise.all(tries)).filter((record) => record !== null)
    expect(winners).toHaveLength(40)
    for (const winner of winners) expect(await records.load(winner.id)).toEqual(winner)
  })

  test('only one of many writers of a version wins, and learns that it did', async () => {
    const { records, other } = await open()
    const read = (await records.save(lane('a')))!
    const tries = Array.from({ length: 40 }, (_, n) => (n % 2 ? records : other).save({ ...read, holder: `${n}` }))
    const winners = (await Promise.all(tries)).filter((record) => record !== null)
    expect(winners).toHaveLength(1)
    expect(await records.load('a')).toEqual(winners[0]!)
  })

  test('lost races do not fail other writes of the group', async () => {
    const { records, other } = await open()
    const read = await Promise.all(Array.from({ length: 30 }, (_, n) => records.save(lane(String(n)))))
    for (const record of read.filter((_, n) => n % 3 === 0)) await other.save(record!)
    const saved = await Promise.all(read.map((record) => records.save(record!)))
    expect(saved.map((record) => record === null)).toEqual(read.map((_, n) => n % 3 === 0))
  })

  test('creating an existing record does not fail other writes of the group', async () => {
    const { records, other } = await open()
    await other.save(lane('3'))
    const saved = await Promise.all(Array.from({ length: 6 }, (_, n) => records.save(lane(String(n)))))
    expect(saved.map((record) => record === null)).toEqual([false, false, false, true, false, false])
  })

  test('a record that cannot be stored fails alone, whether new or changed', async () => {
    const { records } = await open()
    const odd = (n: number, record: Lane) => (n === 3 ? { ...record, clearFrom: 1n as never } : record)
    const saveAll = (all: Lane[]) => Promise.allSettled(all.map((record, n) => records.save(odd(n, record))))
    const outcomes = (all: PromiseSettledResult<Lane | null>[]) =>
      all.map((one) => 'value' in one && one.value?.version)
    const begun = await saveAll(Array.from({ length: 6 }, (_, n) => lane(String(n))))
    expect(outcomes(begun)).toEqual([1, 1, 1, false, 1, 1])
    const third = (await records.save(lane('3')))!
    const changed = begun.map((one) => ({ ...(('value' in one && one.value) || third), holder: 'second' }))
    expect(outcomes(await saveAll(changed))).toEqual([2, 2, 2, false, 2, 2])
  })

  test('a change of a missing record has no effect', async () => {
    const { records } = await open()
    expect(await records.save({ ...lane('a'), version: 3 })).toBeNull()
    expect(await records.load('a')).toBeNull()
  })

  test('many records are read together, with null for missing ones', async () => {
    const { records } = await open()
    await records.save(lane('a'))
    const loaded = await Promise.all(['a', 'b', 'a'].map((id) => records.load(id)))
    expect(loaded.map((record) => record?.id ?? null)).toEqual(['a', null, 'a'])
  })
})

describe.each([
  ['one by one', 1],
  ['in groups', 100],
])('records %s when the connection fails', (_name, groupMax) => {
  test('a write with a lost response is recognized by its writer', async () => {
    const { records, lose } = onDatabase(groupMax)
    lose('answer')
    expect(await records.save(lane('a'))).toEqual({ ...lane('a'), version: 1 })
  })

  test('a write that did not arrive is an error instead of a lost race', async () => {
    const { records, lose } = onDatabase(groupMax)
    lose('question')
    await expect(records.save(lane('a'))).rejects.toThrow('connection lost')
    expect(await records.load('a')).toBeNull()
  })
})

test('records in groups: a hundred concurrent writes take one round trip', async () => {
  const { records, calls } = onDatabase(100)
  await Promise.all(Array.from({ length: 100 }, (_, n) => records.save(lane(String(n)))))
  expect(calls.bulkWrite).toBe(1)
})

test('a field without a schema is refused even though Mongoose is bypassed', async () => {
  const { store } = await stores[1]![1]()
  const odd = { ...lane('odd'), colour: 'red' }
  expect(store.lanes.save(odd)).rejects.toThrow('colour')
  expect(await store.lanes.load('odd')).toBeNull()
})

test('a record that the driver cannot send fails alone', async () => {
  const { store } = await stores[1]![1]()
  const circular: { self?: unknown } = {}
  circular.self = circular
  const relayer = (id: string, slots: unknown[] = []) => ({ id, version: 0, slots }) as unknown as Relayer
  const tooLong = 'x'.repeat(17 * 2 ** 20)
  const all = [relayer('a'), relayer('b', [circular]), relayer('c', [tooLong]), relayer('d')]
  const saved = await Promise.allSettled(all.map((record) => store.relayerRecords.save(record)))
  expect(saved.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await store.relayerRecords.load('d')).toMatchObject({ id: 'd', version: 1 })
})

test('whether other code acts for a relayer key is stored, and removed again', async () => {
  const { store } = await stores[1]![1]()
  const saved = await store.relayerRecords.save(delegatedNow(unusedRelayer('delegated'), true))
  expect(await store.relayerRecords.load('delegated')).toMatchObject({ version: 1, isDelegated: true })
  await store.relayerRecords.save(delegatedNow(saved!, false))
  expect(await store.relayerRecords.load('delegated')).not.toHaveProperty('isDelegated')
})
