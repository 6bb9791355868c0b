import { expect, test } from 'bun:test'
import { type LeaseRecord, lease } from '../../src/domain/lease'
import type { Semaphore } from '../../src/domain/limits/semaphore'
import { storedLease, storedSemaphores } from '../../src/limits/stored-semaphores'
import type { Records } from '../../src/ports/records'
import { recordsInMemory } from '../support/records'

type Counted = LeaseRecord & { count: number }
const fresh: Counted = { id: 'one', version: 0, holder: null, until: 0, count: 0 }

function processes(change: (records: Records<Counted>) => Records<Counted> = (records) => records) {
  const clock = { now: 1_000 }
  const stored = recordsInMemory<Counted>()
  const loads = { count: 0 }
  const records = change({
    save: (record) => stored.save(record),
    load(id) {
      loads.count += 1
      return stored.load(id)
    },
  })
  const terms = { forMs: 90, renewMs: 30, now: () => clock.now }
  const process = (holder: string) => lease(records, fresh, { ...terms, holder })
  return { clock, stored, loads, a: process('a'), b: process('b') }
}

test('the holder keeps a lease while it renews it, and the database is read only when that is due', async () => {
  const { clock, loads, a, b } = processes()
  const held: boolean[] = []
  for (; clock.now < 1_300; clock.now += 10) held.push((await a.hold()) && !(await b.hold()))
  expect([held.every(Boolean), loads.count]).toEqual([true, 20])
})

test('a holder that stalls loses the lease at its end, detects it, and does not take it back', async () => {
  const { clock, a, b } = processes()
  await a.hold()
  clock.now += 89
  expect([a.isHeld(), await b.hold()]).toEqual([true, false])
  clock.now += 1
  expect([a.isHeld(), await b.hold(), await a.hold()]).toEqual([false, true, false])
})

test('a released lease is free immediately, and its holder requests it again only after a pause', async () => {
  const { clock, a, b } = processes()
  await a.hold()
  await b.hold()
  await a.release(50)
  expect([await a.isFree(), await b.isFree(), await b.hold()]).toEqual([false, true, true])
  await b.release()
  clock.now += 49
  expect(await a.hold()).toBe(false)
  clock.now += 1
  expect(await a.hold()).toBe(true)
  clock.now += 1_000_000
  expect([await b.hold(), await b.isFree()]).toEqual([false, false])
})

test('a process that was slower takes nothing, and one that releases during a request does not get the lease', async () => {
  const gate = Promise.withResolvers<void>()
  const { a, b, stored } = processes((records) => ({
    ...records,
    async load(id) {
      const read = await records.load(id)
      await gate.promise
      return read
    },
  }))
  const both = [a.hold(), b.hold()]
  gate.resolve()
  expect(await Promise.all(both)).toEqual([true, false])
  expect(await b.hold()).toBe(false)
  const other = processes()
  const asked = other.a.hold()
  await other.a.release()
  expect([await asked, other.stored.all()]).toEqual([false, []])
  expect(stored.get('one')).toMatchObject({ holder: 'a', until: 1_090 })
})

test('another field is set in the same write, and can be changed by a process that does not hold the lease', async () => {
  const { clock, a, b } = processes()
  await a.hold((record) => ({ ...record, count: record.count + 1 }))
  await b.change((record) => ({ ...record, count: record.count + 10 }))
  clock.now += 30
  await a.hold()
  expect([a.isHeld(), a.lastRead.count, b.isHeld()]).toEqual([true, 11, false])
})

test('a lease without its own record excludes a process that takes the same permit of the semaphore', async () => {
  const clock = { now: 1_000 }
  const books = recordsInMemory<Semaphore>()
  const now = () => clock.now
  const semaphores = storedSemaphores({ books, now })
  const held = storedLease(books, 'log', { holder: 'new', forMs: 90, renewMs: 30, now })
  const permit = () => semaphores.acquire('log', { holder: 'old', most: 1, until: now() + 90 })
  expect([await held.hold(), await permit()]).toEqual([true, false])
  expect(books.get('log')).toMatchObject({ held: [{ holder: 'new', until: 1_090 }], forgetAt: 1_090 })
  clock.now += 90
  expect([await permit(), await held.hold()]).toEqual([true, false])
  await semaphores.release('log', 'old')
  expect([await held.isFree(), await held.hold()]).toEqual([true, true])
  await held.release()
  expect([books.get('log').held, await permit()]).toEqual([[], true])
})
