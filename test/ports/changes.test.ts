import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { changeSetOf, mongoRecords } from '../../src/adapters/mongo/engine/records'
import type { Facts } from '../../src/domain/execution/execution'
import type { Lane } from '../../src/domain/execution/lane'
import { database } from '../support/database'
import { executionOf } from '../support/deposits'
import { engineStores } from '../support/stores'
import { testAll } from '../support/test-all'

describe('a change', () => {
  const facts = { order: { id: '0x1' }, fees: ['1'] }
  testAll<[string, object, object, object]>([
    ['of nothing is empty', { a: facts }, { a: facts }, { $set: {} }],
    ['contains the new field', { a: 1, b: 2 }, { a: 1, b: 3 }, { $set: { b: 3 } }],
    ['descends one level', { facts }, { facts: { ...facts, spent: 1 } }, { $set: { 'facts.spent': 1 } }],
    [
      'removes a missing field',
      { facts },
      { facts: { order: facts.order } },
      { $set: {}, $unset: { 'facts.fees': '' } },
    ],
    ['removes an undefined field', { a: 1 }, { a: undefined }, { $set: {}, $unset: { a: '' } }],
    ['tells lists whole', { a: [1] }, { a: [1, 2] }, { $set: { a: [1, 2] } }],
    ['contains a field that becomes empty as a whole', { a: { b: 1 } }, { a: {} }, { $set: { a: {} } }],
    ['contains a field that was null as a whole', { a: null }, { a: { b: 1 } }, { $set: { a: { b: 1 } } }],
    ['contains names that are not paths as a whole', { a: { 'b.c': 1 } }, { a: { b: 1 } }, { $set: { a: { b: 1 } } }],
    [
      'contains deeper levels as a whole',
      { a: { b: { c: 1 } } },
      { a: { b: { c: 2 } } },
      { $set: { 'a.b': { c: 2 } } },
    ],
  ])('a change contains only the differences', (_what, before, after, change) => {
    expect(changeSetOf(before as never, after as never)).toEqual(change as never)
  })
})

const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }))
const name = fc.constantFrom('route', 'fees', 'order')
const details = fc.dictionary(name, fc.oneof(value, fc.dictionary(fc.constantFrom('x', 'y'), value, { maxKeys: 2 })), {
  maxKeys: 3,
})

/** Facts appear, disappear and nest in this way. */
test.each(engineStores)('%s: after a change, the stored record equals the saved one', async (_name, open) => {
  const { store, other } = await open()
  let n = 0
  const change = fc.record({ facts: details, isOthers: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 5 }), async (changes) => {
      let known = executionOf(++n)
      for (const { facts, isOthers } of changes) {
        const records = isOthers ? other.executions : store.executions
        known = (await records.save({ ...known, facts: facts as Facts }))!
        expect(known).not.toBeNull()
        expect(await other.executions.load(known.id)).toEqual(known)
      }
      expect(await store.executions.load(known.id)).toEqual(known)
    }),
    { numRuns: 25 },
  )
})

test('a change is refused and retried if the database went back to another writer’s version', async () => {
  const { documents, goBack } = database<Lane>()
  const records = mongoRecords(documents, 'worker')
  const begun = (await records.save({ id: 'a', version: 0, holder: 'first', clearFrom: 0 }))!
  goBack('a', { holder: 'of a backup', writer: 'another:1' })
  expect(await records.save({ ...begun, clearFrom: 7 })).toBeNull()
  const stored = (await records.load('a'))!
  expect(stored.holder).toBe('of a backup')
  expect(await records.save({ ...stored, clearFrom: 7 })).toEqual({ ...stored, clearFrom: 7, version: 2 })
})
